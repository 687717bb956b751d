// The documents keep up with the code: links lead somewhere, every code has its line, and no path of a machine is in the project.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expect, test } from "vitest";
import { offeredTools } from "../../src/adapters/mcp/offered-tools.ts";
import { codes } from "../../src/core/errors.ts";
import { allowReasons } from "../../src/core/guard/decision.ts";
import { tools } from "../../src/tools/registry.ts";

const root = resolve(import.meta.dirname, "../..");
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && existsSync(resolve(root, file)));
const documents = tracked.filter((file) => file.endsWith(".md"));

const proseOf = (file: string): string => readFileSync(file, "utf8").replaceAll(/```[\s\S]*?```/g, "");

/** The anchors that GitHub gives the headings of a document. */
const anchorsOf = (file: string): ReadonlySet<string> =>
  new Set(
    [...proseOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

for (const file of documents) {
  test(`every link in ${file} leads somewhere`, () => {
    const links = [...proseOf(resolve(root, file)).matchAll(/\]\(([^)\s]+)\)|(?:src|href|srcset)="([^"]+)"/g)].map(
      (match) => match[1] ?? match[2] ?? "",
    );
    const broken = links
      .filter((link) => !/^[a-z]+:/i.test(link))
      .filter((link) => {
        const [path = "", anchor] = link.split("#");
        const target = path === "" ? resolve(root, file) : resolve(root, dirname(file), path);
        return !existsSync(target) || (anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).has(anchor));
      });
    expect(broken).toEqual([]);
  });
}

test("docs/reasons.md has a line for every code and every reason to allow, and for nothing else", () => {
  const rows = [...readFileSync(resolve(root, "docs/reasons.md"), "utf8").matchAll(/^\|\s*`([a-z-]+)`/gm)].map((match) => match[1]);
  expect(new Set(rows)).toEqual(new Set<string>([...codes, ...allowReasons]));
});

const CONFINED_HOSTS = ["claude-code", "codex", "copilot", "gemini", "opencode"];
test.each(["README.md", "docs/hosts.md", "docs/threat-model.md", ...CONFINED_HOSTS.map((host) => `docs/guides/${host}.md`)])(
  "%s has the picture of the sandbox, and says where that does not hold",
  (document) => {
    const text = readFileSync(resolve(root, document), "utf8");
    for (const words of [
      "pictures/sandbox.svg",
      "macOS",
      "WSL2",
      "containers without user namespaces",
      "sandbox.md#where-it-does-not-hold",
    ])
      expect(text).toContain(words);
    expect(text).toMatch(/programs that [\w ]+ starts\s+without a shell/u);
    expect(readFileSync(resolve(root, "docs/sandbox.md"), "utf8")).toContain("\n## Where it does not hold\n");
  },
);

const names = (document: string): ReadonlySet<string | undefined> =>
  new Set([...readFileSync(resolve(root, document), "utf8").matchAll(/`([a-z_]+)`/g)].map((match) => match[1]));

test.each([
  ["docs/line-protocol.md", Object.keys(tools)],
  ["docs/guides/mcp.md", offeredTools().listed.map(({ name }) => name)],
])("%s names every tool that is offered there", (document, offered) => {
  const named = names(document);
  expect(offered.filter((tool) => !named.has(tool))).toEqual([]);
});

/** What documents, workflows and scripts tell to run: scripts of package.json, and files of the project. */
const commands = tracked
  .filter((file) => file.endsWith(".md") || file.startsWith(".github/") || file === ".ci/run" || file === "Dockerfile")
  .flatMap((file) => {
    const text = readFileSync(resolve(root, file), "utf8");
    return [...text.matchAll(/npm run ([\w:-]+)|\b(node|tsx|bash) ((?:scripts|bench|test|bin|\.ci)\/[\w./-]*\w)/g)].map(
      ([command, script, program, path]) => ({ file, command, script, program, run: path ?? "" }),
    );
  });

test("every command that a document or a workflow names can be run", () => {
  const { scripts } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  expect(commands.length).toBeGreaterThan(40);
  const wrong = commands.filter(({ file, script, program, run }) => {
    // The reference uses scripts of other people's projects as examples.
    if (script !== undefined) return !file.startsWith("docs/") && !(script in scripts);
    if (!existsSync(resolve(root, run))) return true;
    // Node 20 loads no TypeScript by itself.
    return program === "node" && /^import .* from "\..*\.ts";$/m.test(readFileSync(resolve(root, run), "utf8"));
  });
  expect(wrong.map(({ file, command }) => `${file}: ${command}`)).toEqual([]);
});

test("of CODEOWNERS the line for everything comes first, since the last that matches counts, and every path is there", () => {
  const patterns = readFileSync(resolve(root, ".github/CODEOWNERS"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(" ")[0] ?? "");
  expect(patterns[0]).toBe("*");
  expect(patterns.slice(1).filter((path) => path === "*" || !existsSync(resolve(root, path.slice(1))))).toEqual([]);
});

const decisions = documents.filter((file) => /^docs\/decisions\/\d{4}-/.test(file));
test.each(decisions)("%s has a number of its own, a status and a date, and is in the list", (file) => {
  const [title = "", , status = ""] = readFileSync(resolve(root, file), "utf8").split("\n");
  const number = file.slice("docs/decisions/".length).slice(0, 4);
  expect(decisions.filter((other) => other.includes(`/${number}-`))).toEqual([file]);
  expect(title.startsWith(`# ${number} `)).toBe(true);
  expect(status).toMatch(/^(Accepted|Superseded by \d{4}), \d{4}-\d\d-\d\d\.( Revised, \d{4}-\d\d-\d\d(: .+)?\.)?$/);
  expect(readFileSync(resolve(root, "docs/decisions/README.md"), "utf8")).toContain(
    `| [${number}](${file.slice("docs/decisions/".length)}) |`,
  );
});

test("no path of a machine and no address of a registry stands in the project", () => {
  const odd = tracked
    .filter((file) => !file.endsWith(".json") || file === "package.json" || file === "package-lock.json")
    .filter((file) => {
      const text = readFileSync(resolve(root, file), "utf8");
      return /(^|[^\w.-])\/(work|farm)\/(main|steering|\.library|shared)\b/.test(text) || /"resolved":\s*"https?:/.test(text);
    });
  expect(odd).toEqual([]);
});
