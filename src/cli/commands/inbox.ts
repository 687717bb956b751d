// hallpass inbox: the asks of every agent, answered in one terminal. Without a terminal: a list of them, and nothing is answered.

import { systemClock } from "../../core/clock.ts";
import { show } from "../../core/path/show.ts";
import type { WireAsk } from "../../wire/values.ts";
import { needDaemon } from "../daemon-connection.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import type { Host } from "../host.ts";
import { allOpenAsks } from "../listing.ts";
import { ago, writeRows } from "../table.ts";
import { onEnd, stopProcess, terminalOf } from "../terminal.ts";

export async function inbox({ values }: Call<"inbox">, host: Host): Promise<number> {
  const streams = values.json === true ? null : terminalOf(host);
  // Looked for before anything is drawn: without it there is nothing to draw.
  const daemon = await needDaemon(host, "terminal");
  if (streams !== null) {
    const [{ runInbox }, { openScreen }] = await Promise.all([import("../../repl/inbox.ts"), import("../../repl/screen.ts")]);
    const screen = openScreen(streams, streams);
    await runInbox(
      { input: streams.input, screen, clock: systemClock, onEnd, stop: stopProcess },
      daemon,
      "hallpass inbox · the asks of every agent on this machine",
    );
    return exitCodes.done;
  }
  try {
    const now = systemClock();
    return writeRows<WireAsk>(
      host,
      await allOpenAsks(daemon.client),
      [
        { name: "id", value: ({ id }) => id.slice(0, 8) },
        { name: "agent", value: ({ asker }) => show(asker.label ?? asker.host ?? "chat"), cut: true },
        { name: "tool", value: ({ tool }) => show(tool) },
        { name: "asks for", value: ({ requested, question }) => requested.map(show).join(", ") || show(question ?? ""), cut: true },
        { name: "since", value: ({ at }) => ago(at, now) },
      ],
      { json: values.json, none: "nobody is waiting" },
    );
  } finally {
    await daemon.close();
  }
}
