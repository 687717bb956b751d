// Two devices answer the same ask at the same moment, a thousand times: one wins each time, the other is told 409 and the final state,
// and what was granted stands in the session once. On the real program, over two kinds of connection.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { daemonClient } from "../../src/cli/daemon-client.ts";
import { createClient, WireError } from "../../src/wire/client.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireAsk } from "../../src/wire/values.ts";
import { stage, startProgram } from "./daemon-process.ts";

const SESSIONS = 20;
const ROOTS = 50;

type Said =
  | { readonly won: true; readonly ask: WireAsk; readonly grant: string | null }
  | { readonly won: false; readonly status: number; readonly code: string; readonly ask: WireAsk | null };

// A thousand asks, each opened, answered twice and looked up on a disk that is synced: longer than most tests.
test("of two answers to one ask one wins, a thousand times; nothing is granted twice", async () => {
  const on = stage();
  for (let at = 0; at < ROOTS; at += 1) {
    mkdirSync(join(on.root, `repo${at}/.git`), { recursive: true });
    writeFileSync(join(on.root, `repo${at}/file.txt`), "x\n");
  }
  const daemon = await startProgram(on, { data: on.data(), words: ["--asks-per-minute", "100000"] });
  const devices = [daemonClient({ ...daemon, socketPath: null }, "web"), daemon.client];
  const answer = async (device: number, ask: WireAsk, decision: "allow" | "deny"): Promise<Said> => {
    try {
      const said = await (devices[device] ?? daemon.client).send(routes.answer, { id: ask.id, body: { decision, digest: ask.digest } });
      return { won: true, ask: said.ask, grant: said.grant?.path ?? null };
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return { won: false, status: error.status, code: error.code, ask: error.problem?.ask ?? null };
    }
  };

  const wins = [0, 0];
  let allowed = 0;
  for (let session = 0; session < SESSIONS; session += 1) {
    const registered = await daemon.client.send(routes.register, {
      body: { host: "test", hostSession: `run ${session}`, workspace: on.workspace },
    });
    const agent = createClient({ address: daemon.address, token: registered.credential, fetch: daemon.client.fetch, via: "test" });
    const granted: string[] = [];
    for (let root = 0; root < ROOTS; root += 1) {
      const raised = await agent.send(routes.agentAsk, {
        body: { call: `call-${root}`, tool: "read_file", operation: "read", path: join(on.root, `repo${root}/file.txt`), reason: null },
      });
      if (raised.state !== "waiting") throw new Error(`nobody is asked: ${raised.text}`);
      const ask = await daemon.client.send(routes.ask, { id: raised.ask.id });
      // Every other time both say yes; in between they disagree.
      const [first, second] = await Promise.all([answer(0, ask, "allow"), answer(1, ask, root % 2 === 0 ? "allow" : "deny")]);
      const winner = first.won ? first : second;
      const loser = first.won ? second : first;
      if (!winner.won || loser.won) throw new Error("there was not one winner");
      wins[first.won ? 0 : 1]! += 1;
      expect(loser).toMatchObject({ status: 409, code: "request-closed" });
      expect(loser.ask?.answer).toEqual(winner.ask.answer);
      expect(loser.ask?.state).toBe("answered");
      if (winner.ask.answer?.verdict === "allow") granted.push(join(on.root, `repo${root}`));
      expect(winner.grant).toBe(winner.ask.answer?.verdict === "allow" ? granted.at(-1) : null);
    }
    const { allowed_read_paths: paths } = await daemon.client.send(routes.session, { id: registered.session.id });
    expect(paths).toEqual(granted);
    expect(new Set(paths).size).toBe(paths.length);
    allowed += granted.length;
  }
  const record = await daemon.client.send(routes.exportAudit, {});
  const kinds = record
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { event: { kind: string } }).event.kind);
  expect(kinds.filter((kind) => kind === "answer")).toHaveLength(SESSIONS * ROOTS);
  expect(kinds.filter((kind) => kind === "grant")).toHaveLength(allowed);
  expect(await daemon.client.send(routes.listAsks, { query: { state: "open" } })).toEqual([]);
  console.log(`1,000 asks answered twice at once: the first device won ${wins[0]}, the second ${wins[1]}`);
  for (const device of devices) device.close();
}, 400_000);
