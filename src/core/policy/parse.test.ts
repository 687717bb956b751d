// A policy file's content: every key in every form, and each mistake with the sentence its author will read.

import { describe, expect, test } from "vitest";
import { type Author, type Keys, parsePolicy, type PolicyError, type PolicyPart, RULES } from "./parse.ts";

const HOME = "/home/ada";

const parse = (value: unknown, author: Author = "operator") => parsePolicy(value, { author, home: HOME });

function partOf(value: unknown, author: Author = "operator"): PolicyPart {
  const parsed = parse(value, author);
  if (!parsed.ok) throw new Error(parsed.errors.map(({ message }) => message).join("\n"));
  return parsed.part;
}

/** What is wrong, as its place and its sentence. */
function errorsOf(value: unknown, author: Author = "operator"): readonly string[] {
  const parsed = parse(value, author);
  return parsed.ok ? [] : parsed.errors.map(({ keys, message }) => `${keys.join(".")}: ${message}`);
}

const nothingSaid = (author: Author): PolicyPart => ({
  author,
  layer: { name: author, rules: [], defaults: { read: null, write: null } },
  preset: null,
  secrets: { except: [], add: [] },
  protect: { except: [], add: [] },
  gitignored: null,
  hardlinks: null,
  ceilings: null,
  projects: [],
  asks: { by: null, offer: null },
  commands: { network: null, rule: null, source: null },
  sessions: { idleHours: null },
  hooks: { withoutDaemon: null },
  workspaces: [],
  sources: {},
  ignored: [],
});

interface Facts {
  readonly right?: "read" | "write";
  readonly outsideOnly?: boolean;
  readonly why?: string;
}
const rule = (id: string, glob: string, verdict: string, { right = "read", outsideOnly = false, why }: Facts = {}) => ({
  id,
  right,
  glob,
  verdict,
  outsideOnly,
  why: why ?? null,
  source: null,
});
const last = (id: string, verdict: string) => ({ id, verdict, source: null });

describe("a policy that says nothing", () => {
  test.each(["operator", "administrator", "project"] as const)("by the %s", (author) => {
    expect(parse({}, author)).toEqual({ ok: true, part: nothingSaid(author) });
    expect(parse({ $schema: "./policy.schema.json" }, author)).toEqual({ ok: true, part: nothingSaid(author) });
  });

  test("keys that are there but undefined say nothing either", () => {
    const value = {
      $schema: undefined,
      read: undefined,
      permission: { external_directory: undefined },
      preset: undefined,
      gitignored: undefined,
      asks: { by: undefined },
      secrets: { except: undefined },
    };
    expect(parse(value)).toEqual({ ok: true, part: nothingSaid("operator") });
    expect(parse({ permission: undefined, ceilings: undefined, projects: undefined })).toEqual({ ok: true, part: nothingSaid("operator") });
  });
});

describe("lists of rules", () => {
  test("a word is the last word on what is outside scope", () => {
    expect(partOf({ read: "allow", write: "deny" }).layer).toEqual({
      name: "operator",
      rules: [],
      defaults: { read: last("operator:read", "allow"), write: last("operator:write", "deny") },
    });
  });

  test("a map keeps its order, and its star is the last word wherever it stands", () => {
    expect(partOf({ read: { "/a": "allow", "*": "ask", "~/b/**": "deny", c: "ask" } }).layer).toEqual({
      name: "operator",
      rules: [rule("operator:read./a", "/a", "allow"), rule("operator:read.~/b/**", "~/b/**", "deny"), rule("operator:read.c", "c", "ask")],
      defaults: { read: last("operator:read.*", "ask"), write: null },
    });
  });

  test.each(["*", "**", "/**"])("`%s` is a star", (star) => {
    expect(partOf({ write: { [star]: "deny" } }).layer).toEqual({
      name: "operator",
      rules: [],
      defaults: { read: null, write: last(`operator:write.${star}`, "deny") },
    });
  });

  test("an empty map is a list with nothing in it, which is still a list", () => {
    expect(partOf({ write: {} }).layer).toEqual({
      name: "operator",
      rules: [],
      defaults: { read: null, write: null },
    });
  });

  test("of two stars in one list the stricter stands", () => {
    const stars = (...words: string[]) =>
      partOf({ read: Object.fromEntries(["*", "**", "/**"].map((star, at) => [star, words[at]])) }).layer.defaults.read;
    expect(stars("allow", "deny", "ask")).toEqual(last("operator:read.**", "deny"));
    expect(stars("ask", "allow", "allow")).toEqual(last("operator:read.*", "ask"));
    expect(stars("ask", "ask", "ask")).toEqual(last("operator:read.*", "ask"));
    expect(stars("allow", "allow", "ask")).toEqual(last("operator:read./**", "ask"));
  });

  test("a rule may be an object with its verdict, its reason and its examples", () => {
    const value = {
      read: { "~/b/**": { verdict: "allow", why: "our notes", matches: ["~/b/x", "~/b"], not: ["~/c", "/b"] }, "/d": { verdict: "deny" } },
    };
    expect(partOf(value).layer.rules).toEqual([
      rule("operator:read.~/b/**", "~/b/**", "allow", { why: "our notes" }),
      rule("operator:read./d", "/d", "deny"),
    ]);
  });

  test("the star may be an object as well", () => {
    expect(partOf({ read: { "*": { verdict: "deny", why: "nothing else" } } }).layer.defaults.read).toEqual(
      last("operator:read.*", "deny"),
    );
  });

  test("a name like a builtin of objects is a name", () => {
    const value: unknown = JSON.parse('{"read": {"__proto__": "deny", "constructor": "deny"}}');
    expect(partOf(value).layer.rules).toEqual([
      rule("operator:read.__proto__", "__proto__", "deny"),
      rule("operator:read.constructor", "constructor", "deny"),
    ]);
  });

  test("each author's rules carry the author's name", () => {
    for (const author of ["administrator", "project"] as const) {
      expect(partOf({ read: { "/a": "deny", "*": "ask" } }, author).layer).toEqual({
        name: author,
        rules: [rule(`${author}:read./a`, "/a", "deny")],
        defaults: { read: last(`${author}:read.*`, "ask"), write: null },
      });
    }
  });
});

