// A person at opencode itself, through its own server.

import { run } from "./start-host.mjs";

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds).unref());

/** opencode as a server, and a person at it: our own question is read for a second and answered with yes, every other one is left alone. */
export async function withPerson(bin, { cwd, env, milliseconds }) {
  const port = 20_000 + (process.pid % 20_000);
  const address = `http://127.0.0.1:${port}`;
  const ended = run(bin, ["serve", "--hostname", "127.0.0.1", "--port", String(port)], { cwd, env, milliseconds });
  const post = (path, body) =>
    fetch(`${address}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  let said = "";
  try {
    for (
      let tries = 0;
      tries < 600 &&
      !(await fetch(`${address}/session`, { signal: AbortSignal.timeout(10_000) }).then(
        (answer) => answer.ok,
        () => false,
      ));
      tries += 1
    )
      await pause(250);
    const events = await fetch(`${address}/event`);
    void (async () => {
      let text = "";
      for await (const part of events.body) {
        text += Buffer.from(part).toString("utf8");
        for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
          const line = text.slice(0, end).replace(/^data: /u, "");
          text = text.slice(end + 2);
          if (!line.includes('"permission.')) continue;
          const { type, properties } = JSON.parse(line);
          said += `${type} ${properties.permission ?? properties.reply ?? ""} ${properties.metadata?.hallpass === undefined ? "" : "(ours)"}\n`;
          if (type === "permission.asked" && properties.metadata?.hallpass !== undefined)
            void pause(1_000).then(() => post(`/permission/${properties.id}/reply`, { reply: "once" }));
        }
      }
    })().catch(() => undefined);
    const { id } = await (await post("/session", {})).json();
    const message = post(`/session/${id}/message`, { model: { providerID: "fake", modelID: "m" }, parts: [{ type: "text", text: "go" }] });
    await Promise.race([message, pause(milliseconds - 60_000)]);
  } finally {
    ended.stop();
  }
  return { ...(await ended), text: said };
}
