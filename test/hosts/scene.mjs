// The scene of one run: an empty home with a workspace, repositories beside it, and a file of its own with a mark of its own for each call
// that is tried. What became of a call is told by its mark alone: in what was sent to the model, or in the file that was to be changed.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SETTINGS } from "./cases.mjs";

/** The host's key for its model, where it is in its own files and in no variable. */
export const LOGIN = "LOGIN-MARK-of-nobody";

const files = {
  "read, inside": "ws/inside-read.txt",
  "read, outside": "other/read.txt",
  "read, through a link": "other/read-link.txt",
  "read, a secret": "ws/read.env",
  "read, allowed by policy": "granted/granted.txt",
  "search, inside": "ws/search/a.txt",
  "search, outside": "other/search/a.txt",
  "search, through a link": "other/search-link/a.txt",
  "search, a secret among others": "ws/among/a.env",
  "environment, a secret": "ws/.env",
  "shell, inside": "ws/inside.txt",
  "shell, outside": "other/shell.txt",
  "shell, through a link": "other/shell-link.txt",
  "shell, hidden in a variable": "other/variable.txt",
  "shell, in another shell": "other/nested.txt",
  "shell, recursive search": "other/deep/a.txt",
  "shell, a secret": "ws/shell.env",
  "shell, a program of its own": "other/program.txt",
  "shell, allowed by policy": "granted/shell.txt",
  "shell, a command for its own rules": "ws/ruled.txt",
  "shell, rewritten by another hook": "other/rewritten.txt",
  "our tool, allowed by policy": "granted/ours.txt",
  "our tool, outside": "other/ours.txt",
  "words for a skill, a file": "other/skill.txt",
  "words for a sub-agent, a file": "other/prompt.txt",
  "a program of its own, answered with no": "shut/program.txt",
  "a program of its own, answered with yes": "open/program.txt",
  "a program of its own, granted": "open/program-after.txt",
  "a program of its own, sub-agent": "open/program-child.txt",
  "asked, nobody answers": "silent/a.txt",
  "asked, answered with no": "refused/a.txt",
  "before a yes": "asked/before.txt",
  "asked, answered with yes": "asked/middle.txt",
  "granted, another file": "asked/after.txt",
  "granted, its own reading tool": "asked/native.txt",
  "granted, search": "asked/search/a.txt",
  "granted, a secret there": "asked/secret.env",
  "granted, another repository": "other/elsewhere.txt",
  "granted to its parent, sub-agent": "asked/child.txt",
  "outside, sub-agent": "other/child.txt",
  "granted before it was started": "asked/again.txt",
  "revoked, reading": "asked/revoked.txt",
  "revoked, shell": "asked/revoked-shell.txt",
  "granted to the hook, our tool": "asked/ours.txt",
  "granted to our tool, its own tool": "ours/native.txt",
  "our tool, before a yes": "ours/before.txt",
  "our tool, answered with yes": "ours/after.txt",
  "our tool, a secret there": "ours/secret.env",
  "our tool, revoked": "ours/revoked.txt",
  "asked again, answered with yes": "late/a.txt",
  "granted, and the daemon killed": "late/b.txt",
};
const ENVIRONMENT = "environment, a secret";
const writes = {
  "write, inside": ["ws/write.txt", "ws/write-new.txt"],
  "write, a secret": ["ws/write.env", "ws/write-new.env"],
  "write, outside": ["other/write.txt", "other/write-new.txt"],
  "write, through a link": ["other/write-link.txt", "other/write-link-new.txt"],
  "shell, writing outside": ["other/shell-write.txt"],
  "granted, writing there": ["asked/write.txt", "asked/write-new.txt"],
};
export const markOf = (label) => `MARK-${label.replaceAll(/[^a-z]+/gu, "-")}-MARK`;
/** Names are told by the name itself. */
const NAME = "name-MARK-of-a-file.txt";

/** A new one below `runs`. */
export function buildScene(runs) {
  mkdirSync(runs, { recursive: true });
  const base = mkdtempSync(join(runs, "run-"));
  const home = join(base, "home");
  const put = (path, text) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  for (const [label, path] of Object.entries(files)) put(path, `${markOf(label)}\n`);
  put("ws/among/plain.txt", "MARK in a plain file\n");
  // As hosts read such a file.
  put(files[ENVIRONMENT], `FROM_FILE=${markOf(ENVIRONMENT)}\n`);
  for (const path of Object.values(writes).flat()) if (!path.includes("-new")) put(path, "before\n");
  put(`other/names/${NAME}`, "x");
  const places = ["ws", "other", "granted", "asked", "silent", "refused", "ours", "late", "shut", "open"];
  for (const place of places) put(`${place}/.git/HEAD`, "ref: refs/heads/main\n");
  put("ws/read.cjs", `console.log(require("fs").readFileSync("../other/program.txt", "utf8"));\n`);
  // In parts, so that no text of a command names it.
  for (const [name, path] of Object.entries({
    "read-no": "shut/program.txt",
    "read-yes": "open/program.txt",
    "read-after": "open/program-after.txt",
    "read-child": "open/program-child.txt",
    "read-rewritten": "other/rewritten.txt",
  }))
    put(`ws/${name}.cjs`, `console.log(require("fs").readFileSync("../${path}", "utf8"));\n`);
  put(".config/hallpass/policy.json", '{ "read": { "~/granted/**": "allow" } }\n');
  for (const dir of [".codex", ".gemini", ".claude", ".copilot", ".local", ".cache"]) mkdirSync(join(home, dir), { recursive: true });
  symlinkSync("../other", join(home, "ws", "link"));
  const at = (path) => join(home, path);
  return { base, home, at, fileOf: (label) => at(files[label]), workspace: at("ws") };
}

/** "reached the model", "written" or "held back". `again`: what was sent by the second run. */
export function whatBecame(label, { home, settings }, { sent, again }) {
  if (label === SETTINGS) return readFileSync(settings, "utf8").endsWith("\n\n\n") ? "written" : "held back";
  if (label === "its history") return again.includes(markOf("granted, another file")) ? "reached the model" : "held back";
  if (label === "its login") return sent.includes(LOGIN) ? "reached the model" : "held back";
  if (label.startsWith("names")) return sent.includes(NAME) ? "reached the model" : "held back";
  const places = writes[label];
  if (places !== undefined)
    return places.some((path) => existsSync(join(home, path)) && readFileSync(join(home, path), "utf8").includes("changed"))
      ? "written"
      : "held back";
  return sent.includes(markOf(label)) ? "reached the model" : "held back";
}
