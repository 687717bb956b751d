// Combines the authors' parts into one policy: the strictest verdict wins, and only the machine's owners may loosen it.

import { isInside } from "../path/contain.ts";
import type { PolicyPart, Preset } from "./policy-part.ts";
import { type AuthorLayer, type DefaultVerdict, emptyPolicy, type Policy, strictestCommands, stricter, type Verdict } from "./rule.ts";
import { ruleId } from "../names.ts";

/** What a preset says where its author said nothing. `strict` is the seed that asks every time; `open-read` lets reading go. */
const presets: Record<Preset, { readonly read: Verdict | null; readonly gitignored: Verdict; readonly offer: "once" | "session" }> = {
  strict: { read: "ask", gitignored: "deny", offer: "once" },
  balanced: { read: null, gitignored: "allow", offer: "session" },
  "open-read": { read: "allow", gitignored: "allow", offer: "session" },
};

/** One policy from any number of authors. No parts: the balanced default. */
export function combinePolicies(parts: readonly PolicyPart[]): Policy {
  const owners = parts.filter((part) => part.author !== "project");
  const strictest = (verdicts: readonly (Verdict | null)[]): Verdict =>
    verdicts.reduce<Verdict>((one, other) => (other === null ? one : stricter(one, other)), "allow");
  return {
    layers: parts.map(withPreset),
    secrets: { except: liftable(parts, "secrets"), add: parts.flatMap((part) => part.secrets.add) },
    protect: { except: liftable(parts, "protect"), add: parts.flatMap((part) => part.protect.add) },
    gitignored: strictest(parts.map((part) => part.gitignored ?? (part.preset === null ? null : presets[part.preset].gitignored))),
    hardlinks: strictest(parts.map((part) => part.hardlinks)),
    ceilings: ceilingsOf(owners),
    projects: owners.flatMap((part) => part.projects),
    asks: {
      by: owners.findLast((part) => part.asks.by !== null)?.asks.by ?? emptyPolicy.asks.by,
      offer: offerOf(parts),
    },
    commands: strictestCommands(parts.map(({ commands }) => commands)),
    sessions: { idleHours: idleHoursOf(parts) },
    hooks: { withoutDaemon: parts.some(({ hooks }) => hooks.withoutDaemon === "deny") ? "deny" : "spool" },
  };
}

/** Only once, if anybody says so. */
function offerOf(parts: readonly PolicyPart[]): "once" | "session" {
  return parts.some((part) => (part.asks.offer ?? (part.preset === null ? null : presets[part.preset].offer)) === "once")
    ? "once"
    : "session";
}

function withPreset(part: PolicyPart): AuthorLayer {
  const read = part.preset === null ? null : presets[part.preset].read;
  const { layer } = part;
  if (read === null || layer.defaults.read !== null) return layer;
  const last: DefaultVerdict = { id: ruleId(`${part.author}:preset`), verdict: read, source: null };
  if (layer.name !== "project") return { ...layer, defaults: { ...layer.defaults, read: last } };
  return last.verdict === "allow" ? layer : { ...layer, defaults: { ...layer.defaults, read: { ...last, verdict: last.verdict } } };
}

/** The shortest that anybody says; a day where nobody says one. */
function idleHoursOf(parts: readonly PolicyPart[]): number {
  const hours = parts.flatMap(({ sessions: { idleHours } }) => idleHours ?? []);
  return hours.length === 0 ? emptyPolicy.sessions.idleHours : Math.min(...hours);
}

/** What may be lifted: the operator's list, or where there is an administrator, the administrator's alone (an empty one, too). */
function liftable(parts: readonly PolicyPart[], key: "secrets" | "protect"): readonly string[] {
  const who = parts.some((part) => part.author === "administrator") ? "administrator" : "operator";
  return parts.filter((part) => part.author === who).flatMap((part) => part[key].except);
}

/** The administrator's ceilings bound the operator's: an operator's ceiling counts only below one of them. */
function ceilingsOf(owners: readonly PolicyPart[]): readonly string[] | null {
  const bound = owners.find((part) => part.author === "administrator")?.ceilings ?? null;
  const own = owners.find((part) => part.author === "operator")?.ceilings ?? null;
  if (bound === null || own === null) return own ?? bound;
  return own.filter((place) => bound.some((ceiling) => isInside(ceiling, place)));
}
