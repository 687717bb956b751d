import { randomBytes } from "node:crypto";
import { InMemoryTransport, Server, type ServerContext } from "@modelcontextprotocol/server";
import { beforeAll, describe, expect, test } from "vitest";
import { createRequestStates } from "./request-state.ts";

const key = randomBytes(32);
const call = { tool: "request_read_access", input: { path: "/x", reason: "r" }, session: "s" };
const held = { ask: "a", call: "c", tool: call.tool, session: "s" };

/** The context of a real request, which the SDK hands to whoever verifies. */
let context: ServerContext;
beforeAll(async () => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = new Server({ name: "t", version: "1" });
  const met = new Promise<ServerContext>((resolve) => server.setRequestHandler("ping", (_request, given) => (resolve(given), {})));
  await server.connect(near);
  await far.start();
  await far.send({ jsonrpc: "2.0", id: 1, method: "ping" });
  context = await met;
});

function states(seconds = 60, own = key) {
  let count = 0;
  return createRequestStates({ key: own, seconds, clock: Date.now, ids: () => `id-${(count += 1)}` });
}

describe("the state a client carries", () => {
  test("comes back as it was made, once", async () => {
    const it = states();
    const verified = await it.verify(await it.mint(held, call.input), context);
    expect(it.take(verified, call)).toMatchObject(held);
    expect(it.take(verified, call)).toBeNull();
  });

  test("fits the same arguments in another order, and no others", async () => {
    const it = states();
    const verify = async () => it.verify(await it.mint(held, call.input), context);
    expect(it.take(await verify(), { ...call, input: { reason: "r", path: "/x" } })).not.toBeNull();
    expect(it.take(await verify(), { ...call, input: { path: "/y", reason: "r" } })).toBeNull();
    expect(it.take(await verify(), { ...call, tool: "read_file" })).toBeNull();
    expect(it.take(await verify(), { ...call, session: "other" })).toBeNull();
  });

  test("is refused when it was changed, signed by somebody else, or is nothing of ours", async () => {
    const it = states();
    const text = await it.mint(held, call.input);
    const [version = "", body = "", mac = ""] = text.split(".");
    const changed = Buffer.from(Buffer.from(body, "base64url").toString().replace('"ask":"a"', '"ask":"b"')).toString("base64url");
    for (const forged of [
      `${version}.${changed}.${mac}`,
      `${version}.${body}.`,
      body,
      "",
      "v1..",
      await states(60, randomBytes(32)).mint(held, {}),
    ])
      await expect(it.verify(forged, context)).rejects.toThrow();
    expect(it.take({ ...held, extra: 1 }, call)).toBeNull();
    expect(it.take("text", call)).toBeNull();
  });

  test("is refused when its time is over", async () => {
    const it = states(1);
    const text = await it.mint(held, call.input);
    await new Promise((resolve) => setTimeout(resolve, 2100));
    await expect(it.verify(text, context)).rejects.toThrow("expired");
  });
});
