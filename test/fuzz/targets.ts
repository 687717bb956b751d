// What is fuzzed: each reader of text that others wrote, what its language is made of, and what must hold for every text.

import { spawnSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import { hookHosts } from "../../src/adapters/hook/hosts/all.ts";
import { parseRecord } from "../../src/adapters/hook/host-call.ts";
import { commandPaths } from "../../src/adapters/hook/shell/command-paths.ts";
import { parsePolicyText } from "../../src/config/load.ts";
import { readJsonc } from "../../src/config/jsonc.ts";
import { parseStrictJson } from "../../src/config/strict-json.ts";
import { gitDirectoryNamedIn, hooksPathsIn } from "../../src/core/policy/git-directory.ts";
import { rootIgnores } from "../../src/core/policy/gitignore.ts";
import { acp } from "./acp-door.ts";
import { http } from "./http-door.ts";
import { mcp } from "./mcp-door.ts";
import { hold, type Target } from "./target.ts";
import { websocket } from "./websocket-door.ts";

const places = { base: "/nowhere/ws", home: "/nowhere/home" };
const author = { file: "policy.jsonc", author: "operator", home: "/nowhere/home" } as const;

export const targets = {
  policy: {
    seeds: [
      '{ "read": { "~/notes/**": "allow", "*": "ask" }, "write": { "**/dist/**": "deny" } }',
      '// a comment\n{ "secrets": { "add": ["*.key"], "except": ["a.key"] }, "gitignored": "ask", "hardlinks": "deny", }',
      '{ "ceilings": ["~/src"], "projects": ["/srv/a"], "preset": "strict", "asks": "once", "permission": { "external_directory": { "*": "ask" } } }',
    ],
    words: [
      '"read"',
      '"write"',
      '"deny"',
      '"allow"',
      '"ask"',
      '"**"',
      '"~/"',
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "//",
      "/*",
      "*/",
      "null",
      "true",
      "\\u0000",
      '"why"',
      '"matches"',
      '"not"',
      '"protected"',
    ],
    check(text) {
      const parsed = parsePolicyText(text, author);
      hold(isDeepStrictEqual(parsed, parsePolicyText(text, author)), "the same text was read in two ways");
      if (!parsed.ok) return hold(parsed.errors.length > 0, "refused without a reason");
      const read = readJsonc(text.startsWith("\uFEFF") ? text.slice(1) : text, "policy.jsonc");
      hold(read.ok, "a policy that is no JSON was taken");
      if (!read.ok) return;
      const again = parsePolicyText(JSON.stringify(read.jsonc.value), author);
      hold(again.ok && again.part.layer.rules.length === parsed.part.layer.rules.length, "printed and read again it says something else");
    },
  },
  "git-directory": {
    seeds: [
      "[core]\n\thooksPath = .husky\n\tbare = false\n",
      '[branch "a b"]\n\tmerge = x ; c\n[core "x"] hookspath = "a;b" # c\n',
      "[user] [core]hooksPath=a\\\n b\n",
      "gitdir: ../a/.git\n",
    ],
    words: [
      "[",
      "]",
      "core",
      "[core]",
      "[core",
      "hooksPath",
      "HOOKSPATH",
      "=",
      '"',
      "\\",
      "\n",
      "\r\n",
      "\\\n",
      "#",
      ";",
      " ",
      "\t",
      "gitdir:",
      "a",
      ".",
      "\uFEFF",
      '"x"',
    ],
    check(text) {
      const named = gitDirectoryNamedIn(text);
      hold(
        named === null || (named !== "" && named === named.trim() && named.length <= 4096 && !named.includes("\n")),
        "no path was taken for one",
      );
      for (const path of hooksPathsIn(text)) hold(path !== "", "an empty directory of hooks");
    },
    judge(text) {
      if (text.includes("\0") || /include/i.test(text)) return;
      const git = spawnSync("git", ["config", "-f", "-", "--null", "--get-all", "core.hookspath"], {
        input: text,
        encoding: "utf8",
        cwd: "/",
      });
      if (git.status !== 0) return;
      const last = git.stdout.split("\0").at(-2) ?? "";
      hold(last === "" || hooksPathsIn(text).includes(last), `git takes hooks from ${JSON.stringify(last)}, and we do not know`);
    },
  },
  gitignore: {
    seeds: ["*.log\n!keep.log\n/build/\n", "a/**/b\n[a-z]?\\*\n# c\n\\#d \n", "**/x/\ndoc/**\n"],
    words: ["*", "**", "/", "!", "?", "[", "]", "[!a]", "[a-", "\\", "\n", "\r\n", " ", "#", "a", "b", "[[:alpha:]]", "é"],
    check(text) {
      const views = [rootIgnores(text), rootIgnores(text).enter("a", null).enter("b", null), rootIgnores(null).enter("a", text)];
      for (const view of views)
        for (const name of ["a", "b", "a.log", "é", "x".repeat(255)]) for (const dir of [true, false]) view.ignores(name, dir);
      const more = rootIgnores(`${text}\n# a comment\n`);
      hold(more.ignores("a", false) === rootIgnores(`${text}\n`).ignores("a", false), "a comment changed what is ignored");
    },
  },
  shell: {
    seeds: [
      "cat a.txt | grep -n x > out.txt 2>&1",
      "cd src && git show HEAD:a.ts; ls *.ts {a,b}",
      "for f in *.md; do sed -n '1,2p' \"$f\"; done",
      "cat <<'E'\nx\nE\n",
      "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"",
    ],
    words: [
      "|",
      "||",
      "&&",
      ";",
      "&",
      "(",
      ")",
      "{",
      "}",
      "$(",
      "${",
      "`",
      "'",
      '"',
      "\\",
      "\n",
      "<<E\n",
      "<<<",
      ">",
      ">>",
      "2>&1",
      "*",
      "[a-z]",
      "~",
      "../",
      "cd",
      "cat",
      "git",
      "sed",
      "awk",
      "xargs",
      "env",
      "--",
      "-C",
      "A=b",
      "if",
      "then",
      "fi",
      "for",
      "in",
      "do",
      "done",
      "$'",
      "!",
      "#",
      "curl",
      "-d",
      "@x",
    ],
    check(text) {
      const one = commandPaths(text, places);
      hold(
        one.accesses.every(({ path }) => typeof path === "string"),
        "a path that is none",
      );
      const two = commandPaths(`true\n${text}`, places);
      hold(
        one.doubts.length > 0 || two.doubts.length > 0 || two.accesses.length >= one.accesses.length,
        "a command before it took accesses away",
      );
    },
  },
  "json-lines": {
    seeds: ['{"id":1,"tool":"read_file","input":{"path":"a"}}', '{"a":[1,-2.5e3,"\\u0041\\n"],"b":{"c":null}}', "[]"],
    words: [
      '{"a":1}',
      '"a"',
      '"\\u0061"',
      ":",
      ",",
      "{",
      "}",
      "[",
      "]",
      "\\",
      '\\"',
      "1e5",
      "-0",
      "null",
      "true",
      " ",
      "\t",
      '"__proto__"',
      '"id"',
      "\u2028",
    ],
    check(text) {
      const read = parseStrictJson(text);
      let plain: unknown;
      try {
        plain = JSON.parse(text);
      } catch {
        return hold(!read.ok, "what is no JSON was taken");
      }
      if (!read.ok) return hold(/twice|nested/.test(read.why), "JSON was refused for another reason than its keys or its depth");
      hold(isDeepStrictEqual(read.value, plain), "it was read as something else");
      hold(parseStrictJson(JSON.stringify(read.value)).ok, "printed it is not taken again");
    },
  },
  "hook-payload": {
    seeds: Object.values(hookHosts).map((host) => JSON.stringify(host.sample({ path: "/nowhere/ws/a", cwd: "/nowhere/ws" }))),
    words: [
      '"tool_name"',
      '"tool_input"',
      '"cwd"',
      '"command"',
      '"path"',
      "null",
      "[]",
      "{}",
      '""',
      "1",
      "true",
      '"/etc/passwd"',
      '"Bash"',
      '"Read"',
      ",",
      ":",
      "{",
      "}",
      '"__proto__"',
      '"session_id"',
    ],
    check(text) {
      const payload = parseRecord(text);
      if (payload === null) return;
      for (const host of Object.values(hookHosts)) {
        const decoded = host.decode(payload);
        if (!decoded.ok) {
          hold(decoded.why !== "", `${host.name} refused without a reason`);
          continue;
        }
        const words = host.encode({ verdict: "deny", reason: "no", alert: null }, decoded.call);
        hold(host.blocks({ stdout: "", stderr: "", ...words }), `${host.name} would not stop at a deny`);
      }
    },
  },
  http,
  websocket,
  mcp,
  acp,
} as const satisfies Readonly<Record<string, Target>>;
