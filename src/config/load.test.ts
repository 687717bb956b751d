import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { type Branches, tree, type Tree } from "../../test/tree.ts";
import { compilePolicy } from "../core/policy/compile.ts";
import { emptyPolicy } from "../core/policy/rule.ts";
import { findingLine, type LoadedPolicy, loadPolicy, loadPolicyFrom, parsePolicyText, projectRootWhitelist } from "./load.ts";
import type { PolicyLocation } from "./locations.ts";
import { timeOf } from "../../test/support/growth.ts";

const grown: Tree[] = [];
afterEach(() => {
  for (const one of grown.splice(0)) one.remove();
});
function grow(spec: readonly string[] | Branches): Tree {
  const one = tree(spec);
  grown.push(one);
  return one;
}

const asRoot = process.getuid?.() === 0;
const operatorFile = "home/.config/hallpass/policy.json";
const projectFile = "ws/.hallpass/policy.json";

/** Load what was grown: home in `home`, workspace in `ws`, no administrator. */
function load(at: Tree, { ceilings = null, operator }: { ceilings?: readonly string[] | null; operator?: string } = {}): LoadedPolicy {
  const either = (dir: string): PolicyLocation["files"] => [at.path(`${dir}/policy.json`), at.path(`${dir}/policy.jsonc`)];
  const locations: PolicyLocation[] = [
    operator === undefined
      ? { author: "operator", files: either("home/.config/hallpass"), named: false, place: at.path("home/.config/hallpass") }
      : { author: "operator", files: [at.path(operator)], named: true, place: at.path(operator) },
    { author: "project", files: either("ws/.hallpass"), named: false, place: at.path("ws/.hallpass") },
  ];
  return loadPolicyFrom(locations, { home: at.path("home"), ceilings });
}

/** The errors, one a line, with the root of the tree cut off. */
function errorsOf(at: Tree, loaded: LoadedPolicy): readonly string[] {
  return loaded.ok ? [] : loaded.errors.map((error) => findingLine(error).replaceAll(`${at.root}/`, ""));
}

function noticesOf(at: Tree, loaded: LoadedPolicy): readonly string[] {
  return loaded.ok ? loaded.notices.map((notice) => findingLine(notice).replaceAll(`${at.root}/`, "")) : ["not loaded"];
}

test("what is kept for a workspace holds in it, also where it is entered through a link", () => {
  const at = grow(["ws/", "other/", "link => ws", "home/"]);
  const kept = JSON.stringify({ workspaces: { [at.path("ws")]: { read: { "/lib/**": "allow" } } } });
  const file = at.path("operator.json");
  writeFileSync(file, kept);
  const rulesIn = (name: string | null) => {
    const workspace = name === null ? null : at.path(name);
    const loaded = loadPolicy({ home: at.path("home"), env: {}, platform: "linux", workspace, operatorFile: file });
    return loaded.ok ? loaded.policy.layers.flatMap(({ rules }) => rules.map(({ glob }) => glob)) : loaded.errors;
  };
  expect(["ws", "link", "other", null].map(rulesIn)).toEqual([["/lib/**"], ["/lib/**"], [], []]);
});

