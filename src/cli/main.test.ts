// The program as a whole, with streams and a home of the test's own: commands, flags, exit codes, colour.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { program, repository } from "../../test/line-process.ts";
import { grow, nothingStaysPinned } from "../../test/scene.ts";
import type { Tree } from "../../test/tree.ts";
import { readOptions } from "../adapters/hook/options.ts";
import { type CommandRow, commandTable, isCommandName } from "./command-table.ts";
import { commandHelp, fullHelp, help } from "./help.ts";
import type { Host } from "./host.ts";
import { run } from "./main.ts";
import { paintFor } from "./paint.ts";

nothingStaysPinned();

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: readonly (string | Buffer)[];
  readonly isTTY?: boolean;
}

async function hallpass(
  it: Tree,
  words: readonly string[],
  { env = {}, cwd = "ws", input = [], isTTY = false }: Setting = {},
): Promise<Ended> {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const said = { output: "", errors: "" };
  output.on("data", (data: Buffer) => (said.output += data.toString()));
  errors.on("data", (data: Buffer) => (said.errors += data.toString()));
  const host: Host = {
    cwd: it.path(cwd),
    home: it.path("home"),
    env,
    platform: "linux",
    input: Readable.from(input),
    output: Object.assign(output, { isTTY }),
    errors,
  };
  const code = await run(words, host);
  await new Promise((resolve) => setImmediate(resolve));
  return { code, ...said };
}

const spec = ["ws/a: 1", "ws/.env: S", "home/lib/.git/", "home/lib/a: 1", "home/notes: 1", "elsewhere/a: 1", "mnt/a: 1"];
const json = ({ output }: Ended) => JSON.parse(output) as Record<string, unknown>;