describe("the shape of other agents, for what is outside the workspace", () => {
  const outside = (said: unknown) => ({ permission: { external_directory: said } });

  test("one word for both rights", () => {
    expect(partOf(outside("deny")).layer).toEqual({
      name: "operator",
      rules: [],
      defaults: {
        read: last("operator:permission.external_directory", "deny"),
        write: last("operator:permission.external_directory", "deny"),
      },
    });
  });

  test("a word for each right", () => {
    expect(partOf(outside({ read: "allow", write: "ask" })).layer).toEqual({
      name: "operator",
      rules: [],
      defaults: {
        read: last("operator:permission.external_directory.read", "allow"),
        write: last("operator:permission.external_directory.write", "ask"),
      },
    });
  });

  test("a map for one right, nothing for the other", () => {
    expect(partOf(outside({ read: { "~/w/**": "allow", "*": "deny" } })).layer).toEqual({
      name: "operator",
      rules: [rule("operator:permission.external_directory.read.~/w/**", "~/w/**", "allow", { outsideOnly: true })],
      defaults: { read: last("operator:permission.external_directory.read.*", "deny"), write: null },
    });
    expect(partOf(outside({ write: { "/w": { verdict: "ask", why: "shared" } } })).layer).toEqual({
      name: "operator",
      rules: [rule("operator:permission.external_directory.write./w", "/w", "ask", { right: "write", outsideOnly: true, why: "shared" })],
      defaults: { read: null, write: null },
    });
  });

  test("both shapes together: rules that hold everywhere first, and the stricter of two stars", () => {
    const both = (own: string, other: string) =>
      partOf({ read: { "/a": "ask", "*": own }, ...outside({ read: { "/b": "allow", "*": other } }) }).layer;
    expect(both("allow", "deny")).toEqual({
      name: "operator",
      rules: [
        rule("operator:read./a", "/a", "ask"),
        rule("operator:permission.external_directory.read./b", "/b", "allow", { outsideOnly: true }),
      ],
      defaults: { read: last("operator:permission.external_directory.read.*", "deny"), write: null },
    });
    expect(both("deny", "allow").defaults.read).toEqual(last("operator:read.*", "deny"));
    expect(both("ask", "ask").defaults.read).toEqual(last("operator:read.*", "ask"));
  });

  test("nothing in it says nothing", () => {
    expect(parse({ permission: {} })).toEqual({ ok: true, part: nothingSaid("operator") });
    expect(parse(outside({}))).toEqual({ ok: true, part: nothingSaid("operator") });
  });

  test("a pattern must be able to match outside", () => {
    const sentence = (pattern: string) =>
      `permission.external_directory.read.${pattern}: pattern \`${pattern}\`: outside the workspace a pattern must begin with \`/\`, \`~/\` or \`**/\``;
    expect(errorsOf(outside({ read: { "src/x": "allow", "a/**": "deny" } }))).toEqual([sentence("src/x"), sentence("a/**")]);
    expect(errorsOf(outside({ read: { name: "allow", "**/a": "allow", "/b": "allow", "~/c": "allow" } }))).toEqual([]);
    expect(errorsOf({ read: { "src/x": "allow" } })).toEqual([]);
  });
});

