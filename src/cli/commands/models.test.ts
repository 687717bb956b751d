import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../main.ts";

const KEY = "sk-terminal-0123456789";

test("a key comes in through a pipe, is tested, kept and never printed; a model is chosen; what was entered is thrown away", async () => {
  const on = mkdtempSync(join(tmpdir(), "hallpass-models-"));
  const service = createServer((request, response) => {
    const isKnown = request.headers.authorization === `Bearer ${KEY}`;
    response.writeHead(isKnown ? 200 : 401).end(isKnown ? '{"data":[{"id":"large"}]}' : '{"error":{"message":"no such key"}}');
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await new Promise((resolve) => service.close(resolve));
    rmSync(on, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
  const [data, home, cwd] = [join(on, "data"), join(on, "home"), join(on, "ws")];
  for (const dir of [home, cwd]) mkdirSync(dir);
  const said = async (words: readonly string[], typed = "", env: Readonly<Record<string, string>> = {}) => {
    const streams = { input: new PassThrough(), output: new PassThrough(), errors: new PassThrough() };
    streams.input.end(typed);
    const code = await run(["models", ...words], { cwd, home, env: { HALLPASS_DATA: data, ...env }, platform: "linux", ...streams });
    return { code, output: String(streams.output.read() ?? ""), errors: String(streams.errors.read() ?? "") };
  };
  const add = ["add", "openai-compatible", "--url", url];
  expect(await said(add, "sk-wrong-1234\n")).toMatchObject({ code: 1, errors: /refused the key[^]*nothing was saved/ });
  expect(existsSync(join(data, "models.json"))).toBe(false);
  const kept = await said(add, `${KEY}\n`);
  expect(kept).toMatchObject({ code: 0, output: /saved in a file that no agent can read[^]*openai-compatible\/large/ });
  expect(JSON.stringify(kept)).not.toContain(KEY);
  expect(readFileSync(join(data, "models.json"), "utf8")).toContain(KEY);
  expect(await said(["test", "openai-compatible"])).toMatchObject({ code: 0, output: /it works/ });
  expect(await said(["use", "openai-compatible/large"])).toMatchObject({ code: 0 });
  expect(await said([])).toMatchObject({
    code: 0,
    output: /^model {2}openai-compatible\/large[^]*openai-compatible {2}key in a file of Hallpass/,
  });
  expect(await said(["use", "nobody/x"])).toMatchObject({ code: 1, errors: /no provider is called/ });
  expect(await said(["add", "anthropic"], "x", { ANTHROPIC_API_KEY: "y" })).toMatchObject({ code: 2, errors: /ANTHROPIC_API_KEY is set/ });
  expect(await said(["remove", "openai-compatible"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(data, "models.json"), "utf8")).not.toContain(KEY);
});
