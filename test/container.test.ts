// What the Dockerfile starts and how its health is asked, run as it stands there, without a container.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";

const root = resolve(import.meta.dirname, "..");
const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
const program = join(root, "bin/hallpass.js");

/** The words of the last instruction that begins so, in its JSON form. */
function words(instruction: RegExp): readonly string[] {
  const found = dockerfile.split("\n").findLast((line) => instruction.test(line));
  return JSON.parse(found?.replace(instruction, "") ?? "null");
}

test("the container's own command is up and healthy, for an ordinary user's data alone, and ends when it is told to", async () => {
  expect(words(/^ENTRYPOINT /)).toEqual(["hallpass"]);
  const [asked, ...health] = words(/^HEALTHCHECK .*CMD /);
  expect(asked).toBe("hallpass");
  const data = mkdtempSync(join(tmpdir(), "hallpass-container-"));
  const env = { ...process.env, HALLPASS_DATA: data };
  const healthy = () => spawnSync(process.execPath, [program, ...health], { env, encoding: "utf8" }).status;
  expect(healthy()).toBe(1);
  const command = words(/^CMD /).map((word) => (word === "7777" ? "0" : word));
  const daemon = spawn(process.execPath, [program, ...command], { env, stdio: ["ignore", "pipe", "ignore"] });
  const said: string[] = [];
  daemon.stdout.on("data", (piece: Buffer) => void said.push(piece.toString()));
  const over = new Promise((end) => daemon.once("exit", end));
  try {
    await vi.waitFor(() => expect(said.join("")).toMatch(/#token=/), { timeout: 60_000, interval: 100 });
    expect(healthy()).toBe(0);
  } finally {
    daemon.kill("SIGTERM");
    expect(await over).toBe(0);
    rmSync(data, { recursive: true, force: true });
  }
});

test("it does not run as root, and every variable it or compose.yaml sets is one that the program reads", () => {
  expect(dockerfile.slice(dockerfile.lastIndexOf("FROM "))).toMatch(/^USER node$/m);
  const set = `${dockerfile}\n${readFileSync(join(root, "compose.yaml"), "utf8")}`.matchAll(/^(?:ENV | +)(HALLPASS_\w+)[=:]/gm);
  const read = spawnSync("git", ["grep", "-hoE", "HALLPASS_[A-Z_]+", "--", "src"], { cwd: root, encoding: "utf8" }).stdout.split("\n");
  const names = [...set].map(([, name]) => name);
  expect(names).toEqual(["HALLPASS_DATA", "HALLPASS_DATABASE_URL", "HALLPASS_MACHINE"]);
  expect(names.filter((name) => !read.includes(name ?? ""))).toEqual([]);
});