describe("help and mistakes", () => {
  test.each([[["policy", "lint", "-h"]], [["help", "policy"]]])("%o prints the command's own help", async (words) => {
    expect(await hallpass(grow(spec), words)).toEqual({ code: 0, output: commandHelp("policy"), errors: "" });
  });

  test.each([[["--help"]], [["-h"]], [["help"]], [["help", "--help"]]])("%o prints the first screen", async (words) => {
    expect(await hallpass(grow(spec), words)).toEqual({ code: 0, output: help(), errors: "" });
  });

  test("the first screen fits a small terminal, says what five commands do, and names every other one", () => {
    const lines = help().trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(23);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(79);
    expect(lines.filter((line) => /^ {2}hallpass [a-z]+ {2,}\S/u.test(line))).toHaveLength(5);
    for (const name of Object.keys(commandTable)) expect(help(), name).toMatch(new RegExp(`\\b${name}\\b`, "u"));
  });

  test("the whole help has a line for every command and every form of one", async () => {
    const { code, output } = await hallpass(grow(spec), ["help", "all"]);
    expect([code, output]).toEqual([0, fullHelp()]);
    for (const [name, row] of Object.entries<CommandRow>(commandTable)) {
      expect(output, name).toContain(`  hallpass ${name}`);
      for (const form of Object.keys(row.forms ?? {})) expect(output).toContain(`  hallpass ${name} ${form}  `);
    }
  });

  test("every command's own help names each of its flags", () => {
    for (const [name, row] of Object.entries<CommandRow>(commandTable))
      for (const [flag, { help: says }] of Object.entries(row.flags ?? {}))
        if (says !== undefined && isCommandName(name)) expect(commandHelp(name), name).toContain(`--${flag}`);
  });

  test.each([[["help", "explian"]], [["explian", "--help"]]])("%o: help about what is no command says so", async (words) => {
    const { code, output, errors } = await hallpass(grow(spec), words);
    expect([code, output]).toEqual([2, ""]);
    expect(errors).toMatch(/unknown command explian; did you mean explain\?/u);
  });

  test("the table of commands names the hook's own flags as the hook reads them", () => {
    const sample: Readonly<Record<string, string>> = { workspace: "/w", policy: "/p.json", let: "mcp__*", deadline: "5000" };
    const { canary: _canary, ...flags } = commandTable.hook.flags;
    for (const name of Object.keys(flags))
      expect(readOptions([`--${name}`, sample[name] ?? ""].filter(Boolean)), name).toMatchObject({ ok: true });
    expect(readOptions(["--nonsense", "/w"]).ok).toBe(false);
  });

  test.each([["--version"], ["-v"], ["version"]])("%s prints the version", async (word) => {
    const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
    expect(await hallpass(grow(spec), [word])).toEqual({ code: 0, output: `hallpass ${version}\n`, errors: "" });
  });

  test("a mistyped command is answered with what was meant", async () => {
    const { code, output, errors } = await hallpass(grow(spec), ["explian", "a"]);
    expect([code, output]).toEqual([2, ""]);
    expect(errors).toMatch(/explian.*explain/);
    expect(errors).toContain("hallpass --help");
  });

  test.each(["constructor", "__proto__", "toString", "xyzzy", "\u202e"])("`%s` is no command", async (name) => {
    const { code, errors } = await hallpass(grow(spec), [name]);
    expect(code).toBe(2);
    expect(errors).not.toContain("\u202e");
  });

  test.each<[string, readonly string[]]>([
    ["no path", ["check"]],
    ["two paths", ["check", "a", "b"]],
    ["an unknown flag", ["check", "a", "--force"]],
    ["an unknown operation", ["check", "a", "-o", "chmod"]],
    ["an operation that is a property of every object", ["check", "a", "-o", "constructor"]],
    ["a flag without its value", ["check", "a", "--workspace"]],
    ["a workspace that is not there", ["check", "a", "-w", "missing"]],
    ["a mount without a mode", ["check", "a", "--mount", "../mnt"]],
    ["a mount with another mode", ["check", "a", "--mount", "../mnt:rw"]],
    ["a mount that is not there", ["check", "a", "--mount", "../missing:extend"]],
    ["a grant that is not there", ["check", "a", "--grant", "../missing"]],
    ["a policy that is not there", ["check", "a", "--policy", "missing.json"]],
    ["words beside --stdin", ["check", "--stdin", "a"]],
    ["flags beside --stdin", ["check", "--stdin", "--unattended"]],
    ["explain with --stdin", ["explain", "--stdin"]],
    ["tool without --stdin", ["tool"]],
    ["stop with a word", ["stop", "extra"]],
    ["status with a word", ["status", "extra"]],
    ["version with a word", ["version", "extra"]],
    ["tool with more", ["tool", "--stdin", "x"]],
    ["policy without a word", ["policy"]],
    ["policy with another word", ["policy", "apply"]],
    ["policy with too many", ["policy", "lint", "a", "b"]],
    ["tour with words", ["tour", "x"]],
  ])("%s: exit code 2, a line that says what is wrong, and nothing on the output", async (_title, words) => {
    const { code, output, errors } = await hallpass(grow(spec), words);
    expect([code, output]).toEqual([2, ""]);
    expect(errors).toMatch(/^hallpass: .+\nTry hallpass \w+ --help\.\n$/s);
  });
});

