import { describe, expect, test } from "vitest";
import type { Session } from "../core/session/session.ts";
import { inSession, type LookupEnd, openReaches } from "./bash-reaches.ts";

const root = (from: string, dir: string): object => ({ from, dir });
const session = (plan: { readonly mounts?: readonly string[]; readonly grants?: readonly string[] }): Session =>
  ({
    workspace: root("workspace", "/ws"),
    mounts: (plan.mounts ?? []).map((dir) => root("mount", dir)),
    grants: (plan.grants ?? []).map((dir) => ({ until: "session", root: { ...root("grant", dir), expires: null } })),
  }) as unknown as Session;
const granted = session({ grants: ["/lib"] });

describe("the model is told what came of a lookup, and a command is shown only what was granted", () => {
  const asked = "A person was asked about /lib/x while the command ran";
  const rows: Readonly<Record<LookupEnd["came"], readonly [LookupEnd, string]>> = {
    allowed: [{ came: "allowed", session: granted }, `${asked}, and allowed it.`],
    "allowed-before": [
      { came: "allowed-before", session: granted },
      "/lib/x was granted before the command reached for it. Nobody was asked again.",
    ],
    denied: [{ came: "denied" }, `${asked}, and did not allow it.`],
    "denied-before": [
      { came: "denied-before" },
      "A person had denied /lib/x before. Nobody was asked again while the command ran, and it was refused.",
    ],
    withdrawn: [{ came: "withdrawn" }, `${asked}, and said something else instead of answering. It was refused.`],
    closed: [{ came: "closed" }, `${asked}, and the question was closed without an answer. It was refused.`],
    unanswered: [
      { came: "unanswered" },
      "Nobody has answered yet whether /lib/x may be read. Ask with request_read_access, which waits for the answer.",
    ],
    "in-scope": [
      { came: "in-scope" },
      "The session can read /lib/x by now, but a command that had started is not shown it: it was refused. Run the command again, or read it with the file tools.",
    ],
    "not-granted": [
      { came: "not-granted", code: "grant-changed" },
      `${asked}, and nothing was granted: it has changed since the question was asked.`,
    ],
    "not-asked": [
      { came: "not-asked", code: "rate-limited" },
      "Nobody was asked about /lib/x while the command ran, and it was refused: it was one of too many requests at once.",
    ],
    failed: [{ came: "failed" }, "/lib/x was refused, since asking a person about it failed."],
  };
  test.each(Object.entries(rows))("%s", async (came, [end, note]) => {
    const reaches = openReaches(() => (came === "failed" ? Promise.reject(new Error("gone")) : Promise.resolve(end)), 3000);
    const shown = await reaches.asking.ask({ path: "/lib/x", operation: "read", who: "cat" });
    expect([shown, reaches.notes()]).toEqual([came === "allowed" || came === "allowed-before" ? granted : null, [note]]);
  });

  test("while nobody has answered", () => {
    const reaches = openReaches(() => new Promise(() => {}), 3000);
    void reaches.asking.ask({ path: "/lib/x", operation: "read", who: "cat" });
    expect(reaches.notes()).toEqual([rows.unanswered[1]]);
  });
});

test.each<readonly [string, Session, boolean, LookupEnd["came"] | undefined]>([
  ["a grant, after asking", granted, true, "allowed"],
  ["a grant, without asking", granted, false, "allowed-before"],
  ["a mount", session({ mounts: ["/lib"] }), true, "in-scope"],
  ["a mount and a grant", session({ mounts: ["/lib"], grants: ["/lib"] }), true, "allowed"],
  ["a grant of something else", session({ grants: ["/library"] }), true, undefined],
  ["nothing", session({}), true, undefined],
])("what the session has by now: %s", (_what, now, wasAsked, came) => {
  expect(inSession(now, "/lib/x", wasAsked)?.came).toBe(came);
});
