// hallpass tour: the boundary at work in a temporary directory. A workspace, a neighbour repository, secrets and links; seven
// decisions with their reasons, a race that is lost without the guard, and a grant that is given and revoked.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { callId } from "../../core/names.ts";
import type { Operation } from "../../core/access.ts";
import type { Decision } from "../../core/guard/decision.ts";
import { createGuard, type Guard } from "../../core/guard/guard.ts";
import { isInside } from "../../core/path/contain.ts";
import { openSession, type Session } from "../../core/session/session.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import type { Host } from "../host.ts";
import { type Paint, paintFor } from "../paint.ts";
import { explanation } from "./explain.ts";

export async function tour(_call: Call<"tour">, host: Host): Promise<number> {
  const paint = paintFor(host.output, host.env);
  const say = (text = ""): void => void host.output.write(`${text}\n`);
  const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-tour-")));
  try {
    plant(place);
    const opened = openSession({ workspace: join(place, "app"), ceilings: [place], home: host.home });
    if (!opened.ok) throw new Error(opened.message);
    const guard = createGuard();
    const right = await stations(guard, opened.session, place, say, paint);
    say(
      paint.dim(
        `The directory ${place} is removed again. To read on: README.md, docs/policy.md; try hallpass explain <path> in a repository of yours.`,
      ),
    );
    return right ? exitCodes.done : exitCodes.fault;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function plant(place: string): void {
  const put = (path: string, text: string): void => {
    mkdirSync(join(place, path, ".."), { recursive: true });
    writeFileSync(join(place, path), text);
  };
  put("app/src/main.ts", "export const answer = 42;\n");
  put("app/.env", "TOKEN=not-for-agents\n");
  put("app/package.json", "{}\n");
  put("library/.git/HEAD", "ref: refs/heads/main\n");
  put("library/go.mod", "module example.com/library\n");
  put("library/.env", "TOKEN=also-not\n");
  put("library/src/read.go", "package library\n");
  put("diary/2026.txt", "DEAR DIARY\n");
  symlinkSync(join(place, "diary/2026.txt"), join(place, "app/notes.txt"));
}

async function stations(guard: Guard, session: Session, place: string, say: (text?: string) => void, paint: Paint): Promise<boolean> {
  let all = true;
  const show = (title: string, decision: Decision, expected: Decision["verdict"]): void => {
    say(paint.bold(title));
    say(explanation(decision, paint).trimEnd());
    say();
    if (decision.verdict === "allow") decision.pass.close();
    all &&= decision.verdict === expected;
  };
  const judge = (operation: Operation, path: string, within = session): Decision =>
    guard.judge({ call: callId("tour"), tool: "tour", operation, path }, within);

  say(`An agent works in ${place}/app. A repository, library, stands beside it, and a diary that is nobody's business.\n`);
  show("1. A file in the workspace", judge("read", "src/main.ts"), "allow");
  show("2. A secret in the workspace", judge("read", ".env"), "deny");
  show("3. A link in the workspace that leads out of it: judged as what it leads to", judge("read", "notes.txt"), "deny");
  const decision = judge("read", "../library/go.mod");
  show("4. A file of the repository next door: a person is asked, and sees what a yes would open", decision, "ask");

  if (decision.verdict !== "ask") return false;
  const settled = guard.answer(session, decision.ask, { verdict: "allow", until: "session", by: "the tour" });
  if (!settled.ok) return false;
  say(paint.dim("   … the person says yes, for this session …\n"));
  show("5. The same file after the yes", judge("read", "../library/go.mod", settled.session), "allow");
  show("6. Writing there: a grant only reads", judge("replace", "../library/go.mod", settled.session), "deny");
  show("7. The repository's secrets stay hidden, grant or no grant", judge("read", "../library/.env", settled.session), "deny");

  const revoked = guard.revoke(settled.session, settled.grant.id, "the tour");
  show("The grant is revoked: the next read asks again", judge("read", "../library/go.mod", revoked), "ask");

  say(paint.bold("A race: something swaps a directory for a link to the diary, as fast as it can, while the agent reads"));
  const { reads, without, withGuard } = await race(guard, session, place);
  say(
    `  ${reads} reads, checked and then opened by name, as most agents do: ${without === 0 ? "0" : paint.red(String(without))} gave away the diary`,
  );
  say(`  ${reads} reads through the guard: ${withGuard === 0 ? paint.green("0") : paint.red(String(withGuard))} gave away the diary\n`);
  return all && withGuard === 0;
}

const READS = 4000;

/** One thread flips `d` and a link for as long as we read `d/f`; what is counted is how often the outside text came back. */
async function race(guard: Guard, session: Session, place: string): Promise<{ reads: number; without: number; withGuard: number }> {
  const workspace = session.workspace.dir;
  mkdirSync(join(workspace, "d"));
  writeFileSync(join(workspace, "d/f"), "inside");
  mkdirSync(join(place, "diary/d"));
  writeFileSync(join(place, "diary/d/f"), "DEAR DIARY");
  symlinkSync(join(place, "diary/d"), join(workspace, "l"));
  const flipper = new Worker(FLIPPER, { eval: true, workerData: workspace });
  await new Promise((resolve) => flipper.once("message", resolve));
  let unguardedEscapes = 0;
  let withGuard = 0;
  for (let at = 0; at < READS; at += 1) {
    try {
      const real = realpathSync(join(workspace, "d/f"));
      if (isInside(workspace, real) && readFileSync(join(workspace, "d/f"), "utf8") !== "inside") unguardedEscapes += 1;
    } catch {
      // Between two renames there is nothing under that name.
    }
    const used = await guard.use({ call: callId("tour"), tool: "tour", operation: "read", path: "d/f" }, session, (file) =>
      file.lend(1024, (bytes) => bytes.toString()),
    );
    if (used.verdict === "allow" && used.done.ok && used.done.value.ok && used.done.value.value !== "inside") withGuard += 1;
  }
  await flipper.terminate();
  return { reads: READS, without: unguardedEscapes, withGuard };
}

const FLIPPER = `
const { renameSync } = require("node:fs");
const { parentPort, workerData: at } = require("node:worker_threads");
parentPort.postMessage("ready");
const swap = (from, to) => renameSync(at + "/" + from, at + "/" + to);
for (;;) { swap("d", "t"); swap("l", "d"); swap("d", "l"); swap("t", "d"); }
`;