describe("check", () => {
  test.each<[string, readonly string[], number, string, string]>([
    ["what is allowed", ["a"], 0, "allow", "in-workspace"],
    ["what is asked about", ["~/lib/a"], 10, "ask", "out-of-scope"],
    ["what is denied", [".env"], 20, "deny", "secret-file"],
    ["what is no path", ["a\0b"], 20, "deny", "invalid-path"],
    ["writing", ["a", "-o", "replace"], 0, "allow", "in-workspace"],
    ["writing outside", ["~/lib/a", "--operation", "create"], 20, "deny", "write-out-of-scope"],
    ["another workspace", ["a", "-w", "../mnt"], 0, "allow", "in-workspace"],
    ["a grant", ["~/lib/a", "--grant", "../home/lib"], 0, "allow", "in-grant"],
    ["a mount", ["../mnt/a", "--mount", "../mnt:read_only"], 0, "allow", "in-mount"],
    ["a mount and its mode", ["../mnt/a", "-o", "replace", "--mount", "../mnt:read_only"], 20, "deny", "read-only-mount"],
    ["a project", ["../elsewhere/a", "--project", "../elsewhere", "--ceiling", ".."], 10, "ask", "out-of-scope"],
    ["a ceiling", ["~/lib/a", "--ceiling", "../elsewhere"], 20, "deny", "out-of-whitelist"],
    ["nobody there", ["~/lib/a", "--unattended"], 20, "deny", "no-prompt-channel"],
  ])("%s", async (_title, words, code, verdict, reason) => {
    const ended = await hallpass(grow(spec), ["check", ...words]);
    expect([ended.code, json(ended)["verdict"], json(ended)["reason"], ended.errors]).toEqual([code, verdict, reason, ""]);
  });

  test("the answer is one line with the whole decision", async () => {
    const it = grow(spec);
    const ended = await hallpass(it, ["check", "../home/lib/a"]);
    expect(ended.output.endsWith("}\n") && ended.output.split("\n").length).toBe(2);
    const { trace, ...rest } = json(ended);
    expect(rest).toEqual({
      verdict: "ask",
      reason: "out-of-scope",
      requested: "../home/lib/a",
      real: it.path("home/lib/a"),
      root: null,
      proposal: it.path("home/lib"),
      offers: "session",
      flags: [],
    });
    expect((trace as { at: string }[]).map(({ at }) => at)).toEqual(["resolve", "scope", "propose"]);
  });

  test("the ceilings of the environment hold", async () => {
    const it = grow([...spec, "elsewhere/.git/"]);
    const whitelist = (places: string) => hallpass(it, ["check", "../elsewhere/a"], { env: { PROJECT_ROOT_WHITELIST: places } });
    expect((await whitelist(it.root)).code).toBe(10);
    expect((await whitelist(`${it.path("home")}:${it.root}`)).code).toBe(10);
    expect((await whitelist(it.path("home"))).code).toBe(20);
    expect((await hallpass(it, ["check", "~/lib/a"], { env: { PROJECT_ROOT_WHITELIST: it.path("mnt") } })).code).toBe(20);
  });

  test("the operator's policy is found in the configuration directory, or where it is said to be; the repository's tightens", async () => {
    const it = grow([
      ...spec,
      'home/.config/hallpass/policy.json: {"read": {"~/notes": "allow"}}',
      'other.json: {"read": {"~/notes": "deny"}}',
    ]);
    const verdict = async (...words: string[]) => json(await hallpass(it, ["check", ...words]))["reason"];
    expect(await verdict("~/notes")).toBe("policy-allow");
    expect(await verdict("~/notes", "--policy", "../other.json")).toBe("policy-deny");
    mkdirSync(it.path("ws/.hallpass"));
    writeFileSync(it.path("ws/.hallpass/policy.json"), '{"read": {"~/notes": "ask", "a": "deny"}}');
    expect([await verdict("~/notes"), await verdict("a")]).toEqual(["policy-ask", "policy-deny"]);
  });

  test("--json says the same as without it, and lets explain speak to programs", async () => {
    const it = grow(spec);
    const plain = await hallpass(it, ["check", ".env"]);
    expect(json(plain)["reason"]).toBe("secret-file");
    expect((await hallpass(it, ["check", "--json", ".env"])).output).toBe(plain.output);
    expect((await hallpass(it, ["explain", "--json", ".env"])).output).toBe(plain.output);
  });

  test("what a policy's `*` asks about is asked about, and explained so, where nothing can be granted too", async () => {
    const it = grow([...spec, 'home/.config/hallpass/policy.json: {"permission": {"external_directory": {"read": {"*": "ask"}}}}']);
    const reason = json(await hallpass(it, ["check", "/etc/hostname"]));
    expect([reason["verdict"], reason["reason"]]).toEqual(["ask", "policy-ask"]);
    const { output } = await hallpass(it, ["explain", "/etc/hostname"]);
    expect(output).toContain("ask  policy-ask");
    expect(output).toContain("the last word of the operator's policy, `*`, says ask");
    expect(output).toContain("a yes for once lets it read this path and nothing else");
  });

  test("`~` in a policy means the home directory by its real name", async () => {
    const it = grow([
      "ws/a: 1",
      "data/ada/private/x: 1",
      "data/ada/.git/",
      "home => data/ada",
      'p.json: {"read": {"~/private/**": "deny", "*": "allow"}}',
    ]);
    const ended = await hallpass(it, ["check", "~/private/x", "--policy", "../p.json"]);
    expect(json(ended)["reason"]).toBe("policy-deny");
  });

  test("a malformed policy is an error with file, line and column, and nothing is judged", async () => {
    const it = grow([...spec, 'bad.json: {\n  "raed": "allow"\n}\n']);
    const { code, output, errors } = await hallpass(it, ["check", "a", "--policy", "../bad.json"]);
    expect([code, output]).toEqual([2, ""]);
    expect(errors).toContain(`${it.path("bad.json")}:2:`);
    expect(errors).toContain("invalid-policy");
  });
});

