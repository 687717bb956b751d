// What the suite lets other processes do to a store that they share with it. Part of the tests; nothing of the product imports it.

import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../src/agent/ports.ts";
import { callId, grantId, sessionId } from "../../src/core/names.ts";
import { agentMessage, event, grantAsk, onceUse, SESSION, someChat, someGrant, someSession, yes } from "./values.ts";

export type Task = "found" | "answer" | "grant" | "record" | "use" | "write" | "commit" | "note";

/** Do one task. `argv`: the task, when to begin (milliseconds since the epoch, so that several begin at once), and the task's own. */
export async function perform(open: () => Promise<Store>, [task, from, ...rest]: readonly string[]): Promise<void> {
  while (Date.now() < Number(from)) continue;
  const store = await open();
  const [first = "", second = "0", third = "0"] = rest;
  switch (task) {
    case "found":
      await store.addSession(someSession({ id: sessionId(first) }), []);
      break;
    case "answer":
      for (let ask = 0; ask < Number(second); ask++) {
        const won = await store.answerAsk(grantAsk(ask).id, { ...yes, by: first }, { grant: null, calls: [], events: [] });
        if (won) say(`${ask}`);
      }
      break;
    case "grant":
      // Asks number `first` up to, but without, `second`: each answered with a grant, and both recorded.
      for (let number = Number(first); number < Number(second); number++) {
        const grant = someGrant({ id: grantId(`grant-${number}`), ask: grantAsk(number).id, path: `/granted/${number}` });
        const calls = [{ call: callId(`call-${number}`), to: { at: "started" } as const }];
        await store.answerAsk(grant.ask, yes, { grant, calls, events: [event(number), event(number)] });
      }
      break;
    case "record":
      for (let at = 0; at < Number(second); at++)
        await store.record([
          { kind: "revocation", at, session: SESSION, grant: grantId(`${first}-${at}`), path: null, ask: null, by: first },
        ]);
      break;
    case "use":
      // Yeses for once number `second` up to, but without, `third`, by a call of this name.
      for (let number = Number(second); number < Number(third); number++)
        if (await store.useOnce(grantAsk(number).id, callId(`${first}-${number}`), onceUse(number, `${first}-${number}`), false))
          say(`${number}`);
      break;
    case "write":
      await write(store);
      break;
    case "commit":
      for (let time = 0; time < Number(first); time++) await store.append("chat", agentMessage(`${from}-${time}`, []), "idle");
      break;
    case "note":
      // So many notes, and so many milliseconds until the store is closed.
      for (let time = 0; time < Number(first); time++)
        await store.setStatus("chat", ["idle", "running"], time % 2 === 0 ? "running" : "idle");
      await sleep(Number(second));
      break;
    case undefined:
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
    await store.answerAsk(ask.id, yes, { grant, calls: [{ call: callId(`call-${step}`), to: { at: "started" } }], events: [] });
    say(`answer ${step}`);
    await store.record([{ kind: "revocation", at: step, session: SESSION, grant: grant.id, path: null, ask: null, by: "writer" }]);
    say(`record ${step}`);
  }
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}
