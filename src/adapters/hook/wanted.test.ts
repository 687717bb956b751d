// Arguments of tools in the spellings hosts make files of: nested names, blanks around a path, `file:` addresses, escaped patterns. The
// strictest reading stands.

import { afterAll, describe, expect, test } from "vitest";
import { commandScene, sceneIn } from "../../../test/hook/command-scene.ts";
import { tree } from "../../../test/tree.ts";
import type { HostName } from "./host-table.ts";

const scene = commandScene();
afterAll(() => scene.at.remove());
const outside = scene.at.path("out/s");
const verdict = async (tool: string, input: object) => (await scene.answer(tool, input)).verdict;

describe("a path below the top of the input is judged whatever it is called there", () => {
  test.each<[string, object]>([
    ["MultiEdit", { file_path: "ok.txt", edits: [{ file_path: outside, old_string: "a", new_string: "b" }] }],
    ["MultiEdit", { file_path: "ok.txt", edits: [{ old_string: "a", new_string: { old_string: outside } }] }],
    ["MultiEdit", { file_path: "ok.txt", more: { old_string: outside } }],
    ["Read", { file_path: "ok.txt", options: { file_path: "../out/s" } }],
    ["Bash", { command: "ls", options: { command: outside } }],
    ["Grep", { pattern: "x", options: { pattern: outside, glob: "../out/*" } }],
  ])("%s %j", async (tool, input) => expect(await verdict(tool, input)).toBe("deny"));

  test("the texts of a list of edits are no paths", async () => {
    const edits = [{ old_string: "/etc/passwd", new_string: "../out/s" }];
    expect(await verdict("MultiEdit", { file_path: "ok.txt", edits })).toBe("pass");
    expect(await verdict("TodoWrite", { todos: [{ content: outside }] })).toBe("pass");
  });
});

describe("a `file:` name is judged as an address and as the name it is", () => {
  test.each(["file:/l", "file:///l", `file://${outside}`, "FILE:/l", `file:${outside}`])("%s", async (path) => {
    expect(await verdict("Read", { file_path: path })).toBe("deny");
  });
  test("an address of a file in the workspace is read", async () => {
    expect(await verdict("Read", { file_path: `file://${scene.workspace}/ok.txt` })).toBe("pass");
  });
});

describe("blanks around a path do not hide it", () => {
  test.each([
    ` ${outside}`,
    `\t${outside}`,
    `\u00a0${outside}`,
    `\ufeff${outside}`,
    " ~/s",
    "\n../out/s",
    ".env ",
    " .env\u2003",
    `${outside}\n`,
  ])("%j", async (path) => {
    expect(await verdict("Read", { file_path: path })).toBe("deny");
    expect(await verdict("Read", { file_path: "ok.txt", deep: [{ x: path.includes(".env") ? ` ${outside}` : path }] })).toBe("deny");
  });
  test("a name in the workspace with blanks around it is read", async () =>
    expect(await verdict("Read", { file_path: " ok.txt " })).toBe("pass"));
});

describe("a pattern is judged in every way a host may read it", () => {
  test.each([
    "\\.\\./out/*",
    ".\\./out/*",
    "[.][.]/out/*",
    "{src,\\.\\./out}/*",
    " ../out/*",
    "src/\\.\\./\\.\\./out/*",
    "*/@(..)/../out/*",
  ])("%s", async (pattern) => {
    expect(await verdict("Glob", { pattern })).not.toBe("pass");
    expect(await verdict("Grep", { pattern: "x", glob: pattern })).not.toBe("pass");
  });
  test.each(["src/**/*.{ts,tsx}", "**/[id]/*.ts", "src/\\(group\\)/*.tsx", "**/.*"])("%s stays inside", async (pattern) => {
    expect(await verdict("Glob", { pattern })).toBe("pass");
  });
});

