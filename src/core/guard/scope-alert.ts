// The scope alert: what a model is told when a foreign tool points outside scope, with its remedies. Pure text and its bookkeeping:
// one alert per tool and path, three turns long, not kept when a transcript is compacted.

import { show } from "../path/show.ts";
import type { Session } from "../session/session.ts";
import { quoted } from "./hint.ts";

export interface ScopeAlert {
  readonly id: string;
  /** A second alert with this key replaces the first. */
  readonly dedupeKey: string;
  readonly turns: 3;
  readonly keptOnCompaction: false;
  readonly body: string;
}

/** `session` is null where it is not known which roots there are: then they are left out. */
export function scopeAlert(tool: string, path: string, reason: string, session: Session | null): ScopeAlert {
  const key = `scope-alert:${tool}:${fingerprint(path)}`;
  const body = [
    "<scope-alert>",
    `The call of ${show(tool)} points at \`${show(path)}\`, which is outside this session's scope (${show(reason)}).`,
    "",
    ...(session === null ? [] : [...rootLines(session), ""]),
    "Ways on:",
    `  - ask: request_read_access({"path": ${quoted(path)}, "reason": "<why>"}) asks a person for reading, for this session`,
    "  - add_root: a person mounts the repository that holds it into this session",
    "  - reanchor: a person moves the workspace to that repository",
    "  - fork: spawn_agent works on that repository in a session of its own",
    "",
    "Pick one, or tell the person what you need.",
    "</scope-alert>",
  ].join("\n");
  return { id: key, dedupeKey: key, turns: 3, keptOnCompaction: false, body };
}

function rootLines({ workspace, mounts }: Session): readonly string[] {
  const mounted = mounts.map((mount) => `  - ${show(mount.dir)} (mode: ${mount.mode})`);
  return [`Workspace: ${show(workspace.dir)}`, "Mounted roots:", ...(mounted.length === 0 ? ["  (none)"] : mounted)];
}

/** Short, stable, and enough to tell paths apart within a session (FNV-1a, twice over). Not a secret and not for security. */
function fingerprint(text: string): string {
  const hash = (seed: number): string => {
    let value = seed;
    for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
    return (value >>> 0).toString(16).padStart(8, "0");
  };
  return hash(0x811c9dc5) + hash(0x9747b28c).slice(0, 4);
}
