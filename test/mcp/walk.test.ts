// The walk through MCP: every kind of ask that its tools can raise and every answer, in a client's own dialog, and what its next accesses
// are let do.

import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { routes } from "../../src/wire/http.ts";
import { walkHappenings } from "../walk/face-happenings.ts";
import { type Face, faceStage, type Row, rows, walkFace } from "../walk/faces.ts";
import type { WalkStage } from "../walk/stage.ts";
import { connect, type Outcome, type Person, type Said } from "./clients.ts";

interface Dialog {
  readonly message: string;
  readonly form: { readonly properties?: { readonly decision?: { readonly oneOf?: readonly { const: string; title: string }[] } } };
  readonly answer: (said: Said) => void;
}

/** By its tools an MCP client starts no agent and applies no patch, and no dialog of a client may answer for a command. */
const notHere = new Set([
  "another agent",
  "a patch of a file that is asked about and of one that is not",
  "a command that nothing confines",
]);

/** A client with its person, at a server of its own. */
async function withClient(walk: (stage: WalkStage, face: Face) => Promise<void>): Promise<void> {
  const stage = await faceStage();
  const { world, client, door } = stage;
  let dialog: Dialog | null = null;
  const person: Person = ({ message, schema }) =>
    new Promise<Said>((resolve) => {
      dialog = { message, form: schema as Dialog["form"], answer: resolve };
    });
  const flags = ["--workspace", world.workspace, "--ask", "by-guard"];
  const agent = await connect(world.home, { kind: "v2, 2025-11-25", person, flags, env: { ...door?.env } });
  try {
    await agent.call("list_access", {});
    const [session] = await client.send(routes.listSessions, { query: {} });
    let calling: Promise<Outcome> = Promise.reject(new Error("nothing was called"));
    calling.catch(() => {});
    let stop = new AbortController();
    const up = async (): Promise<Dialog> => {
      for (;;) {
        if (dialog !== null) return dialog;
        await pause(10);
      }
    };
    const face: Face = {
      session: session?.id ?? "",
      async does({ name, input }) {
        dialog = null;
        stop = new AbortController();
        calling = agent.call(name, { ...input }, stop.signal);
        calling.catch(() => {});
      },
      async shows() {
        const { message, form } = await up();
        return { lines: message.split("\n"), choices: form.properties?.decision?.oneOf?.map(({ title }) => title) ?? [] };
      },
      async choose(choice) {
        const { form, answer } = await up();
        const decision = form.properties?.decision?.oneOf?.find(({ title }) => title === choice)?.const ?? "";
        dialog = null;
        answer({ action: "accept", content: { decision } });
      },
      ends: {
        "Deny, with a word": async () => (await up()).answer({ action: "accept", content: { decision: "deny", note: "use ours" } }),
        "not-needed": async () => stop.abort(),
      },
      async over() {
        const called = await calling.catch(() => null);
        while ((await client.send(routes.listAsks, { query: { state: "open" } })).length > 0) await pause(10);
        return called !== null && !called.failed;
      },
      async tries({ operation, path }) {
        if (operation === "read") return !(await agent.call("read_file", { path })).failed;
        return !(await agent.call("write_file", { path, content: "written" })).failed;
      },
    };
    await walk(stage, face);
  } finally {
    await agent.close();
    await stage.close();
  }
}

test("what a card said in the client's dialog is what the next accesses are let do", { timeout: 600_000 }, () =>
  withClient(async (stage, face) => {
    // Nobody speaks here; what its client calls off is not needed any longer.
    const here = rows
      .filter(([kind]) => !notHere.has(kind))
      .map(([kind, end]): Row => [kind, end === "withdrawn" || end === "stopped" ? "not-needed" : end]);
    await walkFace(stage, face, here);
    expect(here.length).toBe(rows.length - notHere.size);
  }),
);

test("whatever happens while its dialog is up: card, record and next access agree", { timeout: 600_000 }, () => withClient(walkHappenings));
