// Our policy in Claude Code's words: rules under `permissions`, and the sandbox its commands run in. Its rules have the syntax of a
// .gitignore; a deny wins over an ask and an ask over an allow, whatever the order.

import { posix } from "node:path";
import { isInside } from "../../core/path/contain.ts";
import type { WantedFile, InstallPlace } from "../install/index.ts";
import { type ClosedPlaces, type ClosedPlace, literalPath, spellNames } from "./closed-places.ts";
import type { SyncResult } from "./index.ts";

const MARKS = { begin: "Read(//hallpass/generated/begin)", end: "Read(//hallpass/generated/end)" } as const;
const PATH_MARKS = { begin: "/hallpass/generated/begin", end: "/hallpass/generated/end" } as const;
const SPECIAL = /[*?()[\]\\!#]|^\s|\s$|\p{Cc}/u;

export function claudeCodeSync(closed: ClosedPlaces, where: InstallPlace): SyncResult {
  const unsupported: string[] = [];
  const rules = (verdict: "ask" | "deny"): readonly string[] =>
    closed.places.flatMap((place) => {
      if (place.verdict !== verdict) return [];
      const pattern = patternOf(place, where);
      if (pattern === null) unsupported.push(`\`${place.pattern}\`: a character of it means something else in Claude Code's rules`);
      const tool = place.right === "read" ? "Read" : "Edit";
      return pattern === null ? [] : [`${tool}(${pattern})`, `${tool}(${pattern}/**)`];
    });
  const [deny, ask] = [rules("deny"), rules("ask")];
  const texts = (at: readonly string[], marks: { readonly begin: string; readonly end: string }, list: readonly string[]) =>
    ({ kind: "texts", at, ...marks, texts: list }) as const;
  const { file, sandbox } = settingsOf(where);
  const project = where.level === "project";
  const settingsFile: WantedFile = {
    kind: "json",
    files: [file],
    entries: [
      texts(["permissions", "deny"], MARKS, deny),
      ...(ask.length === 0 ? [] : [texts(["permissions", "ask"], MARKS, ask)]),
      ...(sandbox
        ? [
            { kind: "default", at: ["sandbox", "enabled"], value: true } as const,
            texts(["sandbox", "filesystem", "denyRead"], PATH_MARKS, sandboxDenies(closed, where)),
            ...(project ? [texts(["sandbox", "filesystem", "allowRead"], PATH_MARKS, [where.workspace])] : []),
          ]
        : []),
    ],
  };
  return {
    files: [settingsFile],
    notes: [
      ...unsupported,
      project
        ? "its sandbox hides your home directory from commands, all but this project; grants are not in it"
        : "its sandbox hides the directories of credentials from commands; `--project` hides the rest of the home directory too",
      "files named with @ in a message obey these rules, which no hook can see",
    ],
  };
}

function settingsOf({ level, workspace, home, env }: InstallPlace): { readonly file: string; readonly sandbox: boolean } {
  const own = env["CLAUDE_CONFIG_DIR"]?.startsWith("/") === true ? env["CLAUDE_CONFIG_DIR"] : posix.join(home, ".claude");
  return {
    file: level === "project" ? posix.join(workspace, ".claude", "settings.local.json") : posix.join(own, "settings.json"),
    sandbox: true,
  };
}

function patternOf({ glob }: ClosedPlace, { level }: InstallPlace): string | null {
  const names = spellNames(glob.pieces, "**", SPECIAL);
  if (names === null) return null;
  const path = names.join("/");
  if (glob.anchor === "anywhere") return `//${path}`;
  // One slash is where the settings are, for a project the project; a bare path is where Claude Code was started.
  return level === "project" ? `/${path}` : path;
}

/** By their whole path: its sandbox takes no patterns everywhere. Where the home directory is hidden, what lies in it is hidden with it. */
function sandboxDenies({ places }: ClosedPlaces, { level, home, workspace }: InstallPlace): readonly string[] {
  const shut = places.filter(({ right, verdict }) => right === "read" && verdict === "deny");
  const literal = shut.flatMap(({ glob: { anchor, pieces } }) => {
    const [first, ...rest] = pieces;
    const path = literalPath(first?.kind === "any-names" ? rest : pieces);
    if (anchor !== "anywhere" || path === null) return [];
    return [first?.kind === "any-names" ? `${home}/${path}` : `/${path}`];
  });
  if (level === "user") return literal;
  return [home, ...literal.filter((path) => !isInside(home, path) || isInside(workspace, path))];
}