describe("which files are read", () => {
  test("where there is none, nothing is said, but the place of the operator's is protected", () => {
    const at = grow(["ws/", "home/"]);
    const place = at.path("home/.config/hallpass");
    expect(load(at)).toEqual({
      ok: true,
      policy: { ...emptyPolicy, protect: { except: [], add: [place] } },
      parts: [],
      files: [],
      notices: [],
    });
  });

  test.each(["policy.json", "policy.jsonc"])("the operator's %s, with comments and a trailing comma", (name) => {
    const at = grow([`home/.config/hallpass/${name}: { // mine\n "read": "deny", }`, "ws/"]);
    const loaded = load(at);
    expect(loaded.ok && loaded.parts.map(({ author }) => author)).toEqual(["operator"]);
    expect(loaded.ok && loaded.policy.layers[0]?.defaults.read?.source).toEqual({
      file: at.path(`home/.config/hallpass/${name}`),
      line: 2,
      column: 2,
    });
  });

  test("both names at once are an error, since one of them would be passed over", () => {
    const at = grow([`${operatorFile}: {}`, `${operatorFile}c: {}`]);
    expect(errorsOf(at, load(at))).toEqual([`\`${operatorFile}\` and \`${operatorFile}c\` both exist; keep one of them`]);
  });

  test("operator and project together: the stricter word stands, and each keeps its own list", () => {
    const at = grow({
      [operatorFile]: '{"read": {"~/docs/**": "allow"}, "gitignored": "ask"}',
      [projectFile]: '{"gitignored": "deny", "write": {"*.lock": "deny"}}',
    });
    const loaded = load(at);
    expect(loaded.ok && loaded.policy.gitignored).toBe("deny");
    expect(loaded.ok && loaded.policy.layers.map(({ name, rules }) => [name, rules.map(({ glob }) => glob)])).toEqual([
      ["operator", ["~/docs/**"]],
      ["project", ["*.lock"]],
    ]);
  });

  test("a file named by hand stands in for the usual one, and must exist", () => {
    const at = grow({ [operatorFile]: '{"read": "nonsense"}', "mine.json": '{"read": "deny"}' });
    expect(load(at, { operator: "mine.json" })).toMatchObject({ ok: true, parts: [{ author: "operator" }] });
    expect(errorsOf(at, load(at, { operator: "none.json" }))).toEqual(["`none.json` was given as the policy, but does not exist"]);
  });

  test("loadPolicy looks where the environment says", () => {
    const at = grow({ "cfg/hallpass/policy.json": '{"hardlinks": "deny"}', "ws/": {}, "home/": {} });
    const loaded = loadPolicy({
      home: at.path("home"),
      env: { XDG_CONFIG_HOME: at.path("cfg") },
      workspace: at.path("ws"),
      platform: "linux",
    });
    expect(loaded).toMatchObject({ ok: true, policy: { hardlinks: "deny" } });
  });

  test("a home, workspace or file that is not absolute is an error, or the current directory would speak for the operator", () => {
    const loaded = loadPolicy({ home: "", env: {}, workspace: "ws", operatorFile: "./p.json", platform: "linux" });
    expect(loaded.ok ? [] : loaded.errors.map(findingLine)).toEqual(
      ["", "ws", "./p.json"].map((path) => `\`${path}\` is not an absolute path, so no policy can be looked for there`),
    );
    expect(loaded).toMatchObject({ ok: false, code: "invalid-policy" });
  });
});

describe("files that are there and cannot be used", () => {
  test("what is not UTF-8, and what is too large", () => {
    const at = grow(["home/.config/hallpass/"]);
    const file = at.path(operatorFile);
    for (const bytes of [Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from("\uFEFF{}", "utf16le")]) {
      writeFileSync(file, bytes);
      expect(errorsOf(at, load(at))).toEqual([`\`${operatorFile}\` is not UTF-8 text; save it as UTF-8`]);
    }
    writeFileSync(file, `{}${" ".repeat(1_048_574)}`);
    expect(load(at).ok).toBe(true);
    writeFileSync(file, `{}${" ".repeat(1_048_575)}`);
    expect(errorsOf(at, load(at))).toEqual([`\`${operatorFile}\` is larger than 1 MiB, the limit for a policy`]);
  });

  test("a directory, a pipe, a link in a circle and a link to nothing", () => {
    const directory = grow([`${operatorFile}/`]);
    expect(errorsOf(directory, load(directory))).toEqual([`\`${operatorFile}\` is not a regular file`]);
    const pipe = grow(["ws/.hallpass/"]);
    expect(spawnSync("mkfifo", [pipe.path(projectFile)]).status).toBe(0);
    expect(errorsOf(pipe, load(pipe))).toEqual([`\`${projectFile}\` is not a regular file`]);
    const circle = grow([`${operatorFile} => policy.json`]);
    expect(errorsOf(circle, load(circle))).toEqual([
      `\`${operatorFile}\` is a link; a repository's policy must be a file of its own, and links must not go in a circle`,
    ]);
    const lost = grow([`${operatorFile} => /nowhere/policy.json`]);
    expect(errorsOf(lost, load(lost))).toEqual([
      `\`${operatorFile}\` is a link, or lies behind one, that leads nowhere; fix or remove the link`,
    ]);
    const behind = grow(["home/.config/hallpass => /nowhere/hallpass"]);
    expect(errorsOf(behind, load(behind))).toHaveLength(1);
  });

  test("a file where the directory should be is no policy", () => {
    const at = grow(["ws/.hallpass: x", "home/.config/hallpass: x"]);
    expect(load(at).ok).toBe(true);
  });

  test.skipIf(asRoot)("a file this user may not read", () => {
    const at = grow([`${operatorFile}: {}`]);
    chmodSync(at.path(operatorFile), 0);
    expect(errorsOf(at, load(at))).toEqual([`\`${operatorFile}\` may not be read by this user; check its owner and mode`]);
  });

  test("the faults of all files are told at once", () => {
    const at = grow({ [operatorFile]: "{", [projectFile]: '{\n  "gitignored": "no"\n}' });
    expect(errorsOf(at, load(at))).toEqual([
      `${operatorFile}:1:2: a \`{\` is not closed; \`}\` is missing here`,
      `${projectFile}:2:3: must be one of allow, ask, deny; found \`no\``,
    ]);
  });

  test("fifty errors are enough", () => {
    const rules = Array.from({ length: 60 }, (_, at) => `"/x${at}": "no"`);
    const at = grow({ [operatorFile]: `{"read": {${rules.join(",\n")}}}` });
    const lines = errorsOf(at, load(at));
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe(`\`${operatorFile}\` has 10 more errors`);
  });
});

