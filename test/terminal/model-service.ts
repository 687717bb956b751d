// A model's service on loopback that gives the turns of a script, one after the other, in the dialect everybody speaks. Slowly, if told.

import { createServer, type Server } from "node:http";

export interface Turn {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  /** Milliseconds between two pieces. */
  readonly pace?: number;
}

export interface ModelService {
  /** What the program must have in its environment to talk to it. */
  readonly env: Readonly<Record<string, string>>;
  /** Its name for `--model`. */
  readonly name: string;
  close(): Promise<void>;
}

export async function startModel(turns: readonly Turn[]): Promise<ModelService> {
  let at = 0;
  const server: Server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const turn = turns[at++] ?? { text: "nothing left to do" };
      response.writeHead(200, { "content-type": "text/event-stream" });
      const pieces = piecesOf(turn, at);
      const next = (): void => {
        const piece = pieces.shift();
        if (piece === undefined) return void response.end();
        response.write(piece);
        if (turn.pace === undefined) next();
        else setTimeout(next, turn.pace);
      };
      next();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    env: { HALLPASS_MODEL_URL: `http://127.0.0.1:${port}/v1`, HALLPASS_MODEL_KEY: "test" },
    name: "openai-compatible/script",
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function piecesOf({ text = "", calls = [] }: Turn, at: number): string[] {
  const line = (choice: object): string =>
    `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, ...choice }] })}\n\n`;
  const words = text.match(/\S+\s*|\s+/gu) ?? [];
  return [
    line({ delta: { role: "assistant", content: "" } }),
    ...words.map((word) => line({ delta: { content: word } })),
    ...calls.map(({ name, input }, index) =>
      line({
        delta: {
          tool_calls: [{ index, id: `c${at}-${index}`, type: "function", function: { name, arguments: JSON.stringify(input) } }],
        },
      }),
    ),
    line({ delta: {}, finish_reason: calls.length === 0 ? "stop" : "tool_calls" }),
    "data: [DONE]\n\n",
  ];
}