describe("settings", () => {
  test("all of them", () => {
    const value = {
      preset: "strict",
      secrets: { except: ["**/test.pem", "/x/.env"], add: "*.secret" },
      protected: { except: "**/.vscode", add: ["Makefile"] },
      gitignored: "ask",
      hardlinks: "deny",
      ceilings: ["~", "~/work", "/opt", "/srv/", "/"],
      projects: "~/work/app//",
      asks: { by: "guard", offer: "once" },
    };
    expect(partOf(value)).toEqual({
      ...nothingSaid("operator"),
      preset: "strict",
      secrets: { except: ["**/test.pem", "/x/.env"], add: ["*.secret"] },
      protect: { except: ["**/.vscode"], add: ["Makefile"] },
      gitignored: "ask",
      hardlinks: "deny",
      ceilings: ["/home/ada", "/home/ada/work", "/opt", "/srv", "/"],
      projects: ["/home/ada/work/app"],
      asks: { by: "guard", offer: "once" },
    });
  });

  test.each(["strict", "balanced", "open-read"] as const)("the preset %s", (preset) => {
    expect(partOf({ preset })).toEqual({ ...nothingSaid("operator"), preset });
  });

  test.each(["model", "guard"] as const)("asked by the %s", (by) => {
    expect(partOf({ asks: { by } })).toEqual({ ...nothingSaid("operator"), asks: { by, offer: null } });
  });

  test.each(["once", "session"] as const)("offered: %s", (offer) => {
    expect(partOf({ asks: { offer } })).toEqual({ ...nothingSaid("operator"), asks: { by: null, offer } });
  });

  test("an empty list of ceilings is not the default", () => {
    expect(partOf({ ceilings: [] })).toEqual({ ...nothingSaid("operator"), ceilings: [] });
  });

  test("empty lists of names", () => {
    expect(partOf({ secrets: {}, protected: { except: [], add: [] }, projects: [], asks: {} })).toEqual(nothingSaid("operator"));
  });
});