describe("a repository's policy", () => {
  test("may not lie behind a link, which could lead to anything", () => {
    const file = grow(["$OUT/secret.json: {}", `${projectFile} => $OUT/secret.json`]);
    expect(errorsOf(file, load(file))).toEqual([
      `\`${projectFile}\` is a link; a repository's policy must be a file of its own, and links must not go in a circle`,
    ]);
    const directory = grow(["$OUT/policy.json: {}", "ws/.hallpass => $OUT"]);
    expect(errorsOf(directory, load(directory))).toEqual([
      `\`${projectFile}\` lies behind a link; a repository's policy must be a file of its own`,
    ]);
  });

  test("may tighten; what it allows is passed over and told, with its place", () => {
    const at = grow({
      [projectFile]:
        '{\n  // ours\n  "read": {\n    "~/notes/**": "allow",\n    "*.pdf": "deny"\n  },\n  "ceilings": ["/"],\n  "preset": "open-read",\n  "secrets": { "except": ["*.pem"], "add": ["*.secret"] }\n}',
    });
    const loaded = load(at);
    expect(noticesOf(at, loaded)).toEqual([
      `${projectFile}:4:5: a repository's own policy may ask or deny, never allow; this line is ignored`,
      `${projectFile}:8:3: a repository's own policy may not set \`preset\`; it is ignored`,
      `${projectFile}:9:16: a repository's own policy may not set \`secrets.except\`; it is ignored`,
      `${projectFile}:7:3: a repository's own policy may not set \`ceilings\`; it is ignored`,
    ]);
    expect(loaded).toMatchObject({ ok: true, policy: { ceilings: null, secrets: { except: [], add: ["*.secret"] } } });
    expect(loaded.ok && loaded.policy.layers[0]?.rules.map(({ glob, verdict }) => [glob, verdict])).toEqual([["*.pdf", "deny"]]);
  });
});

describe("the administrator's policy", () => {
  const text = '{"read": {"/srv/**": "deny"}, "ceilings": ["/opt"]}';
  function administrator(change: (file: string) => void): { at: Tree; loaded: LoadedPolicy } {
    const at = grow({
      "etc/hallpass/policy.json": text,
      [operatorFile]: '{"secrets": {"except": ["*.pem"]}, "ceilings": ["/opt/src", "/srv"]}',
    });
    const file = at.path("etc/hallpass/policy.json");
    chmodSync(file, 0o644);
    chmodSync(dirname(file), 0o755);
    change(file);
    const locations: PolicyLocation[] = [
      { author: "administrator", files: [file], named: false, place: dirname(file) },
      { author: "operator", files: [at.path(operatorFile)], named: false, place: dirname(at.path(operatorFile)) },
    ];
    return { at, loaded: loadPolicyFrom(locations, { home: at.path("home"), ceilings: null }) };
  }
  const refusal =
    "`etc/hallpass/policy.json` and its directory must belong to root and be writable by nobody else, or it is not the administrator's; use chown root and chmod go-w";

  test.runIf(asRoot)("counts when it is root's alone, and bounds what the operator says", () => {
    const { at, loaded } = administrator(() => {});
    expect(loaded).toMatchObject({
      ok: true,
      policy: { ceilings: ["/opt/src"], secrets: { except: [] } },
      parts: [{ author: "administrator" }, { author: "operator" }],
    });
    expect(noticesOf(at, loaded)).toEqual([
      "home/.config/hallpass/policy.json:1:25: `*.pem` in the operator's `secrets.except` has no effect: the administrator's policy does not have it",
      "home/.config/hallpass/policy.json:1:61: `/srv` in the operator's `ceilings` has no effect: the administrator's policy does not have it",
    ]);
  });

  test.each<[string, (file: string) => void]>([
    ["anybody may write it", (file) => chmodSync(file, 0o666)],
    ["its group may write it", (file) => chmodSync(file, 0o664)],
    ["anybody may write its directory", (file) => chmodSync(dirname(file), 0o777)],
  ])("is an error when %s", (_title, change) => {
    const { at, loaded } = administrator(change);
    expect(errorsOf(at, loaded)).toEqual([refusal]);
  });

  test.runIf(asRoot).each<[string, (file: string) => void]>([
    ["it", (file) => chownSync(file, 1000, 1000)],
    ["its directory", (file) => chownSync(dirname(file), 1000, 1000)],
  ])("is an error when %s belongs to another user", (_title, change) => {
    const { at, loaded } = administrator(change);
    expect(errorsOf(at, loaded)).toEqual([refusal]);
  });

  test.skipIf(asRoot)("is an error when it belongs to whoever runs this", () => {
    const { at, loaded } = administrator(() => {});
    expect(errorsOf(at, loaded)).toEqual([refusal]);
  });
});

