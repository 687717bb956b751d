// A durable agent behind your own UI: it asks, your program ends; the next one shows the ask, takes the answer, and the agent goes on.

import assert from "node:assert/strict";
import { scriptedModel } from "hallpass/agent";
import { openApp } from "hallpass/server";
import { routes } from "hallpass/wire";
import { makeHome } from "./files.mjs";

const home = makeHome({ "app/main.ts": "", "library/go.mod": "module library\n" });
// A script stands in for a model; `model: "anthropic/claude-sonnet-5-5"` is one.
const model = scriptedModel([{ calls: [{ name: "read_file", input: { path: "../library/go.mod" } }] }, "It is called library."]);
const options = { data: `${home}/data`, home, model };

const before = await openApp(options);
const session = await before.client.send(routes.addSession, { body: { workspace: `${home}/app`, asking: "by-guard" } });
const { id } = await before.client.send(routes.addChat, { body: { session: session.id } });
await before.client.send(routes.say, { id, body: { text: "What is the library called?" } });
await before.settled();
await before.close(); // Your program ends here. Everything is in the data directory.

const app = await openApp(options);
app.subscribe({ chats: [id], frame: (event) => event.type === "text_delta" && console.log(event.text), connection: () => {} });
const [ask] = await app.client.send(routes.listAsks, { query: { state: "open" } });
const { title, facts, choices } = ask.card; // What your UI shows.
console.log(title, facts, choices);
await app.client.send(routes.answer, { id: ask.id, body: { ...choices[0].answer, digest: ask.digest } });
await app.settled();
assert.equal((await app.client.send(routes.messages, { id })).messages.at(-1).text, "It is called library.");
await app.close();