describe("mistakes are errors, each at its place", () => {
  const word = (found: string, words = "allow, ask, deny") => `must be one of ${words}; found ${found}`;
  const TOP =
    "read, write, permission, secrets, protected, gitignored, hardlinks, ceilings, projects, preset, asks, commands, sessions, hooks, workspaces";
  const TEXTS = "must be a string, or a list of strings, none of them empty";

  test.each<readonly [what: string, value: unknown, errors: readonly string[]]>([
    ["no object: nothing", undefined, [": a policy must be an object; found nothing"]],
    ["no object: null", null, [": a policy must be an object; found null"]],
    ["no object: a list", [], [": a policy must be an object; found a list"]],
    ["no object: a word", "deny", [": a policy must be an object; found `deny`"]],
    ["no object: a number", 1, [": a policy must be an object; found a number"]],
    ["no object: a truth", true, [": a policy must be an object; found a boolean"]],
    ["an unknown key", { reed: "deny" }, [`reed: unknown key \`reed\`; known here: ${TOP}`]],
    ["an unknown key that hides", { "re\u200bad": "deny" }, [`re\u200bad: unknown key \`re\\u{200b}ad\`; known here: ${TOP}`]],
    ["two unknown keys", { a: 1, b: 2 }, [`a: unknown key \`a\`; known here: ${TOP}`, `b: unknown key \`b\`; known here: ${TOP}`]],
    ["an unknown permission", { permission: { bash: "deny" } }, ["permission.bash: unknown key `bash`; known here: external_directory"]],
    [
      "an unknown right",
      { permission: { external_directory: { list: "deny" } } },
      ["permission.external_directory.list: unknown key `list`; known here: read, write"],
    ],
    [
      "an unknown key of a rule",
      { read: { "/a": { verdict: "deny", because: "x" } } },
      ["read./a.because: unknown key `because`; known here: verdict, why, matches, not"],
    ],
    ["an unknown key of secrets", { secrets: { remove: [] } }, ["secrets.remove: unknown key `remove`; known here: except, add"]],
    ["an unknown key of protected", { protected: { lift: [] } }, ["protected.lift: unknown key `lift`; known here: except, add"]],
    ["an unknown key of asks", { asks: { to: "me" } }, ["asks.to: unknown key `to`; known here: by, offer"]],
    ["a schema that is no text", { $schema: 1 }, ["$schema: `$schema` must be a string"]],
    ["a wrong word for a right", { read: "yes" }, [`read: ${word("`yes`")}`]],
    ["a word in another case", { read: "Deny" }, [`read: ${word("`Deny`")}`]],
    ["a number for a right", { write: 1 }, ["write: this must be an object; found a number"]],
    ["null for a right", { read: null }, ["read: this must be an object; found null"]],
    ["a list for a right", { read: ["/a"] }, ["read: this must be an object; found a list"]],
    ["a wrong word in a map", { read: { "/a": "never" } }, [`read./a: ${word("`never`")}`]],
    ["a wrong star", { read: { "*": "never" } }, [`read.*: ${word("`never`")}`]],
    ["a verdict that is no word", { read: { "/a": true } }, ["read./a: this must be an object; found a boolean"]],
    ["null for a rule", { read: { "/a": null } }, ["read./a: this must be an object; found null"]],
    ["a list for a rule", { read: { "/a": ["deny"] } }, ["read./a: this must be an object; found a list"]],
    [
      "a rule without a verdict, after another mistake",
      { read: { "/a": "no", "/b": {} } },
      [`read./a: ${word("`no`")}`, "read./b: a rule must say its `verdict`: allow, ask or deny"],
    ],
    ["an example in a list of its own", { read: { "/a": { verdict: "deny", matches: [["/a"]] } } }, [`read./a.matches.0: ${TEXTS}`]],
    ["a ceiling with a NUL", { ceilings: "/a\0b" }, ["ceilings.0: `/a\\u{0}b` must be an absolute path, or begin with `~/`, without `..`"]],
    ["a long wrong word is cut", { read: "x".repeat(41) }, [`read: ${word(`\`${"x".repeat(40)}\``)}`]],
    ["a wrong word that hides", { read: "de\u202eny" }, [`read: ${word("`de\\u{202e}ny`")}`]],
    ["a rule without a verdict", { read: { "/a": {} } }, ["read./a: a rule must say its `verdict`: allow, ask or deny"]],
    [
      "a rule with nothing for a verdict",
      { read: { "/a": { verdict: undefined } } },
      ["read./a: a rule must say its `verdict`: allow, ask or deny"],
    ],
    ["a star without a verdict", { read: { "*": { why: "x" } } }, ["read.*: a rule must say its `verdict`: allow, ask or deny"]],
    ["a rule with a wrong verdict", { read: { "/a": { verdict: "no" } } }, [`read./a.verdict: ${word("`no`")}`]],
    ["a rule with null for a verdict", { read: { "/a": { verdict: null } } }, [`read./a.verdict: ${word("null")}`]],
    ["a rule with a list for a verdict", { read: { "/a": { verdict: ["deny"] } } }, [`read./a.verdict: ${word("a list")}`]],
    ["a rule with an object for a verdict", { read: { "/a": { verdict: {} } } }, [`read./a.verdict: ${word("an object")}`]],
    [
      "a reason that is too long",
      { read: { "/a": { verdict: "deny", why: "x".repeat(501) } } },
      ["read./a.why: `why` must be a string of at most 500 characters"],
    ],
    [
      "a reason that is no text",
      { read: { "/a": { verdict: "deny", why: 1 } } },
      ["read./a.why: `why` must be a string of at most 500 characters"],
    ],
    [
      "examples that are no texts",
      { read: { "/a": { verdict: "deny", matches: [1, "/a", ""], not: 2 } } },
      [`read./a.matches.0: ${TEXTS}`, `read./a.matches.2: ${TEXTS}`, `read./a.not: ${TEXTS}`],
    ],
    ["a wrong permission", { permission: "deny" }, ["permission: this must be an object; found `deny`"]],
    [
      "a wrong word outside is told once, though it is for both rights",
      { permission: { external_directory: "no" } },
      [`permission.external_directory: ${word("`no`")}`],
    ],
    ["a list outside", { permission: { external_directory: [] } }, ["permission.external_directory: this must be an object; found a list"]],
    [
      "a wrong word outside, for one right",
      { permission: { external_directory: { write: "no" } } },
      [`permission.external_directory.write: ${word("`no`")}`],
    ],
    ["a wrong preset", { preset: "lax" }, [`preset: ${word("`lax`", "strict, balanced, open-read")}`]],
    ["a wrong setting for what git ignores", { gitignored: "hide" }, [`gitignored: ${word("`hide`")}`]],
    ["a wrong setting for hard links", { hardlinks: null }, [`hardlinks: ${word("null")}`]],
    ["a wrong asker", { asks: { by: "me" } }, [`asks.by: ${word("`me`", "model, guard")}`]],
    ["a wrong offer", { asks: { offer: "always" } }, [`asks.offer: ${word("`always`", "once, session")}`]],
    ["asks that are no object", { asks: "once" }, ["asks: this must be an object; found `once`"]],
    ["secrets that are no object", { secrets: ["x"] }, ["secrets: this must be an object; found a list"]],
    [
      "names that are no texts",
      { secrets: { add: [1] }, protected: { except: "" } },
      [`secrets.add.0: ${TEXTS}`, `protected.except: ${TEXTS}`],
    ],
    [
      "a pattern that is none",
      { read: { "/a//b": "deny" } },
      ["read./a//b: pattern `/a//b`: a pattern must not have an empty name (two slashes)"],
    ],
    [
      "a pattern that hides",
      { read: { "a\u202eb/../c": "deny" } },
      ["read.a\u202eb/../c: pattern `a\\u{202e}b/../c`: a pattern is matched against real paths, which have no `.` or `..` in them"],
    ],
    [
      "a pattern that is too long",
      { read: { [`/${"a".repeat(4096)}`]: "deny" } },
      [`read./${"a".repeat(4096)}: pattern \`/${"a".repeat(4096)}\`: a pattern must not be longer than 4096 characters`],
    ],
    [
      "a secret that is no pattern",
      { secrets: { except: ["**x"] } },
      ["secrets.except.0: pattern `**x`: `**` must be a whole name between slashes"],
    ],
    [
      "a secret for each root",
      { secrets: { add: ["ok", "a/b"] } },
      ["secrets.add.1: pattern `a/b`: must begin with `/`, `~/` or `**/`, or be a single name"],
    ],
    [
      "all secrets at once",
      { secrets: { except: ["*"] } },
      ["secrets.except.0: pattern `*`: a pattern that matches everything is not allowed here; name the files"],
    ],
    [
      "all that is protected at once",
      { protected: { except: "/**" } },
      ["protected.except.0: pattern `/**`: a pattern that matches everything is not allowed here; name the files"],
    ],
    [
      "a ceiling that is not absolute",
      { ceilings: ["work", "/ok"] },
      ["ceilings.0: `work` must be an absolute path, or begin with `~/`, without `..`"],
    ],
    ["a ceiling with dots", { ceilings: "/a/../b" }, ["ceilings.0: `/a/../b` must be an absolute path, or begin with `~/`, without `..`"]],
    [
      "a ceiling of another's home",
      { ceilings: "~bob" },
      ["ceilings.0: `~bob` must be an absolute path, or begin with `~/`, without `..`"],
    ],
    [
      "a project with dots at the end",
      { projects: ["/ok", "~/.."] },
      ["projects.1: `~/..` must be an absolute path, or begin with `~/`, without `..`"],
    ],
    ["a project that is no text", { projects: {} }, [`projects: ${TEXTS}`]],
    [
      "several at once",
      { read: "no", gitignored: "no", x: 1 },
      [`x: unknown key \`x\`; known here: ${TOP}`, `read: ${word("`no`")}`, `gitignored: ${word("`no`")}`],
    ],
  ])("%s", (_what, value, errors) => {
    expect(errorsOf(value)).toEqual(errors);
  });

  test("a reason of 500 characters is not too long", () => {
    const why = "x".repeat(500);
    expect(partOf({ read: { "/a": { verdict: "deny", why } } }).layer.rules).toEqual([rule("operator:read./a", "/a", "deny", { why })]);
  });

  test("names of dots that are no steps up are names", () => {
    expect(partOf({ ceilings: ["/a/./b", "/a//b/", "/.", "//"] }).ceilings).toEqual(["/a/b", "/a/b", "/", "/"]);
    expect(partOf({ ceilings: ["/a..b", "/..."] }).ceilings).toEqual(["/a..b", "/..."]);
  });

  test.each(["0", "7", "2024", "4294967294", "9999999999"])("`%s` as a whole pattern would lose its place in the order", (key) => {
    const sentence = `\`${key}\` is a whole number, and such a key would lose its place in the list; write \`**/${key}\``;
    expect(errorsOf({ read: { "/a": "allow", [key]: "deny" } })).toEqual([`read.${key}: ${sentence}`]);
  });

  test.each(["007", "1a", "-1", "1.5", "**/2024", "12345678901", "a0"])("`%s` keeps its place", (key) => {
    expect(partOf({ read: { "/a": "allow", [key]: "deny" } }).layer.rules.map(({ glob }) => glob)).toEqual(["/a", key]);
  });

  test("errors say where in the file they are", () => {
    const locate = (keys: Keys) =>
      keys.length === 0 ? null : { file: "policy.json", line: keys.length, column: String(keys.at(-1)).length };
    const options = { author: "operator", home: HOME, locate } as const;
    const errors: readonly PolicyError[] = [
      { message: "must be one of allow, ask, deny; found `no`", keys: ["read"], source: { file: "policy.json", line: 1, column: 4 } },
      {
        message: "must be one of allow, ask, deny; found `no`",
        keys: ["write", "/abc", "verdict"],
        source: { file: "policy.json", line: 3, column: 7 },
      },
    ];
    expect(parsePolicy({ read: "no", write: { "/abc": { verdict: "no" } } }, options)).toEqual({ ok: false, errors });
    const parsed = parsePolicy({ read: { "/abc": "ask", "*": "deny" } }, options);
    expect(parsed.ok && parsed.part.layer).toEqual({
      name: "operator",
      rules: [{ ...rule("operator:read./abc", "/abc", "ask"), source: { file: "policy.json", line: 2, column: 4 } }],
      defaults: { read: { ...last("operator:read.*", "deny"), source: { file: "policy.json", line: 2, column: 1 } }, write: null },
    });
    expect(parsePolicy(null, options)).toEqual({
      ok: false,
      errors: [{ message: "a policy must be an object; found null", keys: [], source: null }],
    });
  });
});

