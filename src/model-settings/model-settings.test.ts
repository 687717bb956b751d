// Keys and models as a person sets them up, against a service on loopback and a keyring that is a real program.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { systemKeyring } from "./keyring.ts";
import { createModelSettings, type ModelSettings } from "./model-settings.ts";

const KEY = "sk-right-0123456789";
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), "hallpass-models-"));
  cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A service that knows one key, with a list of models and one turn of text. Every provider is led there. */
async function service(): Promise<{ readonly address: string; readonly seen: { url: string; headers: IncomingHttpHeaders }[] }> {
  const seen: { url: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      seen.push({ url: request.url ?? "", headers: request.headers });
      const key = request.headers["x-api-key"] ?? request.headers.authorization?.replace("Bearer ", "");
      if (key !== KEY)
        return void response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"no such key"}}');
      if (request.url?.includes("/models") === true || request.url?.includes("/key") === true)
        return void response.writeHead(200, { "content-type": "application/json" }).end('{"data":[{"id":"models/one"},{"id":"two"}]}');
      const line = (value: object): string =>
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", ...value })}\n\n`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(line({ choices: [{ index: 0, delta: { role: "assistant", content: "hello" } }] }));
      response.end(`${line({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen };
}

const settingsIn = (dir: string, env: Readonly<Record<string, string>> = {}, fixed: string | null = null): ModelSettings =>
  createModelSettings({
    file: join(dir, "models.json"),
    keyring: systemKeyring({ platform: "linux", env, place: dir }),
    env,
    fixed,
    clock: Date.now,
  });

const turn = (settings: ModelSettings, name: string): Promise<{ readonly text: string }> =>
  settings
    .open(name)
    .turn(
      { system: "s", transcript: [{ role: "person", id: "p", at: 1, text: "hi" }], tools: [] },
      { signal: new AbortController().signal, delta: () => {} },
    );

test("a key is entered once, tested, kept for its owner alone, used by the next process, and never given back", async () => {
  const dir = directory();
  const { address, seen } = await service();
  const settings = settingsIn(dir);
  expect(await settings.save({ provider: "openai-compatible", key: `${KEY}\n`, address })).toEqual({ ok: true, models: ["one", "two"] });
  expect(statSync(join(dir, "models.json")).mode & 0o777).toBe(0o600);
  const shown = settings.providers().find(({ provider }) => provider === "openai-compatible");
  expect(shown).toMatchObject({ address, keptIn: "file" });
  expect(JSON.stringify(settings.providers())).not.toContain(KEY);
  expect((await turn(settingsIn(dir), "openai-compatible/one")).text).toBe("hello");
  expect(seen.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
});

test("a key that the service refuses is not kept, and what was there stays", async () => {
  const dir = directory();
  const { address } = await service();
  const settings = settingsIn(dir);
  await settings.save({ provider: "openai-compatible", key: KEY, address });
  const refused = await settings.save({ provider: "openai-compatible", key: "sk-wrong-987654321" });
  expect(refused).toMatchObject({ ok: false, kind: "wrong-key" });
  expect(JSON.stringify(refused)).not.toContain("sk-wrong");
  expect((await turn(settings, "openai-compatible/one")).text).toBe("hello");
  await expect(settings.save({ provider: "openai-compatible", key: "with space" })).rejects.toThrow(/that is not a key/);
  await expect(settings.save({ provider: "nobody", key: KEY })).rejects.toThrow(/no provider is called/);
});

test("a key goes to the address it was entered for and to no other", async () => {
  const dir = directory();
  const first = await service();
  const second = await service();
  await settingsIn(dir).save({ provider: "openai", key: KEY, address: first.address });
  const led = settingsIn(dir, { OPENAI_BASE_URL: second.address });
  await expect(turn(led, "openai/m")).rejects.toMatchObject({ kind: "missing-key" });
  expect(second.seen).toEqual([]);
  // Another address entered without a key takes none along either.
  expect(await led.test({ provider: "openai", address: second.address })).toMatchObject({ ok: false, kind: "missing-key" });
  expect(JSON.stringify(second.seen)).not.toContain(KEY);
});

test("the environment stands before what was entered, and says so", async () => {
  const dir = directory();
  const { address, seen } = await service();
  await settingsIn(dir).save({ provider: "openai", key: KEY, address });
  const settings = settingsIn(dir, { OPENAI_API_KEY: "sk-other-55555" });
  expect(settings.providers().find(({ provider }) => provider === "openai")).toMatchObject({
    keptIn: "environment",
    keyVariable: "OPENAI_API_KEY",
  });
  await expect(turn(settings, "openai/m")).rejects.toMatchObject({ kind: "wrong-key" });
  expect(seen.at(-1)?.headers.authorization).toBe("Bearer sk-other-55555");
});

test("the chosen model is the usual one at once, here and in the next process; one that was named at the start stays", async () => {
  const dir = directory();
  const settings = settingsIn(dir);
  expect(settings.model.name).toBe("offline/guide");
  settings.choose("ollama/llama3");
  expect(settings.model.name).toBe("ollama/llama3");
  expect(settingsIn(dir).model.name).toBe("ollama/llama3");
  expect(settingsIn(dir, {}, "offline").model.name).toBe("offline/guide");
  expect(() => settings.choose("nobody/x")).toThrow(/no provider is called/);
  settings.choose("offline");
  expect(settings.model.isUnlimited).toBe(true);
  expect(await settings.problemOf("anthropic/claude")).toMatchObject({ kind: "missing-key" });
  await expect(turn(settings, "anthropic/claude")).rejects.toMatchObject({ kind: "missing-key" });
});

test("what was entered can be thrown away", async () => {
  const dir = directory();
  const { address } = await service();
  const settings = settingsIn(dir);
  await settings.save({ provider: "openai", key: KEY, address });
  await settings.forget("openai");
  expect(readFileSync(join(dir, "models.json"), "utf8")).not.toContain(KEY);
  expect(settings.providers().find(({ provider }) => provider === "openai")).toMatchObject({ keptIn: "nowhere" });
});

/** `secret-tool` as a program of ours: a file for each set of attributes. */
function withSecretTool(dir: string, behaves: "well" | "badly"): Readonly<Record<string, string>> {
  const bin = join(dir, "bin");
  mkdirSync(bin);
  const script = `#!/bin/sh
verb=$1; shift
[ "$verb" = store ] && shift
at="${dir}/ring-$(echo "$*" | cksum | cut -d' ' -f1)"
case $verb in
  store) ${behaves === "well" ? 'cat > "$at"' : "exit 1"};;
  lookup) [ -f "$at" ] && cat "$at" || exit 1;;
  clear) rm -f "$at";;
