// Authors put together: the strictest word stands, and only who owns the machine may loosen.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { combinePolicies } from "./combine.ts";
import { type Author, parsePolicy, type PolicyPart } from "./parse.ts";
import { emptyPolicy, stricter, type Verdict } from "./rule.ts";

function part(author: Author, value: unknown): PolicyPart {
  const parsed = parsePolicy(value, { author, home: "/home/ada" });
  if (!parsed.ok) throw new Error(parsed.errors.map(({ message }) => message).join("\n"));
  return parsed.part;
}
const administrator = (value: unknown): PolicyPart => part("administrator", value);
const operator = (value: unknown): PolicyPart => part("operator", value);
const project = (value: unknown): PolicyPart => part("project", value);

const silent = (name: Author) => ({ name, rules: [], defaults: { read: null, write: null } });

describe("nobody, or nobody with anything to say", () => {
  test("no parts are the default", () => {
    expect(combinePolicies([])).toEqual(emptyPolicy);
  });

  test("three silent authors", () => {
    expect(combinePolicies([administrator({}), operator({}), project({})])).toEqual({
      ...emptyPolicy,
      layers: [silent("administrator"), silent("operator"), silent("project")],
    });
  });

  test("layers stay as they are and in their order", () => {
    const parts = [operator({ read: { "/a": "allow", "*": "deny" } }), project({ write: { "/b": "ask" } })];
    expect(combinePolicies(parts).layers).toEqual(parts.map(({ layer }) => layer));
  });
});

test("a session may lie unused for as long as the shortest word says, whoever says it; a day where nobody does", () => {
  const hours = (...parts: readonly PolicyPart[]) => combinePolicies(parts).sessions.idleHours;
  const said = (idle_hours: number) => ({ sessions: { idle_hours } });
  expect(hours(operator({}))).toBe(24);
  expect(hours(operator(said(100)))).toBe(100);
  expect(hours(administrator(said(8)), operator(said(100)))).toBe(8);
  expect(hours(operator(said(8)), project(said(2)))).toBe(2);
});

test("hooks decide without the daemon, unless anybody says that they must not", () => {
  const without = (...parts: readonly PolicyPart[]) => combinePolicies(parts).hooks.withoutDaemon;
  const said = (without_daemon: "spool" | "deny") => ({ hooks: { without_daemon } });
  expect(without(operator({}))).toBe("spool");
  expect(without(operator(said("deny")), project(said("spool")))).toBe("deny");
  expect(without(operator(said("spool")), project(said("deny")))).toBe("deny");
});

describe("presets speak where their author does not", () => {
  const readDefault = (author: Author, verdict: Verdict) => ({ id: `${author}:preset`, verdict, source: null });

  test("strict asks every time, shuts what git ignores, and offers once", () => {
    for (const author of ["administrator", "operator", "project"] as const) {
      expect(combinePolicies([part(author, { preset: "strict" })])).toEqual({
        ...emptyPolicy,
        layers: [{ ...silent(author), defaults: { read: readDefault(author, "ask"), write: null } }],
        gitignored: "deny",
        asks: { by: null, offer: "once" },
      });
    }
  });

  test("balanced says what nobody's word says", () => {
    expect(combinePolicies([operator({ preset: "balanced" })])).toEqual({ ...emptyPolicy, layers: [silent("operator")] });
  });

  test("open-read lets reading go", () => {
    expect(combinePolicies([operator({ preset: "open-read" })])).toEqual({
      ...emptyPolicy,
      layers: [{ ...silent("operator"), defaults: { read: readDefault("operator", "allow"), write: null } }],
    });
  });

  test("a repository's open-read lets nothing go, even were it not left out before", () => {
    expect(combinePolicies([{ ...project({}), preset: "open-read" }])).toEqual({ ...emptyPolicy, layers: [silent("project")] });
  });

  test("the author's own words stand before those of the preset", () => {
    const said = operator({
      preset: "strict",
      read: { "/a": "allow", "*": "deny" },
      write: "ask",
      gitignored: "allow",
      asks: { offer: "session" },
    });
    expect(combinePolicies([said])).toEqual({ ...emptyPolicy, layers: [said.layer] });
    const loose = operator({ preset: "open-read", gitignored: "ask", asks: { offer: "once" } });
    expect(combinePolicies([loose])).toEqual({
      ...emptyPolicy,
      layers: [{ ...silent("operator"), defaults: { read: readDefault("operator", "allow"), write: null } }],
      gitignored: "ask",
      asks: { by: null, offer: "once" },
    });
  });

  test("a preset keeps the author's rules and default for writing", () => {
    const said = operator({ preset: "strict", read: { "/a": "allow" }, write: "deny" });
    expect(combinePolicies([said]).layers).toEqual([
      { ...said.layer, defaults: { read: readDefault("operator", "ask"), write: said.layer.defaults.write } },
    ]);
    const theirs = project({ preset: "strict", read: { "/a": "deny" }, write: "deny" });
    expect(combinePolicies([theirs]).layers).toEqual([
      { ...theirs.layer, defaults: { read: readDefault("project", "ask"), write: theirs.layer.defaults.write } },
    ]);
  });
});

