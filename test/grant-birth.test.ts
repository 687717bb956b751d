// A grant is for the directory it was given for, from the ask to the store and back: also where another one has its inode by now, where
// there is no time of birth to tell, and where the file system gives a directory another one.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "libsql";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent } from "../src/agent/agent.ts";
import { scriptedModel } from "../src/agent/models/scripted.ts";
import { compilePolicy } from "../src/core/policy/compile.ts";
import { emptyPolicy } from "../src/core/policy/rule.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import type { Said } from "./support/birth-process.ts";
import { replaceWithSameInode, reusingSoil, whereInodeComesBack } from "./support/same-inode.ts";
import { tree, type Tree } from "./tree.ts";

const soil = await reusingSoil();
const home = "/home/nobody-here";

function grown(spec: readonly string[]): Tree {
  const at = tree(spec, soil ?? undefined);
  onTestFinished(at.remove);
  return at;
}

describe.skipIf(soil === null)("after a restart", () => {
  /** What a process does with the chat in the store of the tree: takes it up where it is. */
  async function run<T>(
    at: Tree,
    work: (agent: ReturnType<typeof createAgent>, store: Awaited<ReturnType<typeof openSqliteStore>>) => Promise<T>,
  ) {
    const read = { calls: [{ name: "read_file", input: { path: at.path("r/x") } }] };
    const request = { calls: [{ name: "request_read_access", input: { path: at.path("r/x"), reason: "to compare" } }] };
    const store = await openSqliteStore({ file: at.path("db/hallpass.db") });
    const policy = compilePolicy({ ...emptyPolicy, ceilings: [at.root] }, home);
    const agent = createAgent({ store, model: scriptedModel([request, read, "ok", read, "done"]), home, policyFor: () => policy });
    try {
      return await work(agent, store);
    } finally {
      await agent.close();
      await store.close();
    }
  }

  async function exchanged(forget: boolean) {
    const at = grown(["ws/", "db/", "r/.git/", "r/x: SHOWN"]);
    const chat = await run(at, async (agent, store) => {
      const session = await agent.newSession({ workspace: at.path("ws") });
      const { id } = await agent.newChat(session.id);
      await agent.say(id, "go");
      const [ask] = await store.asks({ session: session.id, state: "open" });
      await agent.answer(ask!.id, { verdict: "allow", until: "session", by: "me" });
      await agent.settled();
      expect((await store.grants(session.id)).map(({ born }) => born)).toEqual([statSync(at.path("r")).birthtimeMs]);
      return id;
    });
    await replaceWithSameInode(at.path("r"));
    mkdirSync(at.path("r/.git"));
    writeFileSync(at.path("r/x"), "OTHER");
    if (forget) {
      const database = new Database(at.path("db/hallpass.db"));
      database.exec("UPDATE grants SET born = NULL");
      database.close();
    }
    return run(at, async (agent, store) => {
      await agent.say(chat, "again");
      return (await store.transcript(chat))
        .flatMap((message) => (message.role === "agent" ? message.calls : []))
        .flatMap(({ state }) => (state.at === "done" ? [state.outcome] : []));
    });
  }

  test("a repository that was removed and made anew with the same inode is not granted", async () => {
    const [asked, first, second] = await whereInodeComesBack(() => exchanged(false));
    expect([asked, first]).toMatchObject([{ ok: true }, { ok: true, output: expect.stringContaining("SHOWN") }]);
    expect(second).toMatchObject({ ok: false, code: "grant-stale" });
  });

  test("by device and inode alone, as grants stored before are known, it is read", async () => {
    const [, , second] = await whereInodeComesBack(() => exchanged(true));
    expect(second).toMatchObject({ ok: true, output: expect.stringContaining("OTHER") });
  });
});

describe("where births are not what they seem", () => {
  const program = join(import.meta.dirname, "support/birth-process.ts");
  const spec = ["ws/", "home/", "lib/.git/", "lib/a.ts: A"];
  const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
  const cwd = join(import.meta.dirname, "..");
  const said = (command: string, args: readonly string[]): Said =>
    JSON.parse(
      execFileSync(command, args, { encoding: "utf8", env: environment, cwd, timeout: 120_000, stdio: ["ignore", "pipe", "ignore"] }),
    ) as Said;
  const works = (command: string, args: readonly string[]): boolean => {
    try {
      execFileSync(command, args, { stdio: "ignore", timeout: 120_000 });
      return true;
    } catch {
      return false;
    }
  };

  test("without statx nothing is taken for a birth that is none: a directory that changes stays granted; one stored with a birth is asked about", async (context) => {
    const noStatx = ["-f", "-qq", "-e", "trace=statx", "-e", "inject=statx:error=ENOSYS", "-o", "/dev/null"];
    if (!works("strace", [...noStatx, "true"])) {
      console.log("skipped: strace is not on this machine, or may not trace");
      context.skip();
    }
    const at = grown(spec);
    await sleep(30);
    expect(said("strace", [...noStatx, process.execPath, "--import", "tsx", program, at.root])).toEqual({
      says: true,
      isLastChange: true,
      kept: [false, false],
      before: ["allow in-grant", "allow in-mount", "ask grant-stale"],
      after: ["allow in-grant", "allow in-mount", "ask grant-stale"],
    });
  });

  test("in layers the first write gives a directory another birth: a grant is asked about again, a mount goes on", async (context) => {
    const at = grown([...spec.map((line) => `lower/${line}`), "upper/", "work/", "merged/"]);
    onTestFinished(() => rmSync(at.path("work"), { recursive: true, force: true }));
    const mount = `mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr merged`;
    const within = (then: string): readonly string[] => ["-rm", "sh", "-c", `cd '${at.root}' && ${mount} && ${then}`];
    if (!works("unshare", within("true"))) {
      console.log("skipped: a file system of layers cannot be mounted here");
      context.skip();
    }
    await sleep(30);
    const then = `cd '${cwd}' && exec '${process.execPath}' --import tsx '${program}' '${at.path("merged")}'`;
    expect(said("unshare", within(then))).toMatchObject({
      says: true,
      kept: [true, false],
      before: ["allow in-grant", "allow in-mount", "ask grant-stale"],
      after: ["ask grant-stale", "allow in-mount", "ask grant-stale"],
    });
  });
});
