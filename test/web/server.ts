// A real server for browser tests: the embedded database in a file, the offline agent unless told otherwise, a port of its own, the
// built pages. It can be stopped and started again on the same port, as a restart of the daemon would.

import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Model } from "../../src/agent/ports.ts";
import { assemble, type AssembledServer, type AssembleOptions } from "../../src/server/assemble.ts";
import { listen, type HttpListener } from "../../src/server/listen.ts";
import { silentLog } from "../../src/server/log.ts";
import { createSockets } from "../../src/server/socket.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { type Client, createClient } from "../../src/wire/client.ts";
import { builtFrom, buildWeb } from "../../scripts/web-pages.mjs";
import { tree, type Tree } from "../tree.ts";

export const TOKEN = "test-token-of-the-person-0123456789";

export interface TestServer {
  readonly tree: Tree;
  readonly address: string;
  readonly client: Client;
  readonly inside: () => AssembledServer;
  /** The page, with its token, at a place within it. */
  page(place?: string): string;
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** A workspace, a repository beside it with a secret and another repository inside, a second one, and places nobody may ask for. */
const PLACES: readonly string[] = [
  "home/.config/",
  "home/code/shop/.git/",
  'home/code/shop/package.json: {\n  "name": "shop"\n}\n',
  "home/code/shop/README.md: # Shop\n\nSells things.\n",
  "home/code/shop/src/cart.ts: export const total = 3;\n",
  "home/code/shop/.env: TOKEN=workspace\n",
  "home/code/api/.git/",
  'home/code/api/package.json: {\n  "name": "api",\n  "version": "2.1.0"\n}\n',
  "home/code/api/README.md: # API\n\nThe service behind the shop.\n",
  "home/code/api/src/server.ts: export const port = 8080;\n",
  "home/code/api/src/routes.ts: export const routes = [];\n",
  "home/code/api/.env: TOKEN=very-secret\n",
  "home/code/api/vendor/lib/.git/",
  "home/code/api/vendor/lib/index.js: 1\n",
  "home/code/docs/.git/",
  "home/code/docs/guide.md: # Guide\n",
  "home/code/shop/vendor => ../api/src",
];

export interface ServerOptions {
  /** Default: the offline agent. */
  readonly model?: Model;
  /** Default: a workspace and its neighbours in a new temporary directory. Home is `home` in it. */
  readonly tree?: Tree;
  /** Default: no push notices. */
  readonly push?: AssembleOptions["push"];
}

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const grown = options.tree ?? tree(PLACES);
  const home = grown.path("home");
  // In memory where there is such a place: ten thousand writes, each safe on disk, are another test's business.
  const data = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "hallpass-data-"));
  const pages = await builtPages();
  let port = 0;
  let running: { readonly inside: AssembledServer; readonly listening: HttpListener } | null = null;
  const start = async (): Promise<void> => {
    let hosts: readonly string[] = [];
    const inside = await assemble({
      store: await openSqliteStore({ file: join(data, "hallpass.db") }),
      storeKind: "sqlite",
      home,
      env: { PATH: process.env["PATH"] },
      platform: process.platform,
      token: TOKEN,
      pages,
      hosts: () => hosts,
      ...(options.model === undefined ? {} : { model: options.model }),
      ...(options.push === undefined ? {} : { push: options.push }),
    });
    const listening = await listen(
      {
        app: inside.app,
        sockets: (own) => createSockets({ hub: inside.hub, callerOf: inside.app.callerOf, hosts: own, log: silentLog }),
        log: silentLog,
      },
      { port, socketPath: null },
    );
    hosts = listening.hosts;
    port = Number(new URL(listening.address).port);
    inside.start();
    running = { inside, listening };
  };
  const stop = async (): Promise<void> => {
    const before = running;
    running = null;
    await before?.listening.close(0);
    await before?.inside.close();
  };
  await start();
  const address = `http://127.0.0.1:${port}`;
  return {
    tree: grown,
    address,
    client: createClient({ address, token: TOKEN, fetch: (request) => fetch(request), via: "test" }),
    inside: () => {
      if (running === null) throw new Error("the server is stopped");
      return running.inside;
    },
    page: (place = "/") => `${address}/#token=${TOKEN}&to=${encodeURIComponent(place)}`,
    start,
    stop,
    async close() {
      await stop();
      grown.remove();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** The built pages: those in dist if they are made of what is there now, otherwise built once for these sources. */
export async function builtPages(): Promise<string> {
  const built = resolve(import.meta.dirname, "../../dist/web");
  const hash = builtFrom();
  const isOf = (directory: string): boolean =>
    existsSync(join(directory, "built-from.txt")) && readFileSync(join(directory, "built-from.txt"), "utf8") === hash;
  if (isOf(built)) return built;
  const own = join(tmpdir(), `hallpass-pages-${hash.slice(0, 16)}`);
  if (isOf(own)) return own;
  // RACE: files of tests run at once. Each builds aside, and the first to be done is used by all.
  const aside = mkdtempSync(`${own}-`);
  await buildWeb(aside, aside);
  try {
    renameSync(aside, own);
    return own;
  } catch {
    if (!isOf(own)) return aside;
    rmSync(aside, { recursive: true });
    return own;
  }
}