describe("the strictest word of all authors stands", () => {
  const words = ["allow", "ask", "deny"] as const;

  test.each(words.flatMap((one) => words.map((other) => [one, other] as const)))("operator %s, project %s", (one, other) => {
    const combined = combinePolicies([operator({ gitignored: one, hardlinks: other }), project({ gitignored: other, hardlinks: one })]);
    expect([combined.gitignored, combined.hardlinks]).toEqual([stricter(one, other), stricter(one, other)]);
  });

  test("a preset's word counts among the others", () => {
    expect(combinePolicies([operator({ gitignored: "allow" }), project({ preset: "strict" })]).gitignored).toBe("deny");
    expect(combinePolicies([administrator({ preset: "strict" }), operator({ gitignored: "allow" })]).gitignored).toBe("deny");
    expect(combinePolicies([operator({ gitignored: "ask" }), project({ preset: "balanced" })]).gitignored).toBe("ask");
    expect(combinePolicies([operator({ hardlinks: "ask" }), project({ preset: "strict" })]).hardlinks).toBe("ask");
  });

  test("one who offers only once is enough", () => {
    const offer = (...parts: PolicyPart[]) => combinePolicies(parts).asks.offer;
    expect(offer(operator({ asks: { offer: "session" } }), project({ asks: { offer: "once" } }))).toBe("once");
    expect(offer(administrator({ preset: "strict" }), operator({ asks: { offer: "session" } }))).toBe("once");
    expect(offer(operator({ asks: { offer: "session" } }), project({ preset: "balanced" }))).toBe("session");
  });

  test("who asks is the last author's word", () => {
    const by = (...parts: PolicyPart[]) => combinePolicies(parts).asks.by;
    expect(by(administrator({ asks: { by: "model" } }), operator({ asks: { by: "guard" } }))).toBe("guard");
    expect(by(administrator({ asks: { by: "model" } }), operator({}))).toBe("model");
    expect(by(operator({}), project({}))).toBeNull();
  });

  test("one more author never makes a setting less strict", () => {
    const value = fc.record(
      { gitignored: fc.constantFrom(...words), hardlinks: fc.constantFrom(...words), preset: fc.constantFrom("strict", "balanced") },
      { requiredKeys: [] },
    );
    const author = fc.constantFrom<Author>("administrator", "operator", "project");
    fc.assert(
      fc.property(fc.array(fc.tuple(author, value), { maxLength: 3 }), fc.tuple(author, value), (some, more) => {
        const before = combinePolicies(some.map(([who, what]) => part(who, what)));
        const after = combinePolicies([...some, more].map(([who, what]) => part(who, what)));
        expect([stricter(before.gitignored, after.gitignored), stricter(before.hardlinks, after.hardlinks)]).toEqual([
          after.gitignored,
          after.hardlinks,
        ]);
        expect(before.asks.offer === "once" && after.asks.offer !== "once").toBe(false);
      }),
    );
  });
});