esac
echo "$verb $*" >> "${dir}/calls"
`;
  writeFileSync(join(bin, "secret-tool"), script);
  chmodSync(join(bin, "secret-tool"), 0o755);
  return { PATH: `${bin}:${process.env["PATH"] ?? ""}`, DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" };
}

test("where there is a keyring the key is in it and not in the file, and in no command line", async () => {
  const dir = directory();
  const { address } = await service();
  const env = withSecretTool(dir, "well");
  await settingsIn(dir, env).save({ provider: "openai-compatible", key: KEY, address });
  expect(readFileSync(join(dir, "models.json"), "utf8")).not.toContain(KEY);
  expect(readFileSync(join(dir, "calls"), "utf8")).not.toContain(KEY);
  const settings = settingsIn(dir, env);
  expect(settings.providers().find(({ provider }) => provider === "openai-compatible")).toMatchObject({ keptIn: "keyring" });
  expect((await turn(settings, "openai-compatible/one")).text).toBe("hello");
  await settings.forget("openai-compatible");
  await expect(turn(settingsIn(dir, env), "openai-compatible/one")).rejects.toThrow(/no address/);
});

test("a keyring that keeps nothing leaves the key to the file", async () => {
  const dir = directory();
  const { address } = await service();
  const settings = settingsIn(dir, withSecretTool(dir, "badly"));
  await settings.save({ provider: "openai-compatible", key: KEY, address });
  expect(settings.providers().find(({ provider }) => provider === "openai-compatible")).toMatchObject({ keptIn: "file" });
});
