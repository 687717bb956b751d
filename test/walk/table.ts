// Every kind of ask: what an agent does that a person is asked about, and what its card must offer.

import { canConfine, connecting } from "./stage.ts";
import type { Wanted } from "./walker.ts";
import type { World } from "./world.ts";

export interface Kind {
  /** The call that asks. */
  readonly wants: (world: World) => Wanted;
  /** The words of every choice, in their order, but for the noes, which are the same everywhere. */
  readonly offers: readonly string[];
  /** What the operator's policy says besides. */
  readonly policy?: object;
  /** What stays as the policy has it after a yes, and is told so on the card. */
  readonly stays?: Readonly<Record<string, "deny" | "ask">>;
  /** A directory that is registered as a project. */
  readonly project?: string;
  /** Is the command confined? Else nothing confines it. */
  readonly confined?: true;
  /** What is chosen on the card that comes before this one, of the same call. */
  readonly first?: string;
}

const reads =
  (name: string) =>
  (world: World): Wanted => ({ name: "read_file", input: { path: world.code(name) } });
const forSession = (name: string): readonly string[] => [
  `Allow reading ${name} for this session`,
  `Allow reading ${name} for one hour`,
  `Always allow reading ${name} in shop`,
];
const folder = (name: string): readonly string[] => [
  `Allow reading only the folder ${name} for this session`,
  `Allow reading only the folder ${name} for one hour`,
];

