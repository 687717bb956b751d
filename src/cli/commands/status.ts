// hallpass status: is there a daemon, where, and does anybody wait for an answer. Exit 0 where one runs and is well, 1 where none does.

import { routes } from "../../wire/http.ts";
import { storeFaults } from "../../wire/words.ts";
import { connectDaemon, findDaemon } from "../daemon-connection.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Call } from "../flags.ts";
import { type Host, placeOptions } from "../host.ts";

export async function status({ values }: Call<"status">, host: Host): Promise<number> {
  const found = await findDaemon(placeOptions(values, host));
  if (found === null) {
    host.output.write(values.json === true ? '{"running":false}\n' : "no daemon is running; start it with hallpass serve\n");
    return exitCodes.fault;
  }
  const { client, close } = connectDaemon(found, "terminal");
  try {
    const { ok, degraded, version, store, model, startedAt, openAsks, machine } = await client.send(routes.health, {});
    const isWell = ok && degraded.length === 0;
    const { address, pid, socketPath } = found;
    const link = values.link === true ? { link: `${address}/#token=${found.token}` } : {};
    if (values.json === true) {
      host.output.write(
        `${JSON.stringify({ running: true, ok, degraded, address, socket: socketPath, pid, version, store, model, machine, startedAt, openAsks, ...link })}\n`,
      );
      return isWell ? exitCodes.done : exitCodes.fault;
    }
    const asks = openAsks === 0 ? "no open asks" : openAsks === 1 ? "1 open ask" : `${openAsks} open asks`;
    host.output.write(
      `hallpass ${version} at ${link.link ?? address} (process ${pid})\n  store ${store}, model ${model}, since ${new Date(startedAt).toISOString()}\n  ${asks}\n`,
    );
    for (const fault of storeFaults({ ok, degraded })) host.output.write(`  ${fault}\n`);
    return isWell ? exitCodes.done : exitCodes.fault;
  } finally {
    await close();
  }
}
