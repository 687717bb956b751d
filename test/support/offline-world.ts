// A small machine for the built-in agent: a shop that it works in, two repositories beside it, and a person who allows what is asked for.

import { callId } from "../../src/core/names.ts";
import { doAtOnce } from "../../src/core/steps.ts";
import { guideTurn } from "../../src/agent/models/offline.ts";
import type { Message, CallOutcome } from "../../src/agent/transcript.ts";
import { nearNames } from "../../src/tools/near.ts";

const SHOP = "/home/me/code/shop";
const manifest = JSON.stringify({ name: "shop", version: "1.2.3", scripts: { test: "vitest" }, devDependencies: { vitest: "^4.0.0" } });
const files: Readonly<Record<string, string>> = {
  [`${SHOP}/README.md`]: "# Shop\n",
  [`${SHOP}/package.json`]: manifest,
  [`${SHOP}/tsconfig.json`]: "{}\n",
  [`${SHOP}/LICENSE`]: "MIT\n",
  [`${SHOP}/CHANGELOG.md`]: "# Changes\n",
  [`${SHOP}/Dockerfile`]: "FROM node\n",
  [`${SHOP}/.gitignore`]: "node_modules\n",
  [`${SHOP}/.env`]: "STRIPE_SECRET=1\n",
  [`${SHOP}/.env.example`]: "STRIPE_SECRET=\n",
  [`${SHOP}/notes.txt`]: "one\ntwo\n",
  [`${SHOP}/src/index.ts`]: "export {};\n",
  [`${SHOP}/src/cart.ts`]: "// TODO round\nexport const total = 1;\n",
  [`${SHOP}/src/utils.ts`]: "export const formatPrice = 1;\n",
  [`${SHOP}/src/cart/total.ts`]: "export {};\n",
  [`${SHOP}/test/cart.test.ts`]: "export {};\n",
  [`${SHOP}/docs/guide.md`]: "# Guide\n",
  "/home/me/code/api/go.mod": "module api\n",
  "/home/me/code/api/README.md": "# API\n",
  "/home/me/code/api/main.go": "package main\n",
  "/home/me/code/design-system/package.json": "{}\n",
  "/home/me/code/design-system/README.md": "# Design\n",
};
/** The names of the tools that are offered. */
export const offeredNames = [
  "read_file",
  "list_dir",
  "find_files",
  "grep",
  "write_file",
  "edit_file",
  "bash",
  "list_access",
  "spawn_agent",
  "request_read_access",
];

type Input = Readonly<Record<string, string | number | boolean | undefined>>;
const ok = (output: unknown): CallOutcome => ({ ok: true, output: typeof output === "string" ? output : JSON.stringify(output) });
const no = (code: Extract<CallOutcome, { ok: false }>["code"], hint = ""): CallOutcome => ({ ok: false, code, hint });

function absolute(path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : path.startsWith("~") ? `/home/me${path.slice(1)}` : `${SHOP}/${path}`).split("/"))
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  return `/${parts.join("/")}`;
}

const below = (dir: string): readonly string[] => Object.keys(files).filter((file) => file.startsWith(`${dir}/`));

