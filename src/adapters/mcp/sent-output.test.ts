import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { tree } from "../../../test/tree.ts";
import { sendTo } from "./sent-output.ts";

/** A pipe whose reader takes what the test takes. */
function pipe() {
  const at = tree(["d/"]);
  const fifo = at.path("d/fifo");
  execFileSync("mkfifo", [fifo]);
  const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const fd = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
  const output = Object.assign(new Socket({ fd, readable: false, writable: true }), { fd });
  let isOpen = true;
  const gone = (): void => {
    if (isOpen) closeSync(reader);
    isOpen = false;
  };
  onTestFinished(() => {
    output.destroy();
    gone();
    at.remove();
  });
  const buffer = Buffer.alloc(1_048_576);
  /** What is in the pipe now. */
  const take = (): string => {
    try {
      return buffer.toString("utf8", 0, readSync(reader, buffer));
    } catch {
      return "";
    }
  };
  return { output, take, gone };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe.skipIf(process.platform === "win32")("what is sent to a pipe", () => {
  test("is there when sending returns, and its bytes may be used again", () => {
    const { output, take } = pipe();
    const send = sendTo(output, writeSync);
    const bytes = Buffer.from("..message..");
    expect(send(bytes, 2, 9)).toBe(true);
    bytes.fill("#");
    expect(take()).toBe("message");
  });

  test("overtakes nothing that waits, whatever way it came, and nothing of it is lost while the reader is slow", async () => {
    const { output, take } = pipe();
    const send = sendTo(output, writeSync);
    const [sent, kept]: [string[], boolean[]] = [[], []];
    for (let number = 0; number < 60; number += 1) {
      const line = `${number} ${"x".repeat((number * 7919) % 9000)}\n`;
      sent.push(line);
      if (number % 7 === 3) output.write(line);
      else kept.push(send(Buffer.from(line), 0, Buffer.byteLength(line)));
    }
    expect([kept[0], kept.at(-1)]).toEqual([true, false]);
    let got = "";
    for (let tries = 0; tries < 10_000 && got.length < sent.join("").length; tries += 1) {
      got += take();
      await turn();
    }
    expect(got).toBe(sent.join(""));
    expect(send(Buffer.from("after"), 0, 5)).toBe(true);
    expect(take()).toBe("after");
  });

  test("waits while the stream is corked", () => {
    const { output, take } = pipe();
    output.cork();
    expect(sendTo(output, writeSync)(Buffer.from("a"), 0, 1)).toBe(false);
    expect(take()).toBe("");
  });

  test("is told of by the stream where nobody reads any more", async () => {
    const { output, gone } = pipe();
    const failed = new Promise<NodeJS.ErrnoException>((resolve) => output.once("error", resolve));
    gone();
    expect(sendTo(output, writeSync)(Buffer.from("a"), 0, 1)).toBe(false);
    expect((await failed).code).toBe("EPIPE");
    expect(sendTo(output, writeSync)(Buffer.from("a"), 0, 1)).toBe(false);
  });
});

test("what is no pipe is written as a stream, and everything is where nothing else is given", () => {
  for (const write of [writeSync, null]) {
    const output = new PassThrough();
    expect(sendTo(output, write)(Buffer.from("abc"), 1, 3)).toBe(false);
    expect(String(output.read())).toBe("bc");
  }
});
