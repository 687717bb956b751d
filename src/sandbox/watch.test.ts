// What covers a secret is lost once another file is in its place, also one that was given the inode of the first.

import * as fs from "node:fs";
import { expect, test } from "vitest";
import { nothingStaysPinned, scene } from "../../test/scene.ts";
import { doAtOnce, type Steps } from "../core/steps.ts";
import { Inventory } from "./inventory.ts";
import { openProfile } from "./profile.ts";
import { startWatch } from "./watch.ts";

nothingStaysPinned();

const lookNow = async <T>(steps: () => Steps<T>): Promise<T> => doAtOnce(steps());
const user = { uid: process.geteuid?.() ?? -1, groups: [process.getegid?.() ?? -1] };

test.each([
  ["is there", (born: number) => born, []],
  ["was replaced by another that has its inode", (born: number) => born - 1, ["stale-path"]],
])("a secret that %s", async (_what, change, stops) => {
  const it = scene(["ws/.env: SECRET", "ws/.git/config", "ws/.vscode/a"]);
  const profile = doAtOnce(openProfile(it.session, { inventory: new Inventory(Date.now), clock: Date.now, user }));
  if ("ok" in profile) throw new Error(profile.why);
  const kept = profile.covered.map((one) => (typeof one.born === "number" ? { ...one, born: change(one.born) } : one));
  const said: string[] = [];
  const ports = { clock: Date.now, user, processes: 4096, deep: false, look: lookNow, beat: () => {}, revive: () => {} };
  await startWatch({ ...profile, covered: kept }, ports, (code) => said.push(code)).end();
  profile.close();
  expect(said).toEqual(stops);
  // The birth is kept of what nothing holds; what is bound is held by its descriptor.
  const born = profile.covered.filter((one) => one.born !== undefined).map(({ name, born: when }) => [name, when]);
  expect(born).toEqual([[".env", fs.statSync(it.path("ws/.env")).birthtimeMs]]);
});
