// What an author can hardly have meant, told in sentences.

import { describe, expect, test } from "vitest";
import { type LintFinding, lintPolicy } from "./lint.ts";
import { type Author, type Keys, parsePolicy } from "./parse.ts";

const HOME = "/home/ada";
const locate = (keys: Keys) => ({ file: "policy.json", line: keys.length, column: keys.join(".").length });

function lint(value: unknown, author: Author = "operator"): readonly LintFinding[] {
  const parsed = parsePolicy(value, { author, home: HOME, locate });
  if (!parsed.ok) throw new Error(parsed.errors.map(({ message }) => message).join("\n"));
  return lintPolicy(parsed.part, HOME);
}
const told = (value: unknown): readonly string[] => lint(value).map(({ kind, message }) => `${kind}: ${message}`);

const never = (rule: string, facts: string, over: string) =>
  `unreachable-rule: \`${rule}\` (${facts}) never applies: \`${over}\` above it matches everything it does`;
const shut = (rule: string) =>
  `shadowed-by-secrets: \`${rule}\` allows what is on the list of secrets, so it opens nothing; secrets.except is the only way to lift an entry`;

describe("rules that never speak", () => {
  test.each<readonly [what: string, value: unknown, findings: readonly string[]]>([
    ["an allow below an allow", { read: { "/a/**": "allow", "/a/b": "allow" } }, [never("/a/b", "read, allow", "/a/**")]],
    ["an ask below an allow", { write: { "/a/**": "allow", "/a/b": "ask" } }, [never("/a/b", "write, ask", "/a/**")]],
    ["an allow in what is denied", { read: { "/a": "deny", "/a/b/**": "allow" } }, [never("/a/b/**", "read, allow", "/a")]],
    ["an allow in what is asked about", { read: { a: "ask", "**/a/b": "allow" } }, [never("**/a/b", "read, allow", "a")]],
    ["a deny in what is denied", { read: { "/a": "deny", "/a/b": "deny" } }, [never("/a/b", "read, deny", "/a")]],
    ["the same written twice", { read: { "/a": "ask", "/a/": "deny" } }, [never("/a/", "read, deny", "/a")]],
    [
      "outside the workspace, below what holds everywhere",
      { read: { "/a": "deny" }, permission: { external_directory: { read: { "/a/b": "allow" } } } },
      [never("/a/b", "read, allow", "/a")],
    ],
    [
      "outside the workspace, among themselves",
      { permission: { external_directory: { write: { "/a": "deny", "/a/b": "allow" } } } },
      [never("/a/b", "write, allow", "/a")],
    ],
    [
      "several",
      { read: { "/a": "ask", "/a/b": "ask", "/c": "ask", "/a/c": "allow" } },
      [never("/a/b", "read, ask", "/a"), never("/a/c", "read, allow", "/a")],
    ],
    ["names that hide", { read: { "/a\u202e": "ask", "/a\u202e/b": "ask" } }, [never("/a\\u{202e}/b", "read, ask", "/a\\u{202e}")]],
  ])("%s", (_what, value, findings) => {
    expect(told(value)).toEqual(findings);
  });

  test.each([
    ["different paths", { read: { "/a": "deny", "/b": "deny" } }],
    ["the narrow one first", { read: { "/a/b": "allow", "/a": "deny" } }],
    ["an allow of a directory by itself", { read: { "/a": "allow", "/a/b": "allow" } }],
    ["a star half-way", { read: { "/a/*": "allow", "/a/b": "ask" } }],
    ["another right", { read: { "/a": "deny" }, write: { "/a/b": "allow" } }],
    ["another right, outside", { write: { "/a": "deny" }, permission: { external_directory: { read: { "/a/b": "allow" } } } }],
    ["below each root and everywhere", { read: { "a/**": "ask", "/a/b": "ask" } }],
    ["the list's default", { read: { "*": "deny", "/a": "allow" } }],
    ["nothing", {}],
  ])("%s: nothing to say", (_what, value) => {
    expect(told(value)).toEqual([]);
  });
});

describe("allows that open nothing", () => {
  test.each(["~/.ssh/**", "*.pem", "**/.env", ".env.*", "/a/*.key", "config/credentials.json", "~/.aws/config", "/etc/shadow", "id_rsa?"])(
    "`%s` names a secret",
    (pattern) => {
      expect(told({ read: { [pattern]: "allow" } })).toEqual([shut(pattern)]);
    },
  );

  test.each(["**/.env.example", "id_rsa.pub", "*.txt", "/a/**", "/a/*/b", "~/work/**", ".en*v", ".ss?h/config"])(
    "`%s` does not",
    (pattern) => {
      expect(told({ read: { [pattern]: "allow" } })).toEqual([]);
    },
  );

  test("only an allow can be mistaken so", () => {
    expect(told({ read: { "**/.env": "deny", "*.pem": "ask" } })).toEqual([]);
  });

  test("what the author lifts can be opened, and what the author adds can not", () => {
    expect(told({ read: { "/a/x.pem": "allow" }, secrets: { except: "/a/x.pem" } })).toEqual([]);
    expect(told({ read: { "/a/x.txt": "allow" }, secrets: { add: "x.txt" } })).toEqual([shut("/a/x.txt")]);
  });

  test("a rule may be wrong in both ways, and hide", () => {
    expect(told({ read: { "/a\u202e/**": "ask", "/a\u202e/.env": "allow" } })).toEqual([
      never("/a\\u{202e}/.env", "read, allow", "/a\\u{202e}/**"),
      shut("/a\\u{202e}/.env"),
    ]);
  });
});

