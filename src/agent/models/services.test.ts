import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ModelFault } from "../ports.ts";
import { type ModelEnvironment, findService, providerNames, type ModelService } from "./services.ts";

const found = (name: string, env: ModelEnvironment = {}): ModelService => findService(name, env);

describe("where a service is", () => {
  const table: readonly [string, ModelEnvironment, string][] = [
    ["anthropic/claude", { ANTHROPIC_API_KEY: "k" }, "https://api.anthropic.com/v1"],
    ["anthropic/claude", { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "https://proxy.example" }, "https://proxy.example/v1"],
    ["anthropic/claude", { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "https://proxy.example/a/" }, "https://proxy.example/a/v1"],
    ["anthropic/claude", { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "https://proxy.example/a/v1/" }, "https://proxy.example/a/v1"],
    ["openai/gpt", { OPENAI_API_KEY: "k" }, "https://api.openai.com/v1"],
    ["openai/gpt", { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }, "http://127.0.0.1:9/v1"],
    ["google/gemini", { GEMINI_API_KEY: "k" }, "https://generativelanguage.googleapis.com/v1beta/openai"],
    ["mistral/large", { MISTRAL_API_KEY: "k" }, "https://api.mistral.ai/v1"],
    ["openrouter/a/b:free", { OPENROUTER_API_KEY: "k" }, "https://openrouter.ai/api/v1"],
    ["ollama/llama3:8b", {}, "http://127.0.0.1:11434/v1"],
    ["ollama/llama3", { OLLAMA_HOST: "0.0.0.0" }, "http://127.0.0.1:11434/v1"],
    ["ollama/llama3", { OLLAMA_HOST: "box" }, "http://box:11434/v1"],
    ["ollama/llama3", { OLLAMA_HOST: "box:80" }, "http://box/v1"],
    ["ollama/llama3", { OLLAMA_HOST: ":4000" }, "http://127.0.0.1:4000/v1"],
    ["ollama/llama3", { OLLAMA_HOST: "https://box.example" }, "https://box.example/v1"],
    ["llama.cpp/any", {}, "http://127.0.0.1:8080/v1"],
    ["vllm/qwen/coder", {}, "http://127.0.0.1:8000/v1"],
    ["lmstudio/any", { HALLPASS_MODEL_URL: "http://other:1/v1" }, "http://other:1/v1"],
    ["openai-compatible/m", { HALLPASS_MODEL_URL: "http://[::1]:5000" }, "http://[::1]:5000/v1"],
    ["openai-compatible/m", { OPENAI_BASE_URL: "https://x.example/openai/v1" }, "https://x.example/openai/v1"],
  ];
  test.each(table)("%s with %o is at %s", (name, env, address) => {
    expect(found(name, env).address).toBe(address);
  });

  test("the model's name is everything after the first slash", () => {
    expect(found("vllm/qwen/coder:7b").model).toBe("qwen/coder:7b");
  });
});

test("the page about models has a line for each provider, with every variable that it reads", () => {
  const page = readFileSync(new URL("../../../docs/guides/models.md", import.meta.url), "utf8");
  const lines = new Map([...page.matchAll(/^\| `([^`]+)` \| (.*)$/gm)].map(([, name = "", rest = ""]) => [name, rest]));
  expect([...lines.keys()]).toEqual(providerNames);
  for (const [name, line] of lines) {
    const read: string[] = [];
    const env = new Proxy({}, { get: (_, variable) => void read.push(String(variable)) });
    expect(() => found(`${name}/m`, env)).not.toThrow(TypeError);
    expect(read.filter((variable) => !line.includes(`\`${variable}\``))).toEqual([]);
  }
});

describe("which key goes where", () => {
  test("a key goes to its own address and to no other", () => {
    const both = { OPENAI_API_KEY: "k-openai", HALLPASS_MODEL_KEY: "k-own" };
    expect(found("openai-compatible/m", { ...both, HALLPASS_MODEL_URL: "http://a" }).key).toBe("k-own");
    expect(found("openai-compatible/m", { ...both, OPENAI_BASE_URL: "http://a" }).key).toBe("k-openai");
    expect(found("openai-compatible/m", { OPENAI_API_KEY: "k-openai", HALLPASS_MODEL_URL: "http://a" }).key).toBeNull();
    expect(found("ollama/m", both).key).toBe("k-own");
    expect(found("ollama/m", { OPENAI_API_KEY: "k-openai", OLLAMA_HOST: "box" }).key).toBeNull();
  });

  test("white space around a key is no part of it", () => {
    expect(found("openai/gpt", { OPENAI_API_KEY: " k\n" }).key).toBe("k");
  });

  test("a token serves where Anthropic's key is missing", () => {
    expect(found("anthropic/claude", { ANTHROPIC_AUTH_TOKEN: "t" })).toMatchObject({
      key: "t",
      bearer: true,
      keyVariable: "ANTHROPIC_AUTH_TOKEN",
    });
    expect(found("anthropic/claude", { ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_API_KEY: "k" })).toMatchObject({ key: "k", bearer: false });
  });
});

describe("what is wrong says what to do", () => {
  const table: readonly [string, ModelEnvironment, RegExp][] = [
    ["anthropic/claude", {}, /set ANTHROPIC_API_KEY/],
    ["openai/gpt", { OPENAI_API_KEY: "  " }, /set OPENAI_API_KEY/],
    ["openrouter/x", {}, /set OPENROUTER_API_KEY/],
    ["openai-compatible/x", {}, /set HALLPASS_MODEL_URL or OPENAI_BASE_URL/],
    ["openai-compatible/x", { HALLPASS_MODEL_URL: "ftp://x" }, /HALLPASS_MODEL_URL is no http address/],
    ["openai-compatible/x", { HALLPASS_MODEL_URL: "http://user:pass@x" }, /HALLPASS_MODEL_URL is no http address/],
    ["openai-compatible/x", { HALLPASS_MODEL_URL: "http://" }, /HALLPASS_MODEL_URL is no http address/],
    ["anthropic", {}, /write anthropic\/<model>/],
    ["anthropic/", {}, /write anthropic\/<model>/],
    ["", {}, /use provider\/model with one of anthropic, openai/],
    ["constructor/x", {}, /no provider is called `constructor`/],
    ["__proto__/x", {}, /no provider is called/],
    ["clau\u202ede/x", {}, /`clau\\u\{202e\}de`/],
  ];
  test.each(table)("%s with %o", (name, env, message) => {
    expect(() => found(name, env)).toThrow(ModelFault);
    expect(() => found(name, env)).toThrow(message);
  });

  test("a key that no header can carry is named by its variable and not quoted", () => {
    const key = "sk-secret\u0000middle";
    expect(() => found("openai/gpt", { OPENAI_API_KEY: key })).toThrow(/^OPENAI_API_KEY holds characters that no key has; set it again$/);
  });
});
