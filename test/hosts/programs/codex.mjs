// Codex: its own sandbox off, so that what holds is held by the hook; it reads through its shell and has no tool for it.

import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { changeJson, dropLines, secondLine } from "../own-settings.mjs";
import { everywhere } from "../promises.mjs";
import { LOGIN } from "../scene.mjs";

export const codex = {
  title: "Codex",
  package: "@openai/codex",
  version: "0.166.0",
  bin: "codex",
  minutes: 2,
  // Its shell is led into the sandbox by what `hallpass install` writes.
  confined: true,
  variants: ["without", "with", "untrusted", "profile", "run", "without, asked", "inbox", "inbox, with a rule", ...everywhere],
  settings: ({ home }) => join(home, ".codex", "config.toml"),
  login: true,
  prepare({ home, address, variant, naive }) {
    const key = variant === "run, asked" ? "requires_openai_auth = true" : 'env_key = "FAKE_KEY"';
    const text = `model = "fake"\nmodel_provider = "fake"\n\n[model_providers.fake]\nname = "fake"\nbase_url = "${address}/v1"\nwire_api = "responses"\n${key}\n\n[analytics]\nenabled = false\n`;
    const server =
      naive === null ? "" : `\n[mcp_servers.hallpass]\ncommand = ${JSON.stringify(naive.command)}\nargs = ${JSON.stringify(naive.args)}\n`;
    writeFileSync(join(home, ".codex", "config.toml"), text + server);
    writeFileSync(join(home, ".codex", "auth.json"), JSON.stringify({ OPENAI_API_KEY: LOGIN }));
    if (variant !== "own rules") return;
    mkdirSync(join(home, ".codex", "rules"), { recursive: true });
    writeFileSync(join(home, ".codex", "rules", "own.rules"), 'prefix_rule(pattern = ["head"], decision = "forbidden")\n');
  },
  ignore: (around) => dropLines(codex.settings(around), "BASH_ENV"),
  second: ({ home }) =>
    changeJson(join(home, ".codex", "hooks.json"), (value) => {
      value.hooks ??= {};
      (value.hooks.PreToolUse ??= []).push({ hooks: [{ type: "command", command: secondLine("codex") }] });
    }),
  words: ({ variant, again }) => [
    "exec",
    "--skip-git-repo-check",
    "-C",
    ".",
    ...(variant === "profile" ? [] : ["-s", "danger-full-access"]),
    ...(variant === "untrusted" ? [] : ["--dangerously-bypass-hook-trust"]),
    ...(again ? ["resume", "--last"] : []),
    "go",
  ],
  env: ({ home, variant }) => (variant === "run, asked" ? {} : { FAKE_KEY: "none", CODEX_HOME: join(home, ".codex") }),
  tools(names) {
    const shell = (command) =>
      names.includes("exec_command")
        ? { tool: "exec_command", args: { cmd: command } }
        : names.includes("shell_command")
          ? { tool: "shell_command", args: { command } }
          : { tool: "shell", args: { command: ["bash", "-lc", command] } };
    return {
      shell,
      write(path) {
        const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n-before\n+changed\n*** End Patch\n`;
        return names.includes("apply_patch") ? { tool: "apply_patch", text: patch } : shell(`apply_patch <<'EOF'\n${patch}EOF`);
      },
      ours(name, args) {
        // Older versions write the name of the server otherwise.
        const tool = [`mcp__hallpass/${name}`, `mcp__hallpass__/${name}`].find((one) => names.includes(one));
        return tool === undefined ? null : { tool, args };
      },
    };
  },
};

/** A version from before hooks could rewrite a call; people who do not update have one like it. */
export const olderCodex = {
  ...codex,
  host: "codex",
  version: "0.130.0",
  variants: ["without", "with", "without, asked", "inbox"],
  // It has no flag for that: the hooks are trusted as its person trusts them.
  words: (around) => codex.words(around).filter((word) => word !== "--dangerously-bypass-hook-trust"),
  async trust({ home, workspace }, bin, env) {
    const child = spawn(bin, ["app-server"], { cwd: workspace, env, stdio: ["pipe", "pipe", "ignore"] });
    const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const answer = new Promise((done, fail) => {
      child.on("close", () => fail(new Error("it told nothing of its hooks")));
      createInterface({ input: child.stdout }).on("line", (line) => line.startsWith('{"id":2') && done(line));
    });
    send({ id: 1, method: "initialize", params: { clientInfo: { name: "hosts", version: "1", title: null } } });
    send({ method: "initialized" });
    send({ id: 2, method: "hooks/list", params: { cwds: [workspace] } });
    const { result } = JSON.parse(await answer);
    child.kill();
    const hooks = result.data.flatMap((place) => place.hooks);
    const lines = hooks.map(({ key, currentHash }) => `\n[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${currentHash}"\n`);
    appendFileSync(codex.settings({ home }), lines.join(""));
  },
};