describe("check --stdin and tool --stdin", () => {
  test("answer lines with lines, in order", async () => {
    const it = grow(spec);
    const workspace = it.path("ws");
    const lines = [
      { id: 1, workspace, operation: "read", path: "a" },
      { id: "two", workspace, operation: "read", path: ".env" },
      { id: null, workspace, operation: "replace", path: "a" },
    ];
    const ended = await hallpass(it, ["check", "--stdin"], { input: lines.map((line) => `${JSON.stringify(line)}\n`) });
    const answers = ended.output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect([ended.code, ended.errors]).toEqual([0, ""]);
    expect(answers.map(({ id, verdict, reason }) => [id, verdict, reason])).toEqual([
      [1, "allow", "in-workspace"],
      ["two", "deny", "secret-file"],
      [null, "allow", "in-workspace"],
    ]);
  });

  test("tools are run, and a line that is none is a failed call", async () => {
    const it = grow(spec);
    const workspace = it.path("ws");
    const lines = [
      JSON.stringify({ id: 1, workspace, tool: "read_file", input: { path: "a" } }),
      "not json",
      JSON.stringify({ id: 3, workspace, tool: "grep", input: { pattern: "1" } }),
    ];
    const ended = await hallpass(it, ["tool", "--stdin"], { input: [lines.join("\n")] });
    const answers = ended.output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(answers[0]).toEqual({ id: 1, ok: true, output: { path: it.path("ws/a"), content: "1", bytes_read: 1 } });
    expect(answers[1]).toMatchObject({
      id: null,
      ok: false,
      code: "bad-request",
      category: "invalid-input",
      verdict: null,
      error: { code: "bad-request" },
    });
    expect(answers[2]).toMatchObject({ id: 3, ok: true });
  });

  test("an ask tells the proposal, and not the ask itself, which is for whoever can put it to a person", async () => {
    const it = grow(spec);
    const line = JSON.stringify({ id: 1, workspace: it.path("ws"), home: it.path("home"), tool: "read_file", input: { path: "~/lib/a" } });
    const ended = await hallpass(it, ["tool", "--stdin"], { input: [line] });
    expect(json(ended)).toMatchObject({ ok: false, code: "out-of-scope", verdict: "ask", proposal: it.path("home/lib") });
    expect(json(ended)).not.toHaveProperty("ask");
  });

  test("grants that are lost are told", async () => {
    const it = grow(spec);
    const line = JSON.stringify({
      id: 1,
      workspace: it.path("ws"),
      grants: [it.path("gone"), it.path("home/lib")],
      operation: "read",
      path: "../home/lib/a",
    });
    const ended = await hallpass(it, ["check", "--stdin"], { input: [line] });
    expect(json(ended)).toMatchObject({ verdict: "allow", reason: "in-grant", lost: [it.path("gone")] });
  });
});