describe("the operator's own files", () => {
  test("are never written by a file tool, wherever they were put, and also behind a link", () => {
    const at = grow(["$OUT/dotfiles/policy.json: {}", `${operatorFile} => $OUT/dotfiles/policy.json`, "ws/mine*.json: {}", "link => ws"]);
    const linked = load(at);
    const protects = (loaded: LoadedPolicy, path: string) =>
      loaded.ok && compilePolicy(loaded.policy, at.path("home")).protect.find(at.path(path)) !== null;
    expect([
      protects(linked, "$OUT/dotfiles/policy.json"),
      protects(linked, operatorFile),
      protects(linked, "$OUT/dotfiles/other.json"),
    ]).toEqual([true, true, false]);
    const named = load(at, { operator: "link/mine*.json" });
    expect([protects(named, "ws/mine*.json"), protects(named, "ws/other.json")]).toEqual([true, false]);
  });

  test("are reported when anybody may write them", () => {
    const at = grow([`${operatorFile}: {}`]);
    chmodSync(at.path(operatorFile), 0o666);
    expect(noticesOf(at, load(at))).toEqual([`anybody on this machine may change \`${operatorFile}\`; run chmod o-w on it`]);
    chmodSync(at.path(operatorFile), 0o664);
    expect(noticesOf(at, load(at))).toEqual([]);
  });
});

describe("PROJECT_ROOT_WHITELIST", () => {
  test("what is left out of it is reported", () => {
    const at = tree(["home/", "ws/"]);
    onTestFinished(() => at.remove());
    const env = { PROJECT_ROOT_WHITELIST: "relative:/opt:/a/../b" };
    const loaded = loadPolicy({ home: at.path("home"), env, workspace: at.path("ws"), platform: "linux" });
    expect(loaded.ok ? loaded.notices.map(({ message }) => message.split(" ")[0]) : null).toEqual(["`relative`", "`/a/../b`"]);
    expect(loaded.ok ? loaded.policy.ceilings : null).toEqual(["/opt"]);
  });

  test.each<[string | undefined, readonly string[] | null]>([
    [undefined, null],
    ["", null],
    ["/opt", ["/opt"]],
    ["/opt:/srv//src/:/", ["/opt", "/srv/src", "/"]],
    [":/opt::", ["/opt"]],
    ["work:~/x:/a/../b:/opt", ["/opt"]],
    ["work", []],
  ])("%j", (list, ceilings) => {
    expect(projectRootWhitelist(list === undefined ? {} : { PROJECT_ROOT_WHITELIST: list })).toEqual(ceilings);
  });

  test("is the operator's word on ceilings, before the file's, and the project's part stays last", () => {
    const at = grow({ [operatorFile]: '{"ceilings": ["/srv"]}', [projectFile]: '{"asks": {"offer": "once"}}' });
    const loaded = load(at, { ceilings: ["/opt"] });
    expect(loaded).toMatchObject({ ok: true, policy: { ceilings: ["/opt"] }, parts: [{ author: "operator" }, { author: "project" }] });
    const alone = grow({ [projectFile]: "{}", "home/": {} });
    const env = { PROJECT_ROOT_WHITELIST: "/opt" };
    expect(loadPolicy({ home: alone.path("home"), env, workspace: alone.path("ws"), platform: "linux" })).toMatchObject({
      ok: true,
      policy: { ceilings: ["/opt"] },
      parts: [{ author: "operator" }, { author: "project" }],
    });
  });

  test("is nobody's word where a host started us", () => {
    const at = grow({ [operatorFile]: '{"ceilings": ["/srv"]}', "ws/": {} });
    const around = { home: at.path("home"), env: { PROJECT_ROOT_WHITELIST: "/opt" }, workspace: at.path("ws"), platform: "linux" } as const;
    expect(loadPolicy(around)).toMatchObject({ ok: true, policy: { ceilings: ["/opt"] } });
    expect(loadPolicy({ ...around, startedBy: "host" })).toMatchObject({ ok: true, policy: { ceilings: ["/srv"] } });
  });
});