/** The answers of the tools, in one chat. */
function machine(): (name: string, input: Input) => CallOutcome {
  const granted = new Set([SHOP]);
  return (name, input) => {
    const path = absolute(String(input["path"] ?? "."));
    if (name === "bash") return ok({ exit_code: 0, stdout: "done\n", stderr: "", notes: [] });
    if (name === "list_access") return ok({ roots: [] });
    if (name === "write_file") return ok({ path, bytes_written: 1, created: true });
    if (name === "edit_file") return ok({ path, replaced: 1 });
    const repository = /^\/home\/me\/code\/[^/]+/.exec(path)?.[0] ?? "";
    if (name === "request_read_access") return granted.add(repository) && ok(`granted: ${repository}`);
    if (repository === "" || below(repository).length === 0)
      return no("no-grant-root", `\`${path}\` is in no project or repository that could be granted.`);
    if (!granted.has(repository)) return no("out-of-scope", `request_read_access({"path": ${JSON.stringify(path)}, "reason": ""})`);
    if (path.endsWith("/.env")) return no("secret-file");
    const inside = below(path);
    const content = files[path];
    if (name === "grep") return ok({ path, matches: [{ file: "a", line: 1, text: "x" }], withheld: 0 });
    if (name === "find_files") {
      // A name, or a part of one; any other pattern finds two files.
      const part = /^(\*?)([\w.]+)\1$/.exec(String(input["pattern"]));
      const isMeant = (file: string): boolean => part === null || (part[1] === "" ? file === part[2] : file.includes(part[2] ?? ""));
      const names = part === null ? ["CHANGELOG.md", "README.md"] : inside.map((file) => file.slice(path.length + 1));
      return ok({ path, files: names.filter((file) => isMeant(file.slice(file.lastIndexOf("/") + 1))), withheld: 0 });
    }
    if (name === "list_dir") {
      const names = [...new Set(inside.map((file) => file.slice(path.length + 1).split("/")[0] ?? ""))];
      const entries = names.map((one) => ({ name: one, kind: files[`${path}/${one}`] === undefined ? "dir" : "file" }));
      return content !== undefined
        ? no("not-directory")
        : entries.length === 0
          ? no("not-found")
          : ok({ path, entries, total: entries.length });
    }
    if (content === undefined && inside.length > 0) return no("is-directory");
    const dir = path.slice(0, path.lastIndexOf("/"));
    const near = nearNames(
      path.slice(dir.length + 1),
      below(dir).map((file) => file.slice(dir.length + 1)),
    );
    if (content === undefined)
      return no("not-found", near.length === 0 ? "" : `Did you mean ${near.map((one) => `\`${one}\``).join(", ")}?`);
    if (typeof input["offset"] !== "number") return ok({ path, content, bytes_read: content.length });
    const lines = content.replace(/\n$/, "").split("\n");
    const from = input["offset"];
    const shown = lines.slice(from - 1, from - 1 + Number(input["limit"]));
    return ok({
      path,
      content: shown.map((line) => `${line}\n`).join(""),
      bytes_read: 1,
      from,
      to: from + shown.length - 1,
      total_lines: lines.length,
    });
  };
}

/** A call in a few words: the name of the tool, and everything it was given. */
function brief(name: string, input: Input): string {
  const { path, ...rest } = input;
  switch (name) {
    case "read_file":
      return `read_file ${String(path)}${rest["offset"] === undefined ? "" : ` ${String(rest["offset"])}+${String(rest["limit"])}`}`;
    case "grep": {
      const { pattern, literal, ignore_case: anyCase, glob } = rest;
      return `grep ${String(path)} ${String(pattern)}${literal === true ? "" : " -E"}${anyCase === true ? " -i" : ""}${glob === undefined ? "" : ` ${String(glob)}`}`;
    }
    case "find_files":
      return `find_files ${String(path)} ${String(rest["pattern"])}`;
    case "write_file":
      return `write_file ${String(path)} = ${String(rest["content"])}`;
    case "edit_file":
      return `edit_file ${String(path)}: ${String(rest["old"])} -> ${String(rest["new"])}${rest["all"] === true ? " (all)" : ""}`;
    case "bash":
      return `bash ${String(rest["command"])}${rest["cwd"] === undefined ? "" : ` @${String(rest["cwd"])}`}`;
    case "request_read_access":
      return `ask ${String(path)}`;
    default:
      return [name, path, ...Object.values(rest)].filter((one) => one !== undefined).join(" ");
  }
}

const kinds: readonly (readonly [string, RegExp])[] = [
  ["(greeting)", /^Hello\./],
  ["(help)", /^I am the guide/],
  ["(thanks)", /^You are welcome/],
  ["(yes)", /^There is nothing open/],
  ["(no)", /^All right, I leave it/],
  ["(no network)", /^I cannot reach the network/],
  ["(how to write)", /^I write what I am given/],
  ["(how to allow)", /^Ask me for a file there/],
  ["(undo)", /^I undo nothing by myself/],
  ["(own changes)", /^I changed no file|^In this chat I wrote|^I wrote no file/],
  ["(unclear)", /I did not (?:understand|find a request)/],
  ["(left alone)", /I left that alone/],
];

/** Say these things one after the other, joined by `=>`: the calls for the last one, and the kind of answer where it is no result. */
export function converse(messages: string): readonly string[] {
  const use = machine();
  const transcript: Message[] = [];
  let done: string[] = [];
  for (const [at, text] of messages.split(" => ").entries()) {
    transcript.push({ role: "person", id: `p${at}`, at, text });
    done = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const { text: said, calls } = doAtOnce(
        guideTurn({ transcript, tools: offeredNames.map((name) => ({ name, description: "", schema: {} })) }),
      );
      const made = calls.map(({ name, input }, index) => {
        done.push(brief(name, input as Input));
        return { id: callId(`c${at}-${turn}-${index}`), name, input, state: { at: "done" as const, outcome: use(name, input as Input) } };
      });
      transcript.push({ role: "agent", id: `a${at}-${turn}`, at, text: said, calls: made, usage: null, error: null });
      if (calls.length > 0) continue;
      done.push(...kinds.filter(([, pattern]) => pattern.test(said)).map(([kind]) => kind));
      break;
    }
  }
  return done;
}
