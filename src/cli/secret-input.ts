// A secret typed at a terminal, which shows nothing of it; or one that comes in through a pipe.

import { ReadStream } from "node:tty";
import type { Host } from "./host.ts";

const LONGEST = 4096;

/** What was typed up to Enter, or everything that came in. Empty where it was given up with Ctrl-C or Ctrl-D. */
export async function readSecret(asks: string, { input, errors }: Host): Promise<string> {
  if (!(input instanceof ReadStream)) {
    let text = "";
    for await (const piece of input.setEncoding("utf8")) if (text.length <= LONGEST) text += String(piece);
    return text;
  }
  errors.write(asks);
  input.setRawMode(true);
  try {
    return await readTyped(input.setEncoding("utf8"));
  } finally {
    input.setRawMode(false);
    input.pause();
    errors.write("\n");
  }
}

function readTyped(input: Host["input"]): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const end = (typedText: string): void => {
      input.off("data", take);
      resolve(typedText);
    };
    const take = (chunk: string): void => {
      // A paste may come with the marks of one around it.
      for (const one of chunk.replaceAll(/\u001b\[20[01]~/g, "")) {
        if (one === "\r" || one === "\n") return end(text);
        if (one === "\u0003" || one === "\u0004") return end("");
        text = one === "\u007f" || one === "\b" ? text.slice(0, -1) : one < " " ? text : (text + one).slice(0, LONGEST);
      }
    };
    input.on("data", take);
    input.resume();
  });
}
