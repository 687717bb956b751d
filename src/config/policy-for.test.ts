import { chmodSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { describe, onTestFinished, expect, test } from "vitest";
import { evaluate } from "../core/policy/evaluate.ts";
import { tree } from "../../test/tree.ts";
import { createPolicyFor } from "./policy-for.ts";

function around() {
  const at = tree(["home/.config/hallpass/", "ws/.hallpass/", "other/.hallpass/"]);
  onTestFinished(() => at.remove());
  const policyFor = createPolicyFor({ home: at.path("home"), env: {}, platform: "linux" });
  const operator = (policy: unknown): void => writeFileSync(at.path("home/.config/hallpass/policy.json"), JSON.stringify(policy));
  const project = (where: string, policy: unknown): void =>
    writeFileSync(at.path(`${where}/.hallpass/policy.json`), JSON.stringify(policy));
  return { at, policyFor, operator, project };
}

test("what is saved holds from the next judgement on, and the same files are compiled once", () => {
  const it = around();
  const first = it.policyFor(it.at.path("ws"), []);
  expect(it.policyFor(it.at.path("ws"), [])).toBe(first);
  it.operator({ read: { "~/secret/**": "deny" } });
  const second = it.policyFor(it.at.path("ws"), []);
  expect(second).not.toBe(first);
  rmSync(it.at.path("home/.config/hallpass/policy.json"));
  expect(it.policyFor(it.at.path("ws"), [])).not.toBe(second);
});

test("a malformed file is an error with its place, until it is mended", () => {
  const it = around();
  it.operator({ raed: "allow" });
  expect(() => it.policyFor(it.at.path("ws"), [])).toThrow(/policy\.json:1:/u);
  it.operator({ read: "ask" });
  expect(() => it.policyFor(it.at.path("ws"), [])).not.toThrow();
});

test.each([null, {}, { read: { "~/notes/**": "allow" } }, { preset: "open-read" }, { read: "deny", gitignored: "allow" }])(
  "a preset that is said at the start is the operator's preset, whatever else the file says: %j",
  (file) => {
    const it = around();
    it.project("ws", { read: { gen: "ask" } });
    if (file !== null) it.operator(file);
    const said = createPolicyFor({ home: it.at.path("home"), env: {}, platform: "linux" }, "strict")(it.at.path("ws"), []).policy;
    it.operator({ ...file, preset: "strict" });
    const places = (policy: typeof said): string => JSON.stringify(policy, (key, value: unknown) => (key === "source" ? null : value));
    expect(places(said)).toBe(places(it.policyFor(it.at.path("ws"), []).policy));
  },
);

describe("what changes on the disk is noticed at the very next judgement", () => {
  /** The places of a policy: the operator's, the workspace's, that of a workspace above, and a file the operator named. */
  const PLACES = ["home/.config/hallpass", "ws/.hallpass", "above/.hallpass"] as const;
  const NAMED = "named.jsonc";

  function scene(named: boolean) {
    const at = tree(["home/.config/", "ws/", "above/", `${NAMED}: {}`, "elsewhere/policy.json: {}"]);
    const surroundings = { home: at.path("home"), env: {}, platform: "linux" as const, ...(named ? { operatorFile: at.path(NAMED) } : {}) };
    /** What a reader says: its policy, or its error. */
    const said = (reader: ReturnType<typeof createPolicyFor>): string => {
      try {
        return JSON.stringify(reader(at.path("ws"), [at.path("above")]).policy);
      } catch (error) {
        return String(error);
      }
    };
    const kept = createPolicyFor(surroundings);
    let size = 0;
    return {
      at,
      /** The text of a policy that is as long as no other: clocks of some file systems are coarse. */
      text: (): string => JSON.stringify({ read: { [`/x${"y".repeat((size += 1))}`]: "ask" } }),
      /** As the reader that has been here all the time says it, and as one that has just come. */
      both: (): readonly [string, string] => [said(kept), said(createPolicyFor(surroundings))],
      isKept: (): boolean => kept(at.path("ws"), [at.path("above")]) === kept(at.path("ws"), [at.path("above")]),
    };
  }
  type Scene = ReturnType<typeof scene>;

  const remove = (path: string) => (it: Scene) => {
    // What stands where a directory should is no directory to remove from.
    if (lstatSync(dirname(it.at.path(path)), { throwIfNoEntry: false })?.isFile() === true) return;
    rmSync(it.at.path(path), { recursive: true, force: true });
  };
  const make = (path: string) => (it: Scene) => {
    if (existsSync(it.at.path(path)) && !statSync(it.at.path(path)).isDirectory()) rmSync(it.at.path(path));
    mkdirSync(it.at.path(path), { recursive: true });
  };
  const write = (file: string) => (it: Scene) => {
    make(dirname(file))(it);
    writeFileSync(it.at.path(file), it.text());
  };
  /** Made elsewhere and put in place whole, over what is there. */
  const exchange = (file: string) => (it: Scene) => {
    write("elsewhere/policy.json")(it);
    make(dirname(file))(it);
    renameSync(it.at.path("elsewhere/policy.json"), it.at.path(file));
  };
  const arrive = (place: string) => (it: Scene) => {
    remove(place)(it);
    write("elsewhere/policy.json")(it);
    renameSync(it.at.path("elsewhere"), it.at.path(place));
  };
  const link = (place: string) => (it: Scene) => {
    remove(place)(it);
    write("linked/policy.json")(it);
    symlinkSync(it.at.path("linked"), it.at.path(place));
  };
  const allow = (file: string, mode: number) => (it: Scene) => {
    if (existsSync(it.at.path(file))) chmodSync(it.at.path(file), mode);
  };
  const block = (place: string) => (it: Scene) => {
    remove(place)(it);
    writeFileSync(it.at.path(place), "no directory");
  };
  const steps = PLACES.flatMap((place) => [
    ["the directory is made", place, make(place)] as const,
    ["policy.json is written", place, write(`${place}/policy.json`)] as const,
    ["policy.jsonc is written", place, write(`${place}/policy.jsonc`)] as const,
    ["policy.json is exchanged", place, exchange(`${place}/policy.json`)] as const,
    ["policy.json is taken away", place, remove(`${place}/policy.json`)] as const,
    ["policy.jsonc is taken away", place, remove(`${place}/policy.jsonc`)] as const,
    ["the directory is taken away", place, remove(place)] as const,
    ["a directory with a policy arrives", place, arrive(place)] as const,
    ["a link to such a directory arrives", place, link(place)] as const,
    ["what is no directory takes its place", place, block(place)] as const,
    ["anybody may change policy.json", place, allow(`${place}/policy.json`, 0o666)] as const,
  ]);

  test.each(steps.filter(([, place]) => place !== "above/.hallpass"))("%s: %s, whatever was there", (_title, place, step) => {
    const before = [remove(place), make(place), write(`${place}/policy.json`), write(`${place}/policy.jsonc`), arrive(place), block(place)];
    for (const first of before) {
      const it = scene(false);
      first(it);
      const [was] = it.both();
      step(it);
      const [kept, fresh] = it.both();
      expect(kept).toBe(fresh);
      // And what follows is seen as well.
      remove(place)(it);
      write(`${place}/policy.jsonc`)(it);
      const [next, nextFresh] = it.both();
      expect([next, next === was]).toEqual([nextFresh, false]);
      it.at.remove();
    }
  });

  test("so it is for a file that was named", () => {
    const it = scene(true);
    for (const step of [write(NAMED), exchange(NAMED), remove(NAMED), exchange(NAMED), write(NAMED)]) {
      const [was] = it.both();
      step(it);
      const [kept, fresh] = it.both();
      expect([kept, kept === was]).toEqual([fresh, false]);
    }
    it.at.remove();
  });

  test("so it is where a place becomes a link, and what it leads to has no policy any more", () => {
    const it = scene(false);
    it.both();
    for (const step of [link("ws/.hallpass"), remove("ws/.hallpass/policy.json")]) {
      step(it);
      const [kept, fresh] = it.both();
      expect([kept, kept.includes("behind a link")]).toEqual([fresh, true]);
    }
    it.at.remove();
  });

  test("so it is after any changes in any order; and what has not changed is compiled once", () => {
    const all = steps.map(([, , step]) => step);
    fc.assert(
      fc.property(fc.array(fc.nat(all.length - 1), { maxLength: 12 }), (order) => {
        const it = scene(false);
        try {
          for (const index of order) {
            all[index]?.(it);
            const [kept, fresh] = it.both();
            expect(kept).toBe(fresh);
            if (kept.startsWith("{")) expect(it.isKept()).toBe(true);
          }
        } finally {
          it.at.remove();
        }
      }),
      { numRuns: 25 },
    );
  });
});

test("the projects above hold too, and may only tighten", () => {
  const it = around();
  it.project("other", { read: { "/etc/hosts": "deny" } });
  const denies = (inherited: readonly string[]): unknown =>
    evaluate(it.policyFor(it.at.path("ws"), inherited), "/etc/hosts", "read", {
      root: null,
      outsideWorkspace: true,
      outsideScope: true,
    }).strictest?.verdict;
  expect(denies([])).toBeUndefined();
  expect(denies([it.at.path("other")])).toBe("deny");
});

test("our own data directory is a secret wherever it was put: whoever read its token could answer its own asks", () => {
  const at = tree(["home/", "ws/", "lib/data/token: T", "lib/shared/hallpass/token: T", "lib/named/token: T", "lib/plain/token: T"]);
  onTestFinished(() => at.remove());
  const env = { XDG_DATA_HOME: at.path("lib/shared"), HALLPASS_DATA: at.path("lib/named") };
  const found = (more: object, file: string): boolean => {
    const around = { home: at.path("home"), env: {}, platform: "linux" as const, ...more };
    return createPolicyFor(around)(at.path("ws"), []).secrets.find(at.path(`lib/${file}`)) !== null;
  };
  for (const file of ["data/token", "shared/hallpass/token", "named/token"])
    expect([file, found({ env, data: at.path("lib/data") }, file), found({}, file)]).toEqual([file, true, false]);
  expect(found({ env, data: at.path("lib/data") }, "plain/token")).toBe(false);
});