const network: Kind = {
  confined: true,
  wants: (world) => ({ name: "bash", input: { command: `${connecting(world)} && echo done > by-network.txt`, network: true } }),
  offers: [
    "Allow the network for this session",
    "Allow the network for this command, once",
    "Allow the network for one hour",
    "Always allow the network in shop",
  ],
};
export const kinds: Readonly<Record<string, Kind>> = {
  "a file of a package in a monorepo": {
    wants: reads("mono/packages/ui/src/button.ts"),
    offers: [
      ...forSession("ui"),
      "Allow only button.ts, once",
      ...folder("src"),
      "Allow reading all of mono (9 files) for this session",
      "Allow reading all of mono (9 files) for one hour",
    ],
  },
  "a folder of a package in a monorepo": {
    wants: (world) => ({ name: "list_dir", input: { path: world.code("mono/packages/ui/src/deep") } }),
    offers: [
      ...forSession("ui"),
      "Allow only listing deep, once",
      ...folder("deep"),
      "Allow reading all of mono (9 files) for this session",
      "Allow reading all of mono (9 files) for one hour",
    ],
  },
  "a file of a repository, by request": {
    wants: (world) => ({ name: "request_read_access", input: { path: world.code("api/src/server.go"), reason: "to compare" } }),
    offers: [...forSession("api"), "Allow only server.go, once", ...folder("src")],
  },
  "a file at the top of a repository": { wants: reads("api/go.mod"), offers: [...forSession("api"), "Allow only go.mod, once"] },
  "a file of a repository in which the policy denies and asks about some": {
    wants: reads("api/go.mod"),
    offers: [...forSession("api"), "Allow only go.mod, once"],
    policy: { read: { "~/code/api/src/**": "deny", "~/code/api/docs/**": "ask" } },
    stays: { "home/code/api/src": "deny", "home/code/api/docs": "ask" },
  },
  // A rule asks about it inside what could be granted, too: a yes for the session would not open it.
  "a file of a repository that a rule of the policy asks about": {
    wants: reads("api/docs/api.md"),
    offers: ["Allow reading api.md, once"],
    policy: { read: { "~/code/api/docs/**": "ask" } },
  },
  "a list of a folder that a rule of the policy asks about": {
    wants: (world) => ({ name: "list_dir", input: { path: world.code("api/docs") } }),
    offers: ["Allow listing docs, once"],
    policy: { read: { "~/code/api/docs/**": "ask" } },
  },
  "a search of a folder that a rule of the policy asks about": {
    wants: (world) => ({ name: "find_files", input: { path: world.code("api/docs"), pattern: "**" } }),
    offers: ["Allow searching docs, once"],
    policy: { read: { "~/code/api/docs/**": "ask" } },
  },
  "a list of a folder of the workspace that a rule of the policy asks about": {
    wants: (world) => ({ name: "list_dir", input: { path: world.code("shop/src") } }),
    offers: ["Allow listing src, once"],
    policy: { read: { "~/code/shop/src/**": "ask" } },
  },
  "a search of a folder of the workspace that a rule of the policy asks about": {
    wants: (world) => ({ name: "find_files", input: { path: world.code("shop/src"), pattern: "**" } }),
    offers: ["Allow searching src, once"],
    policy: { read: { "~/code/shop/src/**": "ask" } },
  },
  "a folder of a repository, by request": {
    wants: (world) => ({ name: "request_read_access", input: { path: world.code("api/src"), reason: "to compare" } }),
    offers: [...forSession("api"), "Allow only src, once"],
  },
  "a folder that a rule of the policy asks about, by request": {
    wants: (world) => ({ name: "request_read_access", input: { path: world.code("api/docs"), reason: "to compare" } }),
    offers: ["Allow reading docs, once"],
    policy: { read: { "~/code/api/docs/**": "ask" } },
  },
  "a path that leaves a repository again": {
    wants: () => ({ name: "read_file", input: { path: "../api/../shop/README.md" } }),
    offers: [...forSession("api"), "Allow only api, once"],
  },
  "a file of a repository, through a link": {
    wants: reads("shop/vendor/server.go"),
    offers: [...forSession("api"), "Allow only server.go, once", ...folder("src")],
  },
  "a search of a repository": {
    wants: (world) => ({ name: "grep", input: { path: world.code("api/src"), pattern: "package" } }),
    offers: [...forSession("api"), "Allow only this search of src, once", ...folder("src")],
  },
  "a file of a linked worktree": {
    wants: reads("api-fix/src/server.go"),
    offers: [...forSession("api-fix"), "Allow only server.go, once", ...folder("src")],
  },
  "a file of a submodule": {
    wants: reads("whole/part/lib/deep.c"),
    offers: [...forSession("part"), "Allow only deep.c, once", ...folder("lib")],
  },
  "a file of a registered project": {
    wants: reads("group/one/a.ts"),
    offers: [...forSession("group"), "Allow only a.ts, once", ...folder("one")],
    project: "group",
  },
  "a file of no repository that the policy asks about": {
    wants: (world) => ({ name: "read_file", input: { path: world.path("home/papers/letter.txt") } }),
    offers: ["Allow reading letter.txt, once"],
  },
  "a file of a repository where the policy offers no more than once": {
    wants: reads("api/go.mod"),
    offers: ["Allow reading go.mod, once"],
    policy: { asks: { offer: "once" } },
  },
  "a file of the workspace that the policy asks about": {
    wants: reads("shop/src/cart.ts"),
    offers: ["Allow reading cart.ts, once"],
    policy: { read: { "~/code/shop/src/**": "ask" } },
  },
  "a new file": {
    wants: (world) => ({ name: "write_file", input: { path: world.code("shop/asked/new.md"), content: "new\n" } }),
    offers: ["Allow writing new.md, once"],
  },
  "a file to be overwritten": {
    wants: (world) => ({ name: "write_file", input: { path: world.code("shop/asked/plan.md"), content: "four\n" } }),
    offers: ["Allow writing plan.md, once"],
  },
  "a change of a file": {
    wants: (world) => ({ name: "edit_file", input: { path: world.code("shop/asked/plan.md"), old: "two", new: "2" } }),
    offers: ["Allow writing plan.md, once"],
  },
  "a patch of a file": {
    wants: () => ({
      name: "apply_patch",
      input: { patch: "--- a/asked/plan.md\n+++ b/asked/plan.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n" },
    }),
    offers: ["Allow writing plan.md, once"],
  },
  "a patch of a file that is asked about and of one that is not": {
    wants: () => ({
      name: "apply_patch",
      input: {
        patch:
          "--- a/asked/plan.md\n+++ b/asked/plan.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n--- a/README.md\n+++ b/README.md\n@@ -1,1 +1,1 @@\n-# Shop\n+# Store\n",
      },
    }),
    offers: ["Allow writing plan.md, once"],
  },
  // Each file is asked about for itself: this is the second, where the first has been allowed.
  "a patch of two files that are asked about": {
    first: "Allow writing plan.md, once",
    wants: () => ({
      name: "apply_patch",
      input: {
        patch:
          "--- a/asked/plan.md\n+++ b/asked/plan.md\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n--- a/asked/other.md\n+++ b/asked/other.md\n@@ -1,1 +1,1 @@\n-other\n+another\n",
      },
    }),
    offers: ["Allow writing other.md, once"],
  },
  "a write outside the workspace that the policy asks about": {
    wants: (world) => ({ name: "write_file", input: { path: world.path("home/papers/letter.txt"), content: "dearest\n" } }),
    offers: ["Allow writing letter.txt, once"],
  },
  "another agent": {
    wants: (world) => ({ name: "spawn_agent", input: { path: world.code("api"), task: "[]" } }),
    offers: ["Start an agent in api"],
  },
  "a command that nothing confines": {
    wants: () => ({ name: "bash", input: { command: "echo done > asked/by-command.txt" } }),
    offers: ["Run this command without a sandbox, once"],
  },
  ...(canConfine ? { "a command that needs the network": network } : {}),
};

/** On every card. */
export const noes: readonly string[] = ["Deny", "Deny and stop the agent"];
