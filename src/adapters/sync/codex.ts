// Our policy as a permission profile of Codex, which its sandbox enforces: the workspace, the system's own files for reading, and nothing
// else. Grants are not in it; a profile is read when Codex starts.

import { posix } from "node:path";
import type { InstallPlace } from "../install/index.ts";
import { type ClosedPlaces, literalPath, spellNames } from "./closed-places.ts";
import type { SyncResult } from "./index.ts";

const SPECIAL = /[*?[\]{}\\]|\p{Cc}/u;

/** `program`: where Codex itself is, links followed; null where it was not found. It must be able to read itself. */
export function codexSync(closed: ClosedPlaces, where: InstallPlace, program: string | null): SyncResult {
  const own = where.env["CODEX_HOME"]?.startsWith("/") === true ? where.env["CODEX_HOME"] : posix.join(where.home, ".codex");
  const dir = where.level === "project" ? posix.join(where.workspace, ".codex") : own;
  const unsupported: string[] = [];
  const [everywhere, below] = [new Map<string, string>(), new Map<string, string>()];
  for (const place of closed.places) {
    const { right, verdict, glob, pattern } = place;
    const names = spellNames(glob.pieces, "**", SPECIAL);
    const wild = glob.pieces.some(({ kind }) => kind !== "literal");
    const path = literalPath(glob.pieces);
    const [first, ...rest] = names ?? [];
    const onlyName = first === "**" && rest.length === 1 && !glob.pieces.slice(1).some(({ kind }) => kind !== "literal");
    const shut = [below, everywhere].some((map) => [names?.join("/"), `/${path ?? ""}`].some((key) => map.get(key ?? "") === "deny"));
    // What is shut for reading is shut for writing too.
    if (right === "write" && shut) continue;
    if (names === null) unsupported.push(pattern);
    else if (right === "read" && verdict === "deny" && first === "**") below.set(names.join("/"), "deny");
    else if (right === "read" && verdict === "deny" && path !== null) {
      (glob.anchor === "root" ? below : everywhere).set(`${glob.anchor === "root" ? "" : "/"}${path}`, "deny");
      if (wild) unsupported.push(pattern);
    }
    // It has no patterns for what is read and not written: such a name counts at the top of the workspace.
    else if (right === "write" && glob.anchor === "root" && !wild) setOnce(below, names.join("/"), "read");
    else if (right === "write" && onlyName) setOnce(below, rest.join("/"), "read");
    else unsupported.push(pattern);
  }
  const codexDirectory = programDirectory(program);
  const body = [
    "[permissions.hallpass]",
    "[permissions.hallpass.filesystem]",
    '":minimal" = "read"',
    ...(codexDirectory === null ? [] : [`${quoted(codexDirectory)} = "read"`]),
    ...[...everywhere].map(line),
    '[permissions.hallpass.filesystem.":workspace_roots"]',
    '"." = "write"',
    ...[...below].map(line),
  ];
  const refuse = (value: Readonly<Record<string, unknown>>): string | null => {
    const set = ["sandbox_mode", "default_permissions"].find((key) => value[key] !== undefined);
    return set === undefined ? null : `\`${set}\` is set here and would win over our profile without a word; take it out first`;
  };
  return {
    files: [
      {
        kind: "toml",
        files: [posix.join(dir, "config.toml")],
        block: { name: "sync", head: ['default_permissions = "hallpass"'], body },
        refuse,
      },
    ],
    notes: [
      ...(unsupported.length === 0
        ? []
        : [
            `${unsupported.length} patterns that a profile cannot say: ${unsupported.slice(0, 6).join(", ")}${unsupported.length > 6 ? ", …" : ""}`,
          ]),
      "names that execute later (.git, .vscode, …) are read-only at the top of the workspace, not in directories below it",
      "a refused read looks to the model like a file that is not there",
      ...(program === null
        ? [
            'codex was not found in PATH: if it lies in your home directory its sandbox cannot start until you add its directory with "read"',
          ]
        : []),
      ...(where.level === "project" ? ["Codex reads a project's configuration only where you trust the project"] : []),
    ],
  };
}

function setOnce(map: Map<string, string>, key: string, value: string): void {
  // A secret stays shut for reading too.
  if (map.get(key) !== "deny" && map.get(`**/${key}`) !== "deny") map.set(key, value);
}

/** What of the disk is Codex; null where the system's own files hold it. */
function programDirectory(program: string | null): string | null {
  if (program === null || /^\/(?:usr|bin)\//u.test(program)) return null;
  const scope = program.lastIndexOf("/node_modules/@openai/");
  return scope === -1 ? posix.dirname(program) : program.slice(0, scope + "/node_modules/@openai".length);
}

const quoted = (text: string): string => JSON.stringify(text);
const line = ([path, access]: readonly [string, string]): string => `${quoted(path)} = "${access}"`;
