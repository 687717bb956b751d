// Seeded source trees of 1k, 10k, 100k and 1m files, made once a machine: a monorepo with
// 38 % of its files gitignored (root and nested files), 0.2 % secrets, binary files,
// links (a loop, one that dangles, one that leaves the tree) and a literal to search for.
// Promises the same tree for the same size and VERSION, complete or not there at all.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { seeded } from "./seed.ts";
import { createTextSource } from "./tree-text.ts";
import type { TextSource } from "./tree-text.ts";

export type TreeSize = "1k" | "10k" | "100k" | "1m";

/** What is in the tree, as planned when it was made; `.git` and links are counted nowhere. */
export interface Tree {
  readonly root: string;
  readonly files: number;
  readonly ignored: number;
  readonly secrets: number;
  readonly binaries: number;
  /** Lines with the literal in files that are neither ignored, secret nor binary. */
  readonly hits: number;
  /** Relative paths of the links. */
  readonly links: readonly string[];
}

/** In about one of a thousand visible files; also in ignored, secret and binary ones, as a trap. */
export const LITERAL = "hallpassNeedle7f3a";

const VERSION = 1;
const FILES: Readonly<Record<TreeSize, number>> = { "1k": 1_000, "10k": 10_000, "100k": 100_000, "1m": 1_000_000 };
const PER_PACKAGE = 250;
const ROOT_IGNORE = [
  ["# dependencies and output", "node_modules/", "dist/", "coverage/", "/logs/", "*.log", "!keep.log", "*.tmp"],
  ["# as in most repositories", ".nyc_output", "bower_components", "build/Release", "*.tsbuildinfo", ".eslintcache"],
  [".next", "out/", ".temp", "*.pid", "*.seed", "/.yarn/*", "!/.yarn/patches", "docs/**/_site", "*.sw?", ".DS_Store"],
];
const NESTED_IGNORE = ["generated/", "*.snap", "!/kept.snap"];