describe("a rule that does not do what its author thinks does not load", () => {
  const tried = (pattern: string, said: object) => errorsOf({ read: { [pattern]: said } });

  test("an example that is not matched", () => {
    expect(tried("/a/*.txt", { verdict: "ask", matches: ["/a/x.txt", "/a/x.md"] })).toEqual([
      "read./a/*.txt.matches.1: the rule does not match its own example `/a/x.md`",
    ]);
  });

  test("an example that must not be matched and is", () => {
    expect(tried("/a/*.txt", { verdict: "ask", not: ["/a/x.md", "/a/x.txt"] })).toEqual([
      "read./a/*.txt.not.1: the rule matches `/a/x.txt`, which it says it must not",
    ]);
  });

  test("both, and examples that hide", () => {
    expect(tried("/a", { verdict: "deny", matches: "/b\u200b", not: "/a\u200b" })).toEqual([
      "read./a.matches.0: the rule does not match its own example `/b\\u{200b}`",
      "read./a.not.0: the rule matches `/a\\u{200b}`, which it says it must not",
    ]);
  });

  test.each([
    ["an allow says what it names and no more", "/a", { verdict: "allow", matches: ["/a"], not: ["/a/b", "/A"] }],
    ["an allow with two stars covers what is below", "/a/**", { verdict: "allow", matches: ["/a", "/a/b/c"], not: ["/ab"] }],
    ["an ask covers what is below", "/a", { verdict: "ask", matches: ["/a", "/a/b"], not: ["/A"] }],
    ["a deny covers what is below, in any letter case", "/a", { verdict: "deny", matches: ["/a", "/A/b"], not: ["/ab"] }],
    ["home", "~/x", { verdict: "allow", matches: ["~/x", "/home/ada/x"], not: ["/x", "~"] }],
    ["the home directory itself", "~", { verdict: "allow", matches: ["~", "/home/ada"], not: "~/x" }],
    ["below each root", "src/*", { verdict: "allow", matches: ["src/a", "/src/a"], not: ["lib/src/a"] }],
    ["a lone name", "x.key", { verdict: "allow", matches: ["x.key", "a/x.key", "/b/x.key"] }],
  ])("%s", (_what, pattern, said) => {
    expect(tried(pattern, said)).toEqual([]);
  });

  test("examples are tried for a repository's allow too, which is ignored otherwise", () => {
    expect(errorsOf({ read: { "/a": { verdict: "allow", matches: "/b" } } }, "project")).toEqual([
      "read./a.matches.0: the rule does not match its own example `/b`",
    ]);
  });
});

