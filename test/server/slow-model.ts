// A model's service of the test's own, on a real port: reads what it is told to read or runs what it is told to run, then says what came of it. Its answers can be held
// back, so that a run can be caught in the middle of a turn.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

export interface SlowModel {
  /** Its address for one that calls itself so. */
  urlFor(name: string): string;
  /** How many turns were asked for, by what the person said. */
  turns(text: string): number;
  /** Hold every answer from now on; gives the way to let them go. */
  hold(): () => void;
  /** Resolves when an answer is being held, with the name of whoever waits for it. */
  held(): Promise<string>;
}

interface Said {
  readonly role: string;
  readonly content: unknown;
}

export async function slowModel(): Promise<SlowModel> {
  const asked = new Map<string, number>();
  let gate: Promise<void> | null = null;
  const waiting = new Set<{ readonly name: string }>();
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    const name = /^\/([^/]+)\//.exec(request.url ?? "")?.[1] ?? "";
    request.on("end", () => void answer(name, JSON.parse(body) as { messages: readonly Said[] }, response));
  });
  const answer = async (name: string, { messages }: { readonly messages: readonly Said[] }, response: ServerResponse): Promise<void> => {
    // What the program tells it besides (a grant was revoked) comes as the person's too.
    const said = textOf(messages.findLast(({ role, content }) => role === "user" && /^(read|run) /.test(textOf(content)))?.content);
    // Two messages of the person in a row come as one.
    const text = said.split("\n").findLast((line) => /^(read|run) /.test(line)) ?? said;
    asked.set(text, (asked.get(text) ?? 0) + 1);
    const turn = { name };
    waiting.add(turn);
    await gate;
    waiting.delete(turn);
    const last = messages.at(-1);
    const [verb, path = ""] = text.split(" ");
    const call =
      verb === "run"
        ? { name: "bash", arguments: JSON.stringify({ command: text.slice(4) }) }
        : { name: "read_file", arguments: JSON.stringify({ path }) };
    const delta =
      last?.role === "tool"
        ? { content: `read: ${textOf(last.content).slice(0, 200)}` }
        : {
            tool_calls: [
              {
                index: 0,
                id: `call_${asked.get(text)}`,
                type: "function",
                function: call,
              },
            ],
          };
    const piece = (choice: object): string =>
      `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "slow", choices: [{ index: 0, ...choice }] })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(
      `${piece({ delta: { role: "assistant", ...delta }, finish_reason: null })}${piece({ delta: {}, finish_reason: last?.role === "tool" ? "stop" : "tool_calls" })}data: [DONE]\n\n`,
    );
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return {
    urlFor: (name) => `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/${name}/v1`,
    turns: (text) => asked.get(text) ?? 0,
    hold() {
      let go = (): void => {};
      gate = new Promise((resolve) => (go = resolve));
      return () => {
        gate = null;
        go();
      };
    },
    async held() {
      for (;;) {
        const [turn] = waiting;
        if (turn !== undefined) return turn.name;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
}

const textOf = (content: unknown): string =>
  typeof content === "string" ? content : Array.isArray(content) ? content.map((one: { text?: string }) => one.text ?? "").join("") : "";
