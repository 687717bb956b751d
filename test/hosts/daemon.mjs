// The daemon as a person starts it, in the scene's home, and a person at its inbox who answers over the same interface as the web page.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Start it; resolves when it has said where it is. */
export async function startDaemon(hallpass, { cwd, env }) {
  const child = spawn(process.execPath, [hallpass, "serve", "--link", "--no-open", "--port", "0"], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (part) => (errors = `${errors}${part}`.slice(-4000)));
  const [address, token] = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (part) => {
      text += part;
      const found = /(http:\/\/127\.0\.0\.1:\d+)\/#token=([^&\s]+)/u.exec(text);
      if (found !== null) resolve(found.slice(1));
    });
    child.on("close", (exit) => reject(new Error(`the daemon ended with ${exit}: ${text}${errors}`)));
    setTimeout(() => reject(new Error(`the daemon said nothing: ${text}${errors}`)), 30_000).unref();
  });
  const send = async (method, path, body) => {
    const answer = await fetch(`${address}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "x-hallpass-via": "terminal",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} ended with ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const stop = async () => {
    const gone = new Promise((done) => child.on("close", done));
    child.kill("SIGTERM");
    await Promise.race([gone, pause(5_000).then(() => child.kill("SIGKILL"))]);
  };
  /** As a power cut. */
  const kill = async () => {
    const gone = new Promise((done) => child.on("close", done));
    child.kill("SIGKILL");
    await gone;
  };
  return { send, stop: () => (child.exitCode === null && child.signalCode === null ? stop() : undefined), kill };
}

/** End the daemon that a program started by itself in this home: a host may keep from its servers the variable that says not to. */
export function endDaemonOf(home) {
  try {
    process.kill(JSON.parse(readFileSync(join(home, ".local/share/hallpass/daemon.json"), "utf8")).pid, "SIGTERM");
  } catch {
    // There is none.
  }
}

/** Somebody who looks at the inbox, and for each call does what the case says: yes, no, or nothing. */
export function sitDown({ send, kill }) {
  const seen = new Set();
  let [mind, answered] = [null, 0];
  const over = new AbortController();
  const look = async () => {
    const asks = await send("GET", "/api/asks?limit=200");
    const fresh = asks.filter(({ id }) => !seen.has(id));
    return { asks, fresh };
  };
  const sitting = (async () => {
    while (!over.signal.aborted) {
      await pause(100);
      if (mind === null) continue;
      const { fresh } = await look();
      const ask = fresh.find(({ state }) => state === "open");
      if (ask === undefined) continue;
      const decision = mind;
      mind = null;
      // The card is read first: the call waits meanwhile.
      await pause(700);
      await send("POST", `/api/asks/${ask.id}/answer`, { decision, digest: ask.digest });
      answered += 1;
    }
  })();
  sitting.catch((error) => console.error(`the person: ${error.message}`));
  return {
    /** A call begins. */
    async begin(decision) {
      if (over.signal.aborted) return;
      const { asks } = await look();
      for (const { id } of asks) seen.add(id);
      answered = 0;
      mind = decision ?? null;
    },
    /** It has ended: how many asks came of it, and how many were answered. */
    async end() {
      mind = null;
      if (over.signal.aborted) return { asks: 0, answered: 0 };
      const { fresh } = await look();
      const states = (await send("GET", "/api/sessions?limit=200")).map(({ shell }) => shell).filter((shell) => shell !== null);
      const shells = states.length === 0 ? null : states.every((shell) => shell === "verified") ? "verified" : "unverified";
      return { asks: fresh.length, answered, shells };
    },
    async revoke() {
      const grants = (await send("GET", "/api/grants")).filter(({ revokedAt }) => revokedAt === null);
      for (const { id } of grants) await send("POST", `/api/grants/${id}/revoke`);
    },
    async kill() {
      over.abort();
      await sitting.catch(() => undefined);
      await kill();
    },
    async leave() {
      over.abort();
      await sitting.catch(() => undefined);
    },
  };
}
