// Our policy as opencode's `permission`. There the last match speaks and `*` goes over slashes, so ours stand at the end and shut a little
// more than we do. Asks are left out: at the end they would lift a deny of the owner's.

import { posix } from "node:path";
import type { InstallPlace } from "../install/index.ts";
import { type ClosedPlaces, spellNames } from "./closed-places.ts";
import type { SyncResult } from "./index.ts";

const MARKS = { begin: "/hallpass/generated/begin", end: "/hallpass/generated/end", mark: "deny" } as const;
const SPECIAL = /[*?\\]|\p{Cc}/u;

export function opencodeSync(closed: ClosedPlaces, where: InstallPlace): SyncResult {
  const config = posix.join(
    where.env["XDG_CONFIG_HOME"]?.startsWith("/") === true ? where.env["XDG_CONFIG_HOME"] : posix.join(where.home, ".config"),
    "opencode",
  );
  const base = where.level === "project" ? where.workspace : config;
  const asks = closed.places.filter(({ verdict }) => verdict === "ask").length;
  const unsupported: string[] = [];
  const patterns = (right: "read" | "write"): readonly (readonly [string, string])[] => {
    const names = closed.places.flatMap((place) => {
      if (place.right !== right || place.verdict !== "deny") return [];
      const spelling = spellNames(place.glob.pieces, "*", SPECIAL);
      if (spelling === null) unsupported.push(`\`${place.pattern}\`: a character of it means something else in opencode's patterns`);
      return spelling === null ? [] : forms(spelling, place.glob.anchor === "anywhere");
    });
    return [...new Set(names)].map((name) => [name, "deny"] as const);
  };
  const properties = (key: string, list: readonly (readonly [string, string])[]) =>
    ({ kind: "properties", at: ["permission", key], ...MARKS, properties: list }) as const;
  const reads = patterns("read");
  return {
    files: [
      {
        kind: "json",
        files: [posix.join(base, "opencode.json"), posix.join(base, "opencode.jsonc")],
        entries: [
          properties("read", reads),
          properties("edit", patterns("write")),
          ...(closed.outside === "deny" ? [properties("external_directory", [["*", "deny"]])] : []),
        ],
      },
    ],
    notes: [
      ...unsupported,
      ...(asks > 0
        ? [`${asks} ask${asks === 1 ? "" : "s"}: the last match speaks there, so an ask of ours could lift a deny of yours`]
        : []),
      "its grep and its shell look at none of these patterns; the plugin does (`hallpass install opencode`)",
    ],
  };
}

/** At the top, anywhere below, and everything in it. Some versions see paths from the workspace, what lies outside as `../…`, others whole. */
function forms(names: readonly string[], anywhere: boolean): readonly string[] {
  const path = (names[0] === "*" ? names.slice(1) : names).join("/");
  const first = anywhere && names[0] !== "*" ? `/${path}` : path;
  return [first, `*/${path}`, `${first}/*`, `*/${path}/*`];
}