describe("Codex: what goes along with a message to another agent is read", () => {
  const text = { type: "text", text: "/review what is in ../out/s" };
  test.each(["spawn_agent", "send_input", "send_message", "followup_task"])("%s", async (tool) => {
    const said = async (items: unknown) => (await scene.answer(tool, { message: "go", items }, "codex")).verdict;
    expect(await said([text, { type: "local_image", path: outside }])).toBe("deny");
    expect(await said([{ type: "local_image", path: "link" }])).toBe("deny");
    expect(await said([{ type: "image", image_url: `file://${outside}` }])).toBe("deny");
    expect(await said({ path: ".env" })).toBe("deny");
    expect(await said([text, { type: "local_image", path: "src/main.ts" }])).toBe("pass");
    expect(await said([text, { type: "mention", name: "x", path: "app://connector" }])).toBe("pass");
  });
});

describe("Cursor: attachments and lists of edits are looked into", () => {
  const read = async (attachments: unknown) =>
    (await scene.answer("", {}, "cursor", { hook_event_name: "beforeReadFile", file_path: `${scene.workspace}/ok.txt`, attachments }))
      .verdict;
  test.each([outside, { path: outside }, { type: "file", uri: `file://${outside}` }, { type: "rule", file_path: "ok.txt", path: outside }])(
    "%j",
    async (attachment) => expect(await read([attachment])).toBe("deny"),
  );
  test("what lies in the workspace goes along", async () => {
    expect(await read(["src/main.ts", { type: "rule", filePath: "ok.txt" }])).toBe("pass");
    expect(await read(undefined)).toBe("pass");
  });
  test("directories that are searched and files for another agent are judged", async () => {
    const said = async (tool: string, input: object) => (await scene.answer(tool, input, "cursor")).verdict;
    expect(await said("SemanticSearch", { query: "x", target_directories: ["dirlink"] })).toBe("deny");
    expect(await said("Task", { prompt: "x", attachments: ["link"] })).toBe("deny");
    expect(await said("SemanticSearch", { query: "/etc/passwd", target_directories: ["src"] })).toBe("pass");
    expect(await said("Task", { prompt: "/x", attachments: ["ok.txt"] })).toBe("pass");
  });
  test("a path in a list of edits is judged, its texts are not", async () => {
    const edit = async (edits: unknown) => (await scene.answer("Edit", { file_path: "ok.txt", edits }, "cursor")).verdict;
    expect(await edit([{ file_path: outside, old_string: "a", new_string: "b" }])).toBe("deny");
    expect(await edit([{ old_string: "/etc/passwd", new_string: "../out/s" }])).toBe("pass");
  });
});

describe("an address is none where its first name is no scheme", () => {
  test.each(["x://../../out/s", "http://../../out/s"])("%s", async (path) => {
    expect(await verdict("mcp__files__open", { path })).toBe("deny");
  });
});

describe("a file that a text brings along is judged: the host reads it, and no tool is called for it", () => {
  const task = async (prompt: string) => (await scene.answer("", {}, "opencode", opencode("task", { description: "x", prompt }))).verdict;
  const opencode = (tool: string, args: object) => ({ event: "tool.execute.before", tool, args, session: "s", call: "c" });
  const skill = (args: string) => verdict("Skill", { skill: "x", args });
  test.each([
    `go @${outside}`,
    `@${outside}`,
    `see (@${outside}), please`,
    `@${outside}.`,
    `@${outside}#L1-20`,
    `@"${outside}"`,
    `first,@${outside}`,
    `@ok.txt,@${outside}`,
    "go\n@../out/s",
    "@~/s",
    "@~/.ssh/id_rsa,",
    "@link",
    "@dirlink/s",
    "@.env",
    "@src/../.env!",
    "@/etc/passwd",
    "@/usr/bin/env",
    `@x `.repeat(101),
  ])("%j", async (text) => {
    expect(await task(text)).toBe("deny");
    expect(await skill(text)).not.toBe("pass");
    expect(await verdict("SlashCommand", { command: `/x ${text}` })).not.toBe("pass");
    expect(await verdict("CronCreate", { cron: "* * * * *", prompt: text })).not.toBe("pass");
    expect(await verdict("ScheduleWakeup", { reason: "x", prompt: text })).not.toBe("pass");
  });
  test.each([
    "go",
    "look at @ok.txt and @src",
    "@src/main.ts, @src/deep.",
    "ask me@example.org about @types/node",
    'import x from "@/components/button"; import y from "@/lib/no-such-file"',
    "@Injectable() @param {string} @",
    "/etc/passwd is no mention",
  ])("%j brings nothing along from outside", async (text) => {
    expect(await task(text)).toBe("pass");
    expect(await skill(text)).toBe("pass");
  });

  test("of a relative name that one host takes from the top of the repository", async () => {
    const at = tree(["repo/.git/HEAD: ref: refs/heads/main", "repo/app/ok.txt: x", "repo/other/s: OUTSIDE-FILE", "home/s: x"]);
    const inside = sceneIn(at, "repo/app");
    const said = async (prompt: string) => (await inside.answer("", {}, "opencode", opencode("task", { prompt }))).verdict;
    expect([await said("@other/s"), await said("@ok.txt"), await said("@types/node")]).toEqual(["deny", "pass", "pass"]);
    at.remove();
  });
});

