// The machine of the walk: a workspace, and around it every kind of place that somebody can be asked about. It is told here which files are
// secrets and which rules there are, so that nothing is taken from the product that the product is to be compared with.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tree, type Tree } from "../tree.ts";

export interface World extends Tree {
  readonly home: string;
  readonly workspace: string;
  /** The absolute path of a name below `home/code`. */
  code(name: string): string;
  /** Where something on this machine listens, which no confined command reaches without the network. */
  readonly port: number;
}

export function growWorld(policy: object = rules, port = 0): World {
  const at = tree(places);
  writeFileSync(at.path("home/.config/hallpass/policy.json"), JSON.stringify(policy, null, 2));
  return { ...at, home: at.path("home"), workspace: at.path("home/code/shop"), code: (name) => at.path(`home/code/${name}`), port };
}

const places: readonly string[] = [
  "home/.config/hallpass/",
  "home/code/shop/.git/HEAD: ref: refs/heads/main\n",
  "home/code/shop/README.md: # Shop\n",
  "home/code/shop/src/cart.ts: export const total = 3;\n",
  "home/code/shop/asked/plan.md: one\ntwo\nthree\n",
  "home/code/shop/asked/other.md: other\n",
  "home/code/shop/.env: TOKEN=workspace\n",
  "home/code/shop/vendor => ../api/src",
  // A monorepo: a package with a folder, another package, a repository inside the first.
  "home/code/mono/.git/HEAD: ref: refs/heads/main\n",
  "home/code/mono/README.md: # Mono\n",
  "home/code/mono/.env: TOKEN=mono\n",
  "home/code/mono/packages/ui/package.json: {}\n",
  "home/code/mono/packages/ui/.env: TOKEN=ui\n",
  "home/code/mono/packages/ui/src/button.ts: export const button = 1;\n",
  "home/code/mono/packages/ui/src/input.ts: export const input = 2;\n",
  "home/code/mono/packages/ui/src/deep/form.ts: export const form = 3;\n",
  "home/code/mono/packages/ui/src/.env: TOKEN=src\n",
  "home/code/mono/packages/ui/docs/guide.md: # Guide\n",
  "home/code/mono/packages/ui/vendor/lib/.git/HEAD: ref: refs/heads/main\n",
  "home/code/mono/packages/ui/vendor/lib/index.js: 1\n",
  "home/code/mono/packages/core/package.json: {}\n",
  "home/code/mono/packages/core/index.ts: export const core = 4;\n",
  // A repository, a linked worktree of it, and a repository with a submodule.
  "home/code/api/.git/HEAD: ref: refs/heads/main\n",
  "home/code/api/go.mod: module api\n",
  "home/code/api/src/server.go: package api\n",
  "home/code/api/docs/api.md: # API\n",
  "home/code/api/.env: TOKEN=api\n",
  "home/code/api-fix/.git: gitdir: ../api/.git/worktrees/api-fix\n",
  "home/code/api-fix/go.mod: module api\n",
  "home/code/api-fix/src/server.go: package fixed\n",
  "home/code/whole/.git/HEAD: ref: refs/heads/main\n",
  "home/code/whole/main.c: int main;\n",
  "home/code/whole/part/.git: gitdir: ../.git/modules/part\n",
  "home/code/whole/part/part.c: int part;\n",
  "home/code/whole/part/lib/deep.c: int deep;\n",
  // A neighbour that nobody asks about, another workspace, a registered project, and files of no repository.
  "home/code/neighbour/.git/HEAD: ref: refs/heads/main\n",
  "home/code/neighbour/n.txt: neighbour\n",
  "home/code/second/.git/HEAD: ref: refs/heads/main\n",
  "home/code/second/s.txt: second\n",
  "home/code/group/one/package.json: {}\n",
  "home/code/group/one/a.ts: export const one = 1;\n",
  "home/code/group/two/b.ts: export const two = 2;\n",
  "home/papers/letter.txt: dear\n",
  "home/papers/other.txt: other\n",
  "home/loose/loose.txt: loose\n",
];

/** The operator's: writing in one folder and reading the papers is asked about each time; nothing is said of the rest. */
export const rules = {
  read: { "~/papers/**": "ask" },
  write: { "~/code/shop/asked/**": "ask", "~/papers/**": "ask" },
};

/** What the machine's owner must never find open, and what says so here is its name alone. */
export const isSecret = (path: string): boolean => path.endsWith("/.env");

export interface Probe {
  readonly operation: "read" | "list" | "replace";
  readonly path: string;
}

/** Every file, to be read, every directory, to be listed, and of each directory a file, to be written. Git's own files are left out. */
export function everyProbe({ home }: World): readonly Probe[] {
  const probes: Probe[] = [];
  const visit = (dir: string): void => {
    probes.push({ operation: "list", path: dir });
    const entries = readdirSync(dir, { withFileTypes: true }).filter(({ name }) => name !== ".git");
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(dir, name));
    for (const path of files) probes.push({ operation: "read", path });
    for (const path of files.filter((file) => !isSecret(file)).slice(0, 1)) probes.push({ operation: "replace", path });
    for (const entry of entries) if (entry.isDirectory()) visit(join(dir, entry.name));
  };
  for (const name of ["code", "papers", "loose"]) visit(join(home, name));
  return probes;
}