describe("a deny that can never deny is an error", () => {
  const dead = (deny: string, allow: string) =>
    `: \`${deny}\` can never deny: \`${allow}\` above it allows everything it names; put the deny first`;

  test.each([
    ["/a/**", "/a/b"],
    ["/a/**", "/a"],
    ["/a/**", "/a/**/b"],
    ["**/x/**", "/a/x/y"],
    ["**/*", "/a"],
    ["**/*", "**/.secret/**"],
    ["*/", "secret"],
    ["~/w/**", "/home/ada/w/x"],
    ["src/**", "src/gen"],
  ])("after an allow of `%s`, a deny of `%s`", (allow, deny) => {
    expect(errorsOf({ read: { [allow]: "allow", [deny]: "deny" } })).toEqual([dead(deny, allow)]);
    expect(errorsOf({ write: { [allow]: "allow", "/other": "ask", [deny]: "deny" } })).toEqual([dead(deny, allow)]);
    expect(errorsOf({ read: { [deny]: "deny", [allow]: "allow" } })).toEqual([]);
  });

  test.each([
    ["a deny that is only partly covered", { "/a/*": "allow", "/a/b": "deny" }],
    ["an allow of the directory alone", { "/a": "allow", "/a/b": "deny" }],
    ["an allow of just the same name, which leaves what is below", { "/a": "allow", "/a/**": "deny" }],
    ["an ask above", { "/a/**": "ask", "/a/b": "deny" }],
    ["a deny above", { "/a/**": "deny", "/a/b": "deny" }],
    ["an ask that is covered", { "/a/**": "allow", "/a/b": "ask" }],
    ["a star that allows", { "*": "allow", "/a": "deny" }],
  ])("%s is fine", (_what, read) => {
    expect(errorsOf({ read })).toEqual([]);
  });

  test("an allow of reading covers no deny of writing", () => {
    expect(errorsOf({ read: { "/a/**": "allow" }, write: { "/a/b": "deny" } })).toEqual([]);
  });

  test("the two shapes: an allow that holds everywhere covers a deny outside, not the other way round", () => {
    const outside = (read: object) => ({ permission: { external_directory: { read } } });
    expect(errorsOf({ read: { "/a/**": "allow" }, ...outside({ "/a/b": "deny" }) })).toEqual([dead("/a/b", "/a/**")]);
    expect(errorsOf(outside({ "/a/**": "allow", "/a/b": "deny" }))).toEqual([dead("/a/b", "/a/**")]);
    expect(errorsOf({ read: { "/a/b": "deny" }, ...outside({ "/a/**": "allow" }) })).toEqual([]);
    expect(errorsOf({ write: { "/a/**": "allow" }, ...outside({ "/a/b": "deny" }) })).toEqual([]);
    expect(errorsOf(outside({ "/a/b": "deny" }))).toEqual([]);
  });

  test("the patterns are shown harmlessly, and the place is the deny's", () => {
    const locate = (keys: Keys) => ({ file: "p", line: keys.length, column: 1 });
    expect(parsePolicy({ read: { "/a\u202e/**": "allow", "/a\u202e/b": "deny" } }, { author: "operator", home: HOME, locate })).toEqual({
      ok: false,
      errors: [
        {
          message: "`/a\\u{202e}/b` can never deny: `/a\\u{202e}/**` above it allows everything it names; put the deny first",
          keys: [],
          source: { file: "p", line: 2, column: 1 },
        },
      ],
    });
  });
});