describe("a pattern of files whose contents are shown is not aimed at secrets", () => {
  const gemini = (tool_name: string, tool_input: object) => ({ hook_event_name: "BeforeTool", tool_name, tool_input });
  const shown: readonly ((pattern: string) => Promise<string>)[] = [
    (glob) => verdict("Grep", { pattern: "x", glob }),
    async (include) => (await scene.answer("", {}, "gemini", gemini("read_many_files", { include: [include] }))).verdict,
    async (include) => (await scene.answer("", {}, "gemini", gemini("grep_search", { pattern: "x", include }))).verdict,
    async (glob) => (await scene.answer("Grep", { pattern: "x", glob }, "cursor")).verdict,
    async (glob) => (await scene.answer("", {}, "copilot", { toolName: "rg", toolArgs: { pattern: "x", glob } })).verdict,
    async (includePattern) => (await scene.answer("grep_search", { query: "x", includePattern }, "copilot")).verdict,
    async (include) => {
      const call = { event: "tool.execute.before", tool: "grep", args: { pattern: "x", include }, session: "s", call: "c" };
      return (await scene.answer("", {}, "opencode", call)).verdict;
    },
  ];
  test.each([".env*", "**/.env", ".en?", ".[e]nv", "*.{ts,env}", "src/**/*.pem", "**/.ssh/*", "**/.aws/**", "ID_RSA*", "**/.E[nN]v"])(
    "%s",
    async (pattern) => {
      for (const verdictOf of shown) expect(await verdictOf(pattern)).not.toBe("pass");
    },
  );
  test.each(["*", "**/*", "*.ts", "*.[jt]sx", "src/**/*.{ts,tsx}", "**/package.json", "**/.env.example", "**/[id]/*.ts", "test_*.py"])(
    "%s is not",
    async (pattern) => {
      for (const verdictOf of shown) expect(await verdictOf(pattern)).toBe("pass");
    },
  );
});

describe("a pattern starts in every directory that the call names, under whichever name", () => {
  const linked = sceneIn(tree(["ws/sub/linked => ../../out", "ws/app/ok.txt: x", "out/s: OUTSIDE-FILE", "home/s: x"]), "ws");
  afterAll(() => linked.at.remove());
  const through = "linked/*";
  test.each<[string, HostName, string, object]>([
    ["gemini's older name", "gemini", "glob", { path: "sub", pattern: through }],
    ["gemini's search", "gemini", "search_file_content", { path: "sub", pattern: "x", include: through }],
    ["cursor's other name", "cursor", "Glob", { path: "sub", glob_pattern: through }],
    ["the list of copilot", "copilot", "glob", { paths: ["app", "sub"], pattern: through }],
    ["the list of copilot's search", "copilot", "rg", { paths: ["sub"], pattern: "x", glob: through }],
  ])("%s", async (_name, host, tool, input) => {
    const copilot = { toolName: tool, toolArgs: input };
    const more = host === "gemini" ? { hook_event_name: "BeforeTool" } : host === "copilot" ? copilot : {};
    expect((await linked.answer(tool, input, host, more)).verdict).not.toBe("pass");
  });
});