describe("a policy text", () => {
  const parse = (text: string) => parsePolicyText(text, { file: "policy.json", author: "operator", home: "/home/ada" });
  const lines = (text: string) => {
    const parsed = parse(text);
    return parsed.ok ? [] : parsed.errors.map(findingLine);
  };

  test("errors name the line and column of the key they are about, past comments", () => {
    const text =
      '// what ada lets agents do\n{\n  /* two\n     lines */ "read": { "~/a": "ask",\n    "~/notes/**": "Allow", // not a word\n    "~/b": { "verdict": "deny", "matches": ["~/b/c", "~/d"] }\n  },\n  "gitignore": "deny"\n}\n';
    const told = [
      "policy.json:5:5: must be one of allow, ask, deny; found `Allow`",
      "policy.json:6:54: the rule does not match its own example `~/d`",
      "policy.json:8:3: unknown key `gitignore`; known here: read, write, permission, secrets, protected, gitignored, hardlinks, ceilings, projects, preset, asks, commands, sessions, hooks, workspaces",
    ];
    expect(lines(text)).toEqual(told);
    expect(lines(text.replaceAll("\n", "\r\n"))).toEqual(told);
    expect(lines(`\uFEFF${text}`)).toEqual(told);
    expect(lines(text.replaceAll("\n", "\r"))).toEqual(told);
  });

  test("a deny that can never deny is shown where it stands", () => {
    expect(lines('{"read": {\n  "~/a/**": "allow",\n  "~/a/b": "deny"\n}}')).toEqual([
      "policy.json:3:3: `~/a/b` can never deny: `~/a/**` above it allows everything it names; put the deny first",
    ]);
  });

  test("rules carry their place and keep their order", () => {
    const parsed = parse('{"write": {\n  "b": "ask",\n  "a": "deny",\n    "__proto__": "deny", "*": "deny" }}');
    expect(parsed.ok && parsed.part.layer.rules.map(({ glob, source }) => [glob, source?.line, source?.column])).toEqual([
      ["b", 2, 3],
      ["a", 3, 3],
      ["__proto__", 4, 5],
    ]);
  });

  test("a key that is a number would be moved to the front of the list, and is refused", () => {
    expect(lines('{"read": {"~/x/2024": "deny",\n "2024": "allow"}}')).toEqual([
      "policy.json:2:2: `2024` is a whole number, and such a key would lose its place in the list; write `**/2024`",
    ]);
  });

  test("whatever the text, it is a policy or it has an error with a place", () => {
    const good = '{"read": {"~/a/**": "allow", "*": {"verdict": "ask", "why": "x"}}, "secrets": {"add": ["*.x"]}, "asks": {"by": "model"}}';
    const bent = fc
      .tuple(fc.nat(good.length), fc.nat(12), fc.string({ unit: "binary", maxLength: 4 }))
      .map(([from, length, put]) => good.slice(0, from) + put + good.slice(from + length));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), bent), (text) => {
        const parsed = parse(text);
        if (parsed.ok) return;
        expect(parsed.errors.length).toBeGreaterThan(0);
        for (const { source } of parsed.errors) expect(source?.file).toBe("policy.json");
      }),
      { numRuns: 2000 },
    );
  });

  test("ten thousand rules are read in a moment", () => {
    const rules = Array.from({ length: 10_000 }, (_, at) => `"/srv/project-${at}/**": "ask"`).join(",\n");
    expect(timeOf(() => expect(parse(`{"read": {${rules}}}`).ok).toBe(true), rules.length)).toBeLessThan(3000);
  });
});