describe("a repository may tighten, never loosen", () => {
  const NEVER = "a repository's own policy may ask or deny, never allow; this line is ignored";
  const ignored = (keys: Keys, message = NEVER) => ({ message, keys, source: null });
  const notSet = (key: string, keys: Keys) => ignored(keys, `a repository's own policy may not set \`${key}\`; it is ignored`);

  test("its allows are left out and reported; the rest holds", () => {
    const value = {
      read: { "/a": "allow", "/b": "deny", "*": "allow" },
      write: "allow",
      permission: { external_directory: { read: { "/c": "allow", "/d": "ask" }, write: "ask" } },
    };
    expect(partOf(value, "project")).toEqual({
      ...nothingSaid("project"),
      layer: {
        name: "project",
        rules: [
          rule("project:read./b", "/b", "deny"),
          rule("project:permission.external_directory.read./d", "/d", "ask", { outsideOnly: true }),
        ],
        defaults: { read: null, write: last("project:permission.external_directory.write", "ask") },
      },
      ignored: [
        ignored(["read", "/a"]),
        ignored(["read", "*"]),
        ignored(["write"]),
        ignored(["permission", "external_directory", "read", "/c"]),
      ],
    });
  });

  test("its words on ceilings, projects, exceptions and open reading are left out and reported", () => {
    const value = {
      preset: "open-read",
      secrets: { except: ["x.pem"], add: ["y"] },
      protected: { except: [".git"], add: ["z"] },
      ceilings: ["/"],
      projects: ["/srv"],
      gitignored: "deny",
      hardlinks: "ask",
      asks: { by: "guard", offer: "once" },
    };
    expect(partOf(value, "project")).toEqual({
      ...nothingSaid("project"),
      secrets: { except: [], add: ["y"] },
      protect: { except: [], add: ["z"] },
      gitignored: "deny",
      hardlinks: "ask",
      asks: { by: "guard", offer: "once" },
      ignored: [
        notSet("preset", ["preset"]),
        notSet("secrets.except", ["secrets", "except"]),
        notSet("protected.except", ["protected", "except"]),
        notSet("ceilings", ["ceilings"]),
        notSet("projects", ["projects"]),
      ],
    });
  });

  test.each(["strict", "balanced"] as const)("it may set the preset %s", (preset) => {
    expect(partOf({ preset }, "project")).toEqual({ ...nothingSaid("project"), preset });
  });

  test("empty lists are nothing to report", () => {
    expect(partOf({ ceilings: [], projects: [], secrets: { except: [] } }, "project")).toEqual({ ...nothingSaid("project"), ceilings: [] });
  });

  test("the administrator and the operator may say all of it", () => {
    for (const author of ["administrator", "operator"] as const) {
      expect(
        partOf({ preset: "open-read", read: "allow", secrets: { except: ["x"] }, ceilings: ["/srv"], projects: ["/srv/a"] }, author),
      ).toEqual({
        ...nothingSaid(author),
        preset: "open-read",
        layer: { name: author, rules: [], defaults: { read: last(`${author}:read`, "allow"), write: null } },
        secrets: { except: ["x"], add: [] },
        ceilings: ["/srv"],
        projects: ["/srv/a"],
      });
    }
  });

  test("an allow that is left out makes no later deny pointless", () => {
    expect(partOf({ read: { "/a/**": "allow", "/a/b": "deny" } }, "project").layer.rules).toEqual([
      rule("project:read./a/b", "/a/b", "deny"),
    ]);
  });

  test("its mistakes are errors like anybody's", () => {
    expect(errorsOf({ read: { "/a//b": "deny" } }, "project")).toEqual([
      "read./a//b: pattern `/a//b`: a pattern must not have an empty name (two slashes)",
    ]);
    expect(errorsOf({ read: { "/a": "permit" } }, "project")).toEqual(["read./a: must be one of allow, ask, deny; found `permit`"]);
  });

  test("what is reported says where it stands", () => {
    const locate = (keys: Keys) => ({ file: "p", line: keys.length, column: 1 });
    const parsed = parsePolicy({ read: "allow", ceilings: "/" }, { author: "project", home: HOME, locate });
    expect(parsed.ok && parsed.part.ignored).toEqual([
      { ...ignored(["read"]), source: { file: "p", line: 1, column: 1 } },
      { ...notSet("ceilings", ["ceilings"]), source: { file: "p", line: 1, column: 1 } },
    ]);
  });
});

