// A scratch tree and the verdict of a hook on a command in it: a workspace with links and odd names, a place outside, a home.

import type { HostName } from "../../src/adapters/hook/host-table.ts";
import { hookHosts } from "../../src/adapters/hook/hosts/all.ts";
import { judgeCall, judgedOf } from "../../src/adapters/hook/judge-call.ts";
import { createGuard } from "../../src/core/guard/guard.ts";
import { callId } from "../../src/core/names.ts";
import { openSession } from "../../src/core/session/session.ts";
import { tree } from "../tree.ts";

/** What stands outside and must not come out. */
export const MARKER = /OUTSIDE-(?:FILE|HOME)|SHUT-SECRET/u;

export function commandScene() {
  return sceneIn(tree(SCENE), "ws");
}

const SCENE = [
  "ws/ok.txt: inside",
  "ws/package.json: {}",
  "ws/src/main.ts: 1",
  "ws/src/deep/er/x.ts: 2",
  "ws/src/(group)/page.tsx: 3",
  "ws/tool.py: print(1)",
  "ws/run.sh: true",
  "ws/app/__main__.py: print(1)",
  "ws/.env: SHUT-SECRET",
  "ws/.git/config: [core]",
  "ws/link => ../out/s",
  "ws/dirlink => ../out",
  "ws/16 => ../out/s",
  "ws/[x]l => ../out/s",
  "ws/file:/l => ../../out/s",
  "ws/~/l => ../../out/s",
  "ws/src/jump => deep/er",
  "out/s: OUTSIDE-FILE",
  "ws-old/s: OUTSIDE-FILE",
  "home/s: OUTSIDE-HOME",
  "home/.ssh/id_rsa: OUTSIDE-HOME",
];

/** The hook's verdicts in a tree of its own: `workspace` and `home` are directories of it. */
export function sceneIn(at: ReturnType<typeof tree>, place: string) {
  const workspace = at.path(place);
  const opened = openSession({ workspace, home: at.path("home"), ceilings: [at.root] });
  if (!opened.ok) throw new Error(opened.message);
  const { session } = opened;
  const guard = createGuard();
  const answer = (tool: string, input: object, host: HostName = "claude-code", more: object = {}) => {
    const hook_event_name = host === "cursor" ? "preToolUse" : "PreToolUse";
    const payload = { hook_event_name, session_id: "s", cwd: workspace, tool_name: tool, tool_input: input, ...more };
    const decoded = hookHosts[host].decode(payload);
    if (!decoded.ok) throw new Error(decoded.why);
    const judge = (access: Parameters<Parameters<typeof judgeCall>[2]["judge"]>[0]) =>
      judgedOf(guard.judge({ call: callId("t"), ...access }, session));
    return judgeCall(hookHosts[host], decoded.call, {
      workspace,
      home: session.home,
      lets: [],
      session,
      ask: null,
      judge,
      foreignServer: () => null,
    });
  };
  const verdict = async (command: string) => (await answer("Bash", { command })).verdict;
  return { at, workspace, home: session.home, answer, verdict };
}