/** Gives the tree of this size under `cache`, making it first where it is not there yet. */
export function ensureTree(size: TreeSize, cache: string): Tree {
  const root = join(cache, `tree-${size}-v${VERSION}`);
  const manifest = `${root}.json`;
  if (existsSync(manifest) && existsSync(root)) {
    return JSON.parse(readFileSync(manifest, "utf8")) as Tree;
  }
  // RACE: two suites may make the same tree; each makes its own and the first rename wins.
  const making = `${root}.${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  const tree: Tree = { ...plant(making, FILES[size]), root };
  try {
    renameSync(making, root);
  } catch (cause) {
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(root)) throw cause;
  }
  writeFileSync(manifest, `${JSON.stringify(tree, null, 2)}\n`);
  return tree;
}

type Kind = "text" | "ignored" | "secret" | "binary";

/** Writes files and counts what it has written. */
interface Planter {
  readonly write: (path: string, kind: Kind) => void;
  readonly writeExactly: (path: string, lines: readonly string[]) => void;
  readonly link: (target: string, path: string) => void;
  readonly random: () => number;
  readonly written: () => number;
}

function plant(root: string, total: number): Omit<Tree, "root"> {
  const random = seeded(total);
  const text = createTextSource(random, LITERAL);
  const counts: Record<Kind, number> = { text: 0, ignored: 0, secret: 0, binary: 0 };
  const links: string[] = [];
  const known = new Set<string>();
  // About 0.1 % of the visible files, and at least three in the smallest tree.
  const every = Math.min(1_000, Math.floor((total * 0.6) / 3));
  let hits = 0;
  const place = (path: string, content: Buffer): void => {
    const absolute = join(root, path);
    const parent = dirname(absolute);
    if (!known.has(parent)) mkdirSync(parent, { recursive: true });
    known.add(parent);
    writeFileSync(absolute, content);
  };
  const planter: Planter = {
    random,
    written: () => counts.text + counts.ignored + counts.secret + counts.binary,
    write: (path, kind) => {
      const found = kind === "text" && counts.text % every === 20;
      const times = found ? 1 + (hits % 2) : 0;
      hits += times;
      place(path, contentOf(text, kind, { times, trap: counts.ignored % 500 === 0 }));
      counts[kind] += 1;
    },
    writeExactly: (path, lines) => {
      place(path, Buffer.from(`${lines.join("\n")}\n`));
      counts.text += 1;
    },
    link: (target, path) => {
      symlinkSync(target, join(root, path));
      links.push(path);
    },
  };
  plantGit(root);
  plantRoot(planter);
  for (let index = 0; planter.written() < total; index += 1) {
    plantPackage(planter, { index, files: Math.min(PER_PACKAGE, total - planter.written()) });
  }
  const { ignored, secret: secrets, binary: binaries } = counts;
  return { files: planter.written(), ignored, secrets, binaries, hits, links };
}

function contentOf(text: TextSource, kind: Kind, literal: { readonly times: number; readonly trap: boolean }): Buffer {
  switch (kind) {
    case "text":
      return text.source(literal.times);
    case "ignored":
      return text.source(literal.trap ? 1 : 0);
    case "secret":
      return Buffer.from(`VALUE=not-a-secret\nMARK=${LITERAL}\n`);
    case "binary":
      return text.binary();
  }
}

/** Enough of a repository for ripgrep, and for a guard that looks for one. */
function plantGit(root: string): void {
  for (const dir of ["objects", "refs/heads", "refs/tags"]) {
    mkdirSync(join(root, ".git", dir), { recursive: true });
  }
  writeFileSync(join(root, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(root, ".git", "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
}

function plantRoot(planter: Planter): void {
  planter.writeExactly(".gitignore", ROOT_IGNORE.flat());
  for (const path of ["README.md", "package.json", "tsconfig.json", ".github/workflows/ci.yml", "keep.log"]) {
    planter.write(path, "text");
  }
  for (let index = 0; index < 10; index += 1) planter.write(`logs/run-${index}.txt`, "ignored");
}

/** One package: first what is few, then ignored and visible files in their shares. */
function plantPackage(planter: Planter, plan: { readonly index: number; readonly files: number }): void {
  const base = `packages/package-${String(plan.index).padStart(3, "0")}`;
  const last = planter.written() + plan.files;
  const full = () => planter.written() >= last;
  // Every second package has its own ignore file and a secret: 0.2 % of all files.
  if (plan.index % 2 === 0) {
    planter.writeExactly(`${base}/.gitignore`, NESTED_IGNORE);
    if (!full()) planter.write(plan.index % 4 === 0 ? `${base}/.env` : `${base}/config/server.pem`, "secret");
    if (!full()) planter.write(`${base}/kept.snap`, "text");
    if (!full()) planter.write(`${base}/src/state.snap`, "ignored");
    for (let file = 0; file < 6 && !full(); file += 1) {
      planter.write(`${base}/src/generated/schema-${file}.ts`, "ignored");
    }
  }
  const ignored = Math.round(plan.files * 0.38) - (plan.index % 2 === 0 ? 7 : 0);
  for (let file = 0; file < ignored && !full(); file += 1) planter.write(ignoredPath(base, file), "ignored");
  for (let file = 0; !full(); file += 1) {
    const binary = file % 80 === 40;
    planter.write(binary ? `${base}/assets/image-${file}.png` : visiblePath(base, file, planter.random), binary ? "binary" : "text");
  }
  plantLinks(planter, base, plan.index);
}

function plantLinks(planter: Planter, base: string, index: number): void {
  if (index % 20 !== 0) return;
  planter.link("..", `${base}/loop`);
  planter.link("src", `${base}/source`);
  planter.link("nowhere", `${base}/dangling`);
  planter.link("../../README.md", `${base}/readme.md`);
  planter.link("/etc/hostname", `${base}/outside`);
}

/** Twelve files a directory; some tests among what is ignored, as a trap for find. */
function ignoredPath(base: string, file: number): string {
  const group = Math.floor(file / 12);
  const name = file % 12 === 5 ? `part-${file}.test.ts` : `part-${file}.js`;
  switch (group % 4) {
    case 0:
      return `${base}/node_modules/library-${group}/${name}`;
    case 1:
      return `${base}/node_modules/@scope/library-${group}/lib/${name}`;
    case 2:
      return `${base}/dist/group-${group}/${name}`;
    default:
      return file % 2 === 0 ? `${base}/coverage/${name}` : `${base}/src/trace-${file}.log`;
  }
}

const EXTENSIONS = ["ts", "ts", "ts", "ts", "test.ts", "tsx", "js", "json", "md", "css"] as const;
const WORDS = ["account", "billing", "cart", "driver", "editor", "folder", "graph", "history"] as const;

function visiblePath(base: string, file: number, random: () => number): string {
  const group = Math.floor(file / 12);
  const first = WORDS[group % WORDS.length] ?? "main";
  const second = WORDS[Math.floor(group / 3) % WORDS.length] ?? "main";
  const depth = group % 4;
  const dir = depth === 0 ? "" : depth === 1 ? `/${first}` : depth === 2 ? `/${first}/${second}` : `/${first}/${second}/inner`;
  const extension = EXTENSIONS[Math.floor(random() * EXTENSIONS.length)] ?? "ts";
  const hidden = file % 97 === 13 ? "." : "";
  return `${base}/src${dir}/${hidden}${first}-${file}.${extension}`;
}
