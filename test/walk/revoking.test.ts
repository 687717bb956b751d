// The words of a revocation and the deeds that follow: what is said to be shut is, what is said to be open in part is so in part, and what is
// said to be open still is. On every path of the machine, whatever else opens some of it.

import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { explainRevoked, explainRevokedAll } from "../../src/core/guard/explain.ts";
import { routes } from "../../src/wire/http.ts";
import type { WireChat } from "../../src/wire/values.ts";
import { choose, keyOf, verdictsIn } from "./accesses.ts";
import { type WalkStage, walkStage } from "./stage.ts";
import { openAsk, said, say } from "./walker.ts";
import { isSecret, rules } from "./world.ts";

const HOUR = 60 * 60_000;

interface Scene {
  readonly stage: WalkStage;
  readonly chat: WireChat;
}

/** Have it read a file, and take this choice. Gives the grant. */
async function grant({ stage, chat }: Scene, file: string, choice: string): Promise<string> {
  await say(stage.client, chat.id, said({ name: "read_file", input: { path: stage.world.code(file) } }));
  const { grant: given } = await choose(stage, chat, await openAsk(stage.client, chat), choice);
  return given?.id ?? "";
}

const ui = "mono/packages/ui/package.json";
const folder = "mono/packages/ui/src/deep/form.ts";
const mount = ({ stage, chat }: Scene, dir: string) =>
  stage.client.send(routes.addMount, { id: chat.session, body: { path: stage.world.code(dir), mode: "read_only" } });
const policy = ({ stage }: Scene, read: object): void =>
  writeFileSync(stage.world.path("home/.config/hallpass/policy.json"), JSON.stringify({ ...rules, read }, null, 2));

/** What opens some of the package besides its grant, and what must then be said of the package. */
const besides: Readonly<Record<string, readonly [says: "shut" | "part" | "open", (scene: Scene) => Promise<unknown> | void]>> = {
  nothing: ["shut", () => {}],
  "a grant of a folder in it": ["part", (scene) => grant(scene, folder, "Allow reading only the folder deep for this session")],
  "a grant of a folder in it whose time is over": [
    "shut",
    async (scene) => {
      await grant(scene, folder, "Allow reading only the folder deep for one hour");
      scene.stage.pass(HOUR);
    },
  ],
  "a grant of all of its repository": ["open", (scene) => grant(scene, folder, "Allow reading all of mono (9 files) for this session")],
  "a mount of a folder in it": ["part", (scene) => mount(scene, "mono/packages/ui/docs")],
  "a mount of what holds it": ["open", (scene) => mount(scene, "mono/packages")],
  "a rule for all of it": ["open", (scene) => policy(scene, { "~/code/mono/packages/ui/**": "allow" })],
  "a rule for some of it": ["part", (scene) => policy(scene, { "**/*.md": "allow" })],
  "a rule for something else": ["shut", (scene) => policy(scene, { "~/code/mono/packages/core/**": "allow" })],
};

for (const [what, [says, opens]] of Object.entries(besides))
  test(`a package is revoked, and there is ${what}: ${says}`, async () => {
    const stage = await walkStage({ policy: rules });
    const scene = { stage, chat: await stage.chat() };
    const dir = stage.world.code("mono/packages/ui");
    // First what is in it, or holds it: nobody is asked about what is open already.
    const [id] =
      what.startsWith("a grant") && !what.includes("all of")
        ? [(await opens(scene), await grant(scene, ui, "Allow reading ui for this session"))]
        : [await grant(scene, ui, "Allow reading ui for this session"), what.includes("all of") ? null : await opens(scene)];
    if (what.includes("all of")) {
      // Asked for in the same breath: the wider yes comes while the narrower holds.
      await say(stage.client, scene.chat.id, said({ name: "read_file", input: { path: stage.world.code("mono/packages/core/index.ts") } }));
      await choose(stage, scene.chat, await openAsk(stage.client, scene.chat), "Allow reading all of mono (9 files) for this session");
    }
    const ended = await stage.client.send(routes.revoke, { id });
    const { text, isShut } = explainRevoked(dir, ended);
    const now = await verdictsIn(stage, scene.chat.session);
    const inIt = stage.probes.filter(({ path, operation }) => operation === "read" && path.startsWith(`${dir}/`) && !isSecret(path));
    const open = inIt.filter((one) => now[keyOf(stage.world, one)] === "allow").length;
    expect(open === 0 ? "shut" : open === inIt.length ? "open" : "part").toBe(says);
    expect(isShut).toBe(says === "shut");
    expect(text).toMatch(
      { shut: /is shut again$/u, part: /some of it can still be read: /u, open: /was revoked, and can still be read: /u }[says],
    );
  });

test("everything is revoked: only the workspace is said to be open where it is, and else every mount and rule is named", async () => {
  const stage = await walkStage({ policy: {} });
  const scene = { stage, chat: await stage.chat() };
  await grant(scene, ui, "Allow reading ui for this session");
  const clear = async () => explainRevokedAll(await stage.client.send(routes.revokeAll, { id: scene.chat.session })).text;
  expect(await clear()).toBe("revoked 1 grant; only the workspace is open now");
  const held = await verdictsIn(stage, scene.chat.session);
  const isAllowed = ([key, verdict]: readonly [string, string]): boolean => verdict === "allow" && !key.includes("/code/shop");
  expect(Object.entries(held).filter(isAllowed)).toEqual([]);
  await mount(scene, "api");
  policy(scene, { "~/papers/**": "allow" });
  const file = stage.world.path("home/.config/hallpass/policy.json");
  expect(await clear()).toBe(
    `there was nothing to revoke; besides the workspace, still open: mounted: ${stage.world.code("api")}; allowed by rules of the policy: ~/papers/** (${file}:3)`,
  );
});