describe("there are limits", () => {
  const many = (count: number, verdict = "deny") => Object.fromEntries(Array.from({ length: count }, (_, at) => [`/n${at}`, verdict]));
  const names = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);

  test("of a thousand rules for a repository, and a hundred thousand for an owner", () => {
    expect(RULES).toEqual({ administrator: 100_000, operator: 100_000, project: 1_000 });
    const tooMany = [": a policy may have at most 1000 rules"];
    expect(errorsOf({ read: many(1_000) }, "project")).toEqual([]);
    expect(errorsOf({ read: many(1_001) }, "project")).toEqual(tooMany);
    expect(errorsOf({ read: many(600), write: many(401) }, "project")).toEqual(tooMany);
    expect(errorsOf({ read: many(1_001) }, "operator")).toEqual([]);
    expect(errorsOf({ read: many(100_001) }, "administrator")).toEqual([": a policy may have at most 100000 rules"]);
  });

  test("names of secrets and protected names count", () => {
    expect(errorsOf({ read: many(400), secrets: { add: names(300) }, protected: { add: names(300) } }, "project")).toEqual([]);
    expect(errorsOf({ read: many(400), secrets: { add: names(301) }, protected: { add: names(300) } }, "project")).toEqual([
      ": a policy may have at most 1000 rules",
    ]);
    expect(errorsOf({ read: many(400), secrets: { add: names(300) }, protected: { add: names(301) } }, "project")).toEqual([
      ": a policy may have at most 1000 rules",
    ]);
  });
});

test("commands.network is one of two words, and a repository may only shut it", () => {
  const networkOf = (author: Author, network: string): unknown => {
    const parsed = parse({ commands: { network } }, author);
    return parsed.ok ? [parsed.part.commands.network, parsed.part.ignored.length] : parsed.errors[0]?.keys;
  };
  expect(networkOf("operator", "host")).toEqual(["host", 0]);
  expect(networkOf("project", "none")).toEqual(["none", 0]);
  expect(networkOf("project", "host")).toEqual([null, 1]);
  expect(networkOf("operator", "open")).toEqual(["commands", "network"]);
});

test("commands.network of one workspace holds there alone, and the stricter word stands", () => {
  const networkIn = (value: object, author: Author = "operator"): unknown => {
    const parsed = parsePolicy(value, { author, home: "/home/ada", workspace: "/home/ada/shop" });
    return parsed.ok ? parsed.part.commands : parsed.errors[0]?.keys;
  };
  const of = (network: string, place = "~/shop") => ({ workspaces: { [place]: { commands: { network } } } });
  expect(networkIn(of("host"))).toEqual({ network: "host", rule: "operator:workspaces.~/shop.commands.network", source: null });
  expect(networkIn(of("host", "~/other"))).toMatchObject({ network: null });
  expect(networkIn({ ...of("host"), commands: { network: "none" } })).toMatchObject({ network: "none", rule: "operator:commands.network" });
  expect(networkIn({ ...of("none"), commands: { network: "host" } })).toMatchObject({ network: "none" });
  expect(networkIn(of("host"), "project")).toMatchObject({ network: null });
  expect(networkIn(of("open", "~/other"))).toEqual(["workspaces", "~/other", "commands", "network"]);
});

describe("workspaces", () => {
  const value = {
    read: { "/home/ada/first/**": "deny" },
    workspaces: { "/home/ada/shop": { read: { "/home/ada/api/**": "allow" } }, "~/other": { read: { "/home/ada/lib/**": "allow" } } },
  };
  const globsIn = (workspace: string | null, author: Author = "operator"): readonly string[] => {
    const parsed = parsePolicy(value, { author, home: HOME, workspace });
    if (!parsed.ok) throw new Error("it does not parse");
    return parsed.part.layer.rules.map(({ glob }) => glob);
  };

  test("what is said of one workspace holds in that one alone, after all other rules", () => {
    expect(globsIn("/home/ada/shop")).toEqual(["/home/ada/first/**", "/home/ada/api/**"]);
    expect(globsIn("/home/ada/other")).toEqual(["/home/ada/first/**", "/home/ada/lib/**"]);
    for (const workspace of ["/home/ada/shop/src", "/home/ada", "/home/ada/shop2", null])
      expect(globsIn(workspace)).toEqual(["/home/ada/first/**"]);
  });

  test("a repository may not say it", () => {
    expect(globsIn("/home/ada/shop", "project")).toEqual(["/home/ada/first/**"]);
  });

  test("each mistake is told, whichever workspace it is about", () => {
    expect(errorsOf({ workspaces: { shop: { read: {} } } })).toEqual([expect.stringContaining("must be an absolute path")]);
    expect(errorsOf({ workspaces: { "/a": { write: {} } } })).toHaveLength(1);
    expect(errorsOf({ workspaces: { "/a": { read: { "/b/**": "maybe" } } } })).toHaveLength(1);
  });
});