describe("names that are taken off the builtin lists, and added to them", () => {
  const except = (...patterns: string[]) => ({ secrets: { except: patterns }, protected: { except: patterns } });

  const lifted = (...parts: PolicyPart[]) => {
    const { secrets, protect } = combinePolicies(parts);
    expect(protect).toEqual(secrets);
    return secrets.except;
  };

  test("the operator lifts", () => {
    expect(lifted(operator(except("a.pem", "b.pem")))).toEqual(["a.pem", "b.pem"]);
  });

  test("a repository does not, even were its words not left out before", () => {
    expect(
      lifted(operator(except("a.pem")), { ...project({}), secrets: { except: ["x"], add: [] }, protect: { except: ["x"], add: [] } }),
    ).toEqual(["a.pem"]);
  });

  test("where there is an administrator, nothing beyond the administrator's list is lifted", () => {
    expect(lifted(administrator(except("a.pem")))).toEqual(["a.pem"]);
    expect(lifted(administrator(except("a.pem")), operator(except("a.pem", "b.pem")))).toEqual(["a.pem"]);
    expect(lifted(administrator(except("a.pem", "c.pem")), operator({}))).toEqual(["a.pem", "c.pem"]);
    expect(lifted(administrator({}), operator(except("a.pem")))).toEqual([]);
  });

  test("secrets and protected names are told apart", () => {
    const { secrets, protect } = combinePolicies([operator({ secrets: { except: "a", add: "b" }, protected: { except: "c", add: "d" } })]);
    expect([secrets, protect]).toEqual([
      { except: ["a"], add: ["b"] },
      { except: ["c"], add: ["d"] },
    ]);
  });

  test("everybody adds", () => {
    const add = (name: string) => ({ secrets: { add: name }, protected: { add: `${name}.p` } });
    const { secrets, protect } = combinePolicies([administrator(add("a")), operator(add("b")), project(add("c"))]);
    expect([secrets, protect]).toEqual([
      { except: [], add: ["a", "b", "c"] },
      { except: [], add: ["a.p", "b.p", "c.p"] },
    ]);
  });
});

describe("ceilings and projects", () => {
  const ceilings = (...parts: PolicyPart[]) => combinePolicies(parts).ceilings;

  test("nobody's word is the default, an empty list is none at all", () => {
    expect(ceilings(administrator({}), operator({}))).toBeNull();
    expect(ceilings(operator({ ceilings: [] }))).toEqual([]);
  });

  test("one owner's word stands", () => {
    expect(ceilings(operator({ ceilings: ["/srv"] }))).toEqual(["/srv"]);
    expect(ceilings(administrator({ ceilings: ["/opt"] }))).toEqual(["/opt"]);
    expect(ceilings(administrator({ ceilings: ["/opt"] }), operator({}))).toEqual(["/opt"]);
    expect(ceilings(administrator({}), operator({ ceilings: ["/srv"] }))).toEqual(["/srv"]);
  });

  test("the operator's count only inside the administrator's", () => {
    expect(
      ceilings(
        administrator({ ceilings: ["/opt/", "/srv/a"] }),
        operator({ ceilings: ["/opt", "/opt/x", "/opt-evil", "/srv", "/srv/a/b/", "/home"] }),
      ),
    ).toEqual(["/opt", "/opt/x", "/srv/a/b"]);
    expect(ceilings(administrator({ ceilings: ["/opt"] }), operator({ ceilings: ["/srv"] }))).toEqual([]);
    expect(ceilings(administrator({ ceilings: ["/"] }), operator({ ceilings: ["/srv"] }))).toEqual(["/srv"]);
  });

  test("whoever of the two comes first", () => {
    expect(ceilings(operator({ ceilings: ["/", "/opt/x"] }), administrator({ ceilings: ["/opt"] }))).toEqual(["/opt/x"]);
    expect(ceilings(operator({ ceilings: ["/srv"] }), administrator({}))).toEqual(["/srv"]);
  });

  test("a repository's count for nothing, even were they not left out before", () => {
    const theirs: PolicyPart = { ...project({}), ceilings: ["/"], projects: ["/"] };
    expect(ceilings(theirs)).toBeNull();
    expect(ceilings(operator({ ceilings: ["/srv"] }), theirs)).toEqual(["/srv"]);
    expect(combinePolicies([theirs]).projects).toEqual([]);
  });

  test("the owners' projects are all projects", () => {
    expect(combinePolicies([administrator({ projects: ["/a"] }), operator({ projects: ["/b", "/c"] })]).projects).toEqual([
      "/a",
      "/b",
      "/c",
    ]);
  });
});

test("commands have the network where an owner of the machine opens it and nobody shuts it", () => {
  const network = (...parts: PolicyPart[]): string | null => combinePolicies(parts).commands.network;
  const [open, shut] = [{ commands: { network: "host" } }, { commands: { network: "none" } }];
  expect(network()).toBe(null);
  expect(network(operator({}))).toBe(null);
  expect(network(operator(open))).toBe("host");
  expect(network(operator(open), project({}))).toBe("host");
  expect(network(operator(open), project(shut))).toBe("none");
  expect(network(administrator(shut), operator(open))).toBe("none");
  expect(network(project(open))).toBe(null);
});
