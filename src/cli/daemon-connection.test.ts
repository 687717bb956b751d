import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { tree } from "../../test/tree.ts";
import { findDaemon } from "./daemon-connection.ts";

/** A data directory that says a daemon is at a port, where `answer` is. */
async function place(answer: RequestListener) {
  const at = tree(["home/"]);
  onTestFinished(at.remove);
  mkdirSync(at.path("data"), { mode: 0o700 });
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const file = { address: `http://127.0.0.1:${port}`, socket: null, pid: process.pid, version: "1", started: 0 };
  writeFileSync(at.path("data/daemon.json"), JSON.stringify(file), { mode: 0o600 });
  writeFileSync(at.path("data/token"), `${"T".repeat(43)}\n`, { mode: 0o600 });
  return { server, find: () => findDaemon({ home: at.path("home"), env: {}, platform: "linux", data: at.path("data") }) };
}

test("a daemon that is busy for a moment is found; one that is gone is not waited for", async () => {
  const { server, find } = await place((_request, response) => void setTimeout(() => response.end("{}"), 1000));
  expect(await find()).toMatchObject({ pid: process.pid });
  server.closeAllConnections();
  server.close();
  await once(server, "close");
  expect(await find()).toBeNull();
});
