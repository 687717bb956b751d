// What the suite lets other processes do to a store that they share with it. Part of the tests; nothing of the product imports it.

import { writeSync } from "node:fs";
import type { Store } from "../../agent/ports.ts";
import { callId, grantId, sessionId } from "../../core/names.ts";
import { agentMessage, grantAsk, SESSION, someChat, someGrant, someSession, yes } from "./values.ts";

export type Task = "found" | "answer" | "record" | "write" | "commit";

/** Do one task. `argv`: the task, when to begin (milliseconds since the epoch, so that several begin at once), and the task's own. */
export async function perform(open: () => Promise<Store>, [task, from, ...rest]: readonly string[]): Promise<void> {
  while (Date.now() < Number(from)) continue;
  const store = await open();
  const [first = "", second = "0"] = rest;
  switch (task) {
    case "found":
      await store.addSession(someSession({ id: sessionId(first) }), []);
      break;
    case "answer":
      for (let ask = 0; ask < Number(second); ask++) {
        const won = await store.answerAsk(grantAsk(ask).id, { ...yes, by: first }, { grant: null, calls: [] });
        if (won) say(`${ask}`);
      }
      break;
    case "record":
      for (let event = 0; event < Number(second); event++)
        await store.record({ kind: "revocation", at: event, session: SESSION, grant: grantId(`${first}-${event}`), by: first });
      break;
    case "write":
      await write(store);
      break;
    case "commit":
      for (let time = 0; time < Number(first); time++)
        await store.setStatus("chat", ["idle", "running"], time % 2 === 0 ? "running" : "idle");
      break;
    default:
      throw new TypeError(`no such task: ${task}`);
  }
  await store.close();
  say("done");
}

/** Write until killed, and say what was acknowledged as soon as it is. Each step is one method, so one transaction. */
async function write(store: Store): Promise<never> {
  if ((await store.session(SESSION)) === null) await store.addSession(someSession(), []);
  if ((await store.chat("chat")) === null) await store.addChat(someChat());
  for (let step = (await store.transcript("chat")).length; ; step++) {
    const ask = grantAsk(step);
    await store.append("chat", agentMessage(`message-${step}`, [callId(`other-${step}`), callId(`call-${step}`)]), "running");
    say(`message ${step}`);
    await store.openAsk(ask);
    say(`ask ${step}`);
    const grant = someGrant({ id: grantId(`grant-${step}`), ask: ask.id, path: `/granted/${step}` });
    await store.answerAsk(ask.id, yes, { grant, calls: [{ call: callId(`call-${step}`), to: { at: "started" } }] });
    say(`answer ${step}`);
    await store.record({ kind: "revocation", at: step, session: SESSION, grant: grant.id, by: "writer" });
    say(`record ${step}`);
  }
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}
