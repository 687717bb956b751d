// One turn of a model as its service would stream it, in each dialect. Calls come in two pieces.

export interface SpokenTurn {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly input: string };
}

export function chatStream({ text = "", call }: SpokenTurn, at: number): string {
  const line = (value: object): string =>
    `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", ...value })}\n\n`;
  const half = Math.floor((call?.input.length ?? 0) / 2);
  const start =
    call === undefined
      ? []
      : [{ index: 0, id: `c${at}`, type: "function", function: { name: call.name, arguments: call.input.slice(0, half) } }];
  const rest = call === undefined ? [] : [{ index: 0, function: { arguments: call.input.slice(half) } }];
  return [
    line({ choices: [{ index: 0, delta: { role: "assistant", content: text, ...(call === undefined ? {} : { tool_calls: start }) } }] }),
    ...(call === undefined ? [] : [line({ choices: [{ index: 0, delta: { tool_calls: rest } }] })]),
    line({
      choices: [{ index: 0, delta: {}, finish_reason: call === undefined ? "stop" : "tool_calls" }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    }),
    "data: [DONE]\n\n",
  ].join("");
}

export function anthropicStream({ text = "", call }: SpokenTurn, at: number): string {
  const event = (type: string, value: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`;
  const block = call === undefined ? { type: "text", text: "" } : { type: "tool_use", id: `t${at}`, name: call.name, input: {} };
  const half = Math.floor((call?.input.length ?? 0) / 2);
  const deltas =
    call === undefined
      ? [{ type: "text_delta", text }]
      : [call.input.slice(0, half), call.input.slice(half)].map((partial_json) => ({ type: "input_json_delta", partial_json }));
  return [
    event("message_start", {
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    }),
    event("content_block_start", { index: 0, content_block: block }),
    ...deltas.map((delta) => event("content_block_delta", { index: 0, delta })),
    event("content_block_stop", { index: 0 }),
    event("message_delta", { delta: { stop_reason: call === undefined ? "end_turn" : "tool_use" }, usage: { output_tokens: 5 } }),
    event("message_stop", {}),
  ].join("");
}

/** OpenAI's own newer dialect. */
export function responsesStream({ text = "", call }: SpokenTurn, at: number): string {
  const half = Math.floor((call?.input.length ?? 0) / 2);
  const item = { type: "function_call", id: "f", call_id: `c${at}`, name: call?.name ?? "" };
  const spoken = [
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "i" } },
    { type: "response.output_text.delta", item_id: "i", delta: text },
    { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "i" } },
  ];
  const called = (input: string): readonly object[] => [
    { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
    { type: "response.function_call_arguments.delta", item_id: "f", output_index: 0, delta: input.slice(0, half) },
    { type: "response.function_call_arguments.delta", item_id: "f", output_index: 0, delta: input.slice(half) },
    { type: "response.output_item.done", output_index: 0, item: { ...item, arguments: input, status: "completed" } },
  ];
  const events = [
    { type: "response.created", response: { id: "r", created_at: 1, model: "m" } },
    ...(call === undefined ? spoken : called(call.input)),
    { type: "response.completed", response: { usage: { input_tokens: 3, output_tokens: 2 } } },
  ];
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;
}
