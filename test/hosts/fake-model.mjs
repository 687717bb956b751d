// A model that is none: a server on loopback that speaks four wires, keeps every request it gets, and answers each turn with the tool call
// it is told. What a host sends back is what would have reached a real model.

import { createServer } from "node:http";

/** `turn(names, text)` → the next call `{ tool, args }`, or null for the end; asked once a turn, with the tools the host offers and all it sent. */
export async function startModel(turn) {
  const requests = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString("utf8");
      const body = parsed(text);
      const wire = wireOf(request.url ?? "");
      if (wire === null || body === null) {
        response
          .writeHead(request.method === "GET" ? 200 : 404, { "content-type": "application/json" })
          .end(request.method === "GET" ? '{"data":[],"models":[]}' : "{}");
        return;
      }
      const names = wire.tools(body);
      // With which key it came, and what it says.
      const keys = ["authorization", "x-api-key", "x-goog-api-key"].map((name) => request.headers[name] ?? "").join(" ");
      requests.push({ url: request.url, keys, text, names });
      if (wire.count?.(request.url) === true) {
        response.writeHead(200, { "content-type": "application/json" }).end('{"totalTokens":1,"input_tokens":1}');
        return;
      }
      const id = `c${requests.length}`;
      // A request that offers no tools is a question of the host's own: a title, a summary.
      void Promise.resolve(names.length > 0 ? turn(names, text) : null)
        .catch((error) => (console.error(error), null))
        .then((call) => wire.answer(response, call, id, body));
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () => (server.closeAllConnections(), server.close()),
  };
}

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

function wireOf(url) {
  if (/\/chat\/completions/u.test(url)) return chat;
  if (/\/responses/u.test(url)) return responses;
  if (/\/v1\/messages/u.test(url)) return anthropic;
  return /:(?:streamGenerateContent|generateContent|countTokens)/u.test(url) ? gemini : null;
}

const events = (response) => response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });

const chat = {
  tools: (body) => (body.tools ?? []).map((tool) => tool.function?.name ?? "").filter(Boolean),
  answer(response, call, id) {
    events(response);
    const send = (choice, usage) =>
      response.write(
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, ...choice }], ...usage })}\n\n`,
      );
    if (call === null) send({ delta: { role: "assistant", content: "done" } });
    else
      send({
        delta: {
          role: "assistant",
          tool_calls: [{ index: 0, id, type: "function", function: { name: call.tool, arguments: JSON.stringify(call.args) } }],
        },
      });
    send(
      { delta: {}, finish_reason: call === null ? "stop" : "tool_calls" },
      { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
    );
    response.end("data: [DONE]\n\n");
  },
};

const responses = {
  // Tools of a server stand in a namespace: named here `namespace/tool`.
  tools: (body) =>
    (body.tools ?? []).flatMap((tool) =>
      tool.type === "namespace"
        ? (tool.tools ?? []).map(({ name }) => `${tool.name}/${name}`)
        : [tool.name ?? tool.type ?? ""].filter(Boolean),
    ),
  answer(response, call, id) {
    events(response);
    const send = (type, rest) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
    const item =
      call === null
        ? { type: "message", id: `m${id}`, role: "assistant", content: [{ type: "output_text", text: "done" }] }
        : call.text === undefined
          ? { type: "function_call", id: `f${id}`, call_id: id, ...inNamespace(call.tool), arguments: JSON.stringify(call.args) }
          : { type: "custom_tool_call", id: `f${id}`, call_id: id, name: call.tool, input: call.text };
    send("response.created", { response: { id: `r${id}` } });
    send("response.output_item.done", { output_index: 0, item });
    send("response.completed", {
      response: { id: `r${id}`, output: [item], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } },
    });
    response.end();
  },
};

const inNamespace = (tool) => {
  const [namespace, name] = tool.split("/");
  return name === undefined ? { name: tool } : { namespace, name };
};

const anthropic = {
  tools: (body) => (body.tools ?? []).map((tool) => tool.name ?? "").filter(Boolean),
  count: (url) => url.includes("count_tokens"),
  answer(response, call, id, body) {
    const content =
      call === null ? { type: "text", text: "done" } : { type: "tool_use", id: `toolu_${id}`, name: call.tool, input: call.args };
    const message = {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model: body.model ?? "m",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    if (body.stream !== true) {
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ ...message, content: [content], stop_reason: call === null ? "end_turn" : "tool_use" }));
      return;
    }
    events(response);
    const send = (type, rest) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
    send("message_start", { message: { ...message, content: [], stop_reason: null } });
    send("content_block_start", { index: 0, content_block: call === null ? { type: "text", text: "" } : { ...content, input: {} } });
    send("content_block_delta", {
      index: 0,
      delta: call === null ? { type: "text_delta", text: "done" } : { type: "input_json_delta", partial_json: JSON.stringify(call.args) },
    });
    send("content_block_stop", { index: 0 });
    send("message_delta", {
      delta: { stop_reason: call === null ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { output_tokens: 1 },
    });
    send("message_stop", {});
    response.end();
  },
};

const gemini = {
  tools: (body) => (body.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map(({ name }) => name)),
  count: (url) => url.includes("countTokens"),
  answer(response, call, id, body) {
    // What is asked for as JSON is a question of its own (which model, what next), and any answer to it ends it.
    const wantsJson =
      body.generationConfig?.responseMimeType === "application/json" || body.generationConfig?.responseJsonSchema !== undefined;
    const part =
      call === null
        ? { text: wantsJson ? '{"reasoning":"x","next_speaker":"user","model_choice":"flash"}' : "done" }
        : { functionCall: { id, name: call.tool, args: call.args } };
    const answer = {
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    if (response.req.url.includes("streamGenerateContent")) {
      events(response);
      response.end(`data: ${JSON.stringify(answer)}\n\n`);
    } else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  },
};