describe("explain", () => {
  test("says of what is allowed that it is not there, or is something else", async () => {
    const it = grow(["ws/dir/a: 1", "home/"]);
    expect((await hallpass(it, ["explain", "missing.txt"])).output).toContain("• it does not exist");
    expect((await hallpass(it, ["explain", "dir"])).output).toContain("• it is a directory");
    expect((await hallpass(it, ["explain", "-o", "read", "dir/a"])).output).not.toContain("•");
    expect((await hallpass(it, ["explain", "-o", "create", "missing.txt"])).output).not.toContain("•");
  });

  test("says of what may be read whether it may be written too, unless one operation is asked about", async () => {
    const it = grow(["ws/dir/a: 1", "ws/.git/HEAD: x", "ws/link => dir/a", "home/"]);
    const said = async (...words: readonly string[]) => (await hallpass(it, ["explain", ...words])).output;
    expect(await said("dir/a")).toContain("• writing it is allowed too");
    expect(await said("dir/new")).toContain("• writing it is allowed too");
    expect(await said(".git/hooks/pre-commit")).toContain("• writing it is denied (protected-path)");
    expect(await said("link")).toContain("• writing it is denied (symlink-write)");
    expect(await said("dir")).not.toContain("writing");
    expect(await said("--operation", "read", "dir/a")).not.toContain("writing");
  });

  const escape = "\u001b[";

  test("says verdict, reason and every step, in plain text where it is piped", async () => {
    const it = grow(spec);
    const { code, output } = await hallpass(it, ["explain", "../home/lib/a"]);
    expect(code).toBe(10);
    expect(output).not.toContain(escape);
    for (const fact of ["? ask  out-of-scope", "../home/lib/a", "1. ", "2. ", "3. ", it.path("home/lib"), ".git"])
      expect(output).toContain(fact);
  });

  test.each<[string, Setting, boolean]>([
    ["at a terminal", { isTTY: true }, true],
    ["at a terminal with NO_COLOR", { isTTY: true, env: { NO_COLOR: "1" } }, false],
    ["at a terminal with an empty NO_COLOR", { isTTY: true, env: { NO_COLOR: "" } }, true],
    ["at a dumb terminal", { isTTY: true, env: { TERM: "dumb" } }, false],
    ["piped with FORCE_COLOR", { env: { FORCE_COLOR: "1" } }, true],
    ["piped with FORCE_COLOR=0", { env: { FORCE_COLOR: "0" } }, false],
    ["piped with an empty FORCE_COLOR", { env: { FORCE_COLOR: "" } }, false],
  ])("%s", async (_title, setting, coloured) => {
    const { output } = await hallpass(grow(spec), ["explain", ".env"], setting);
    expect(output.includes(escape)).toBe(coloured);
    expect(output.replaceAll(/\u001b\[\d+m/g, "")).toContain("✗ deny  secret-file");
  });

  test("answers with the verdict's exit code", async () => {
    const it = grow(spec);
    const codes = await Promise.all(["a", "~/lib/a", ".env"].map(async (path) => (await hallpass(it, ["explain", path])).code));
    expect(codes).toEqual([0, 10, 20]);
  });

  test("shows nothing unusual as it is", async () => {
    const { output } = await hallpass(grow(spec), ["explain", "a\u202e\u001b[31m\n"]);
    expect(output).not.toMatch(/[\u202e\u001b]/);
    expect(output).toContain("\\u{202e}\\u{1b}[31m\\u{a}");
  });

  test("paint opens and closes what it paints", () => {
    const paint = paintFor({ isTTY: true }, {});
    expect([paint.bold("x"), paint.dim("x"), paint.green("x"), paint.yellow("x"), paint.red("x")]).toEqual([
      "\u001b[1mx\u001b[22m",
      "\u001b[2mx\u001b[22m",
      "\u001b[32mx\u001b[39m",
      "\u001b[33mx\u001b[39m",
      "\u001b[31mx\u001b[39m",
    ]);
  });
});

describe("policy", () => {
  test("lint has nothing to say about a plain policy, and tells how much there is", async () => {
    const it = grow([...spec, 'p.json: {"read": {"~/notes": "allow"}}']);
    const { code, output } = await hallpass(it, ["policy", "lint", "../p.json"]);
    expect([code, output.split("\n").length]).toEqual([0, 2]);
    expect(output).toContain("1 policy, 1 rule, ");
  });

  test("lint tells what can never match, with its place", async () => {
    const it = grow([...spec, 'p.json: {\n  "read": {\n    "~/**": "allow",\n    "~/notes": "allow"\n  }\n}\n']);
    const { code, output } = await hallpass(it, ["policy", "lint", "../p.json"]);
    expect(code).toBe(1);
    expect(output).toContain(`${it.path("p.json")}:4:`);
  });

  test("lint tells what a repository may not say", async () => {
    const it = grow([...spec, 'ws/.hallpass/policy.json: {"read": {"~/notes": "allow"}}']);
    const { code, output } = await hallpass(it, ["policy", "lint"]);
    expect(code).toBe(1);
    expect(output).toContain(it.path("ws/.hallpass/policy.json"));
  });

  test("lint tells errors with file, line and column; print does the same in their place", async () => {
    const it = grow([...spec, 'p.json: {\n  "read": "maybe",\n  "wirte": "ask"\n}\n']);
    for (const word of ["lint", "print"]) {
      const { code, output } = await hallpass(it, ["policy", word, "../p.json"]);
      expect(code).toBe(2);
      expect(output).toContain(`${it.path("p.json")}:2:`);
      expect(output).toContain(`${it.path("p.json")}:3:`);
      expect(output).toContain("2 errors");
    }
  });

  test("print shows the policy in force as JSON", async () => {
    const it = grow([...spec, 'p.json: {"gitignored": "ask", "ceilings": "~"}']);
    const ended = await hallpass(it, ["policy", "print", "../p.json"]);
    expect([ended.code, json(ended)["gitignored"], json(ended)["ceilings"]]).toEqual([0, "ask", [it.path("home")]]);
    expect((await hallpass(it, ["policy", "print"])).code).toBe(0);
  });

  test("schema is the published one", () => {
    const printed = execFileSync(process.execPath, [program, "policy", "schema"], { encoding: "utf8" });
    expect(printed).toBe(readFileSync(join(repository, "policy.schema.json"), "utf8"));
  });
});

describe("the program itself", () => {
  test("ends with the verdict's exit code, and quietly when its reader has seen enough", () => {
    const it = grow(spec);
    const env = { PATH: process.env["PATH"] ?? "", HOME: it.path("home") };
    const ended = spawnSync(process.execPath, [program, "check", ".env"], { cwd: it.path("ws"), env, encoding: "utf8" });
    expect([ended.status, JSON.parse(ended.stdout) as object, ended.stderr]).toMatchObject([20, { verdict: "deny" }, ""]);
    const piped = spawnSync("sh", ["-c", `"$0" "$1" explain .env; echo "exit $?" >&2`, process.execPath, program], {
      cwd: it.path("ws"),
      env,
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
    });
    expect(piped.stderr).toBe("exit 20\n");
    const headed = spawnSync("bash", ["-c", `{ "$0" "$1" tour; echo "exit $?" >&2; } | head -n 1 > /dev/null`, process.execPath, program], {
      cwd: it.path("ws"),
      env: { ...env, TMPDIR: it.root },
      encoding: "utf8",
    });
    expect(headed.stderr).toBe("exit 0\n");
    expect(readdirSync(it.root).filter((name) => name.startsWith("hallpass-tour"))).toEqual([]);
  });
});