test("findings say where they are, and what was ignored comes first", () => {
  const value = { read: { "/a": "allow", "/b": "deny", "/b/c": "ask" } };
  expect(lint(value, "project")).toEqual([
    {
      kind: "ignored",
      message: "a repository's own policy may ask or deny, never allow; this line is ignored",
      source: { file: "policy.json", line: 2, column: 7 },
    },
    {
      kind: "unreachable-rule",
      message: "`/b/c` (read, ask) never applies: `/b` above it matches everything it does",
      source: { file: "policy.json", line: 2, column: 9 },
    },
  ]);
  expect(lint({ read: { "~/.ssh": "allow" } })).toEqual([
    {
      kind: "shadowed-by-secrets",
      message: "`~/.ssh` allows what is on the list of secrets, so it opens nothing; secrets.except is the only way to lift an entry",
      source: { file: "policy.json", line: 2, column: 11 },
    },
  ]);
});

test("characters that mean something to other tools, and nothing here, are told", () => {
  const kinds = (glob: string) => lint({ read: { [glob]: "deny" } }).map(({ kind }) => kind);
  for (const glob of ["src/{a,b}.ts", "!secret", "**/[ab].txt"]) expect([glob, kinds(glob)]).toEqual([glob, ["plain-characters"]]);
  for (const glob of ["src/a{1}.ts", "a!b", "**/[]", "src/**"]) expect([glob, kinds(glob)]).toEqual([glob, []]);
});

describe("what opens too much, and what is not there", () => {
  const lint = (value: object, exists?: (path: string) => boolean) => {
    const parsed = parsePolicy(value, { author: "operator", home: "/home/me" });
    if (!parsed.ok) throw new Error(parsed.errors[0]?.message);
    return lintPolicy(parsed.part, "/home/me", exists).map(({ kind }) => kind);
  };

  test.each<[object, readonly string[]]>([
    [{ write: "allow" }, ["open-everywhere"]],
    [{ write: { "**": "allow" } }, ["open-everywhere"]],
    [{ read: { "**/*": "allow" } }, ["open-everywhere"]],
    [{ read: { "~/**": "allow" } }, ["open-everywhere"]],
    [{ permission: { external_directory: "allow" } }, ["open-everywhere", "open-everywhere"]],
    [{ read: "ask", write: "deny" }, []],
    [{ read: { "~/notes/**": "allow" } }, []],
    [{ secrets: { except: ["**/.env"] } }, ["exposed-secret"]],
    [{ secrets: { except: ["*.pem"] } }, ["exposed-secret"]],
    [{ secrets: { except: ["~/**"] } }, ["exposed-secret"]],
    [{ secrets: { except: ["~/.ssh/*", "/srv/app/**"] } }, ["exposed-secret", "exposed-secret"]],
    [{ secrets: { except: ["**/test/fixtures/*.pem", "~/.kube/config.readonly", "harmless"] } }, []],
    [{ preset: "open-read" }, ["open-everywhere"]],
    [{ preset: "open-read", read: "ask" }, []],
    [{ preset: "strict" }, []],
    [{ read: { "/proc/**": "allow", "/sys/class/net": "ask" } }, ["unreachable-rule", "unreachable-rule"]],
    [{ read: { "/proc/**": "deny", "/process/**": "allow", "/dev/shm/**": "allow" } }, []],
  ])("%j", (policy, kinds) => {
    expect(lint(policy)).toEqual(kinds);
  });

  test("places that do not exist are told where somebody can look; a deny may wait for its file", () => {
    const policy = {
      projects: ["~/gone", "~/there"],
      ceilings: ["/gone"],
      workspaces: { "~/gone": { read: { "~/there/**": "allow" } }, "~/there": { read: { "~/there/x": "allow" } } },
      read: { "~/gone/x": "deny", "~/gone/**": "allow", "~/there/**": "allow", "**/notes": "ask" },
    };
    expect(lint(policy, (path) => path.startsWith("/home/me/there"))).toEqual(["not-there", "not-there", "not-there", "not-there"]);
    expect(lint(policy)).toEqual([]);
  });
});

test("what is said of an entry of a list says where it stands; one that is in no file says nothing", () => {
  const policy = {
    preset: "open-read",
    secrets: { except: ["~/.kube/config.readonly", "**/.env"] },
    projects: ["/there", "/gone"],
    ceilings: "/none",
    workspaces: { "/there": { read: {} }, "~/left": { read: {} } },
  };
  const locate = (keys: readonly (string | number)[]) => ({ file: keys.join("."), line: 1, column: 1 });
  const parsed = parsePolicy(policy, { author: "operator", home: "/home/me", locate });
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message);
  const places = (part: typeof parsed.part) =>
    lintPolicy(part, "/home/me", (path) => path === "/there").map(({ source }) => source?.file ?? null);
  expect(places(parsed.part)).toEqual(["preset", "secrets.except.1", "projects.1", "ceilings.0", "workspaces.~/left"]);
  // Ceilings that the environment says stand in no file.
  expect(places({ ...parsed.part, ceilings: ["/elsewhere"] })[3]).toBeNull();
});

test("a wrong word for both rights is reported once", () => {
  const parsed = parsePolicy({ permission: { external_directory: "alow" } }, { author: "operator", home: "/home/me" });
  expect(parsed.ok ? [] : parsed.errors).toHaveLength(1);
});
