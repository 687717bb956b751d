// Grants that whoever starts the hook hands over: for the directory they were given for, by its birth where that is said.

import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { grow } from "../../../test/scene.ts";
import { hookHosts } from "./hosts/all.ts";
import { judgeInProcess } from "./in-process.ts";

const at = grow(["ws/", "home/granted/a.txt: GRANTED"]);
const dir = at.path("home/granted");
const { dev, ino, birthtimeMs: born } = statSync(dir);

test.each([
  ["by device, inode and birth", `${dev}:${ino}:${born}:${dir}`, true],
  ["by device and inode, where no birth is said", `${dev}:${ino}:${dir}`, true],
  ["with another birth", `${dev}:${ino}:${born + 1}:${dir}`, false],
  ["with another inode", `${dev}:${ino + 1}:${born}:${dir}`, false],
  ["on another device", `${dev + 1}:${ino}:${born}:${dir}`, false],
  ["with something that is no birth", `${dev}:${ino}:then:${dir}`, false],
  ["without a path", `${dev}:${ino}:${born}`, false],
])("a grant %s", async (_title, grant, passes) => {
  const host = hookHosts["claude-code"];
  const decoded = host.decode({ hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: `${dir}/a.txt` } });
  if (!decoded.ok) throw new Error(decoded.why);
  const around = {
    workspace: at.path("ws"),
    home: at.path("home"),
    env: {},
    platform: process.platform,
    lets: [],
    kept: null,
    isRecorded: false,
  };
  const { verdict } = await judgeInProcess(host, decoded.call, { ...around, attended: false, grants: [grant] });
  expect(["pass", "allow"].includes(verdict)).toBe(passes);
});
