// A policy file's content → what its author says, or errors with their places. Unknown keys, unknown words and untrue examples are
// errors: a policy that does not say what its author meant denies everything until it is mended.

import { ruleId } from "../names.ts";
import { show } from "../path/show.ts";
import { isRecord } from "../record.ts";
import { isDefault, parseGlob, type PatternPiece } from "./glob.ts";
import { LocatedValues, type ParseOptions } from "./located-values.ts";
import type { Keys, ParsedPolicy, PolicyPart } from "./policy-part.ts";
import { type CommandRights, emptyPolicy, strictestCommands } from "./rule.ts";
import { RuleLists } from "./rule-lists.ts";

export type { ParseOptions } from "./located-values.ts";
export type { Author, Keys, ParsedPolicy, PolicyError, PolicyPart, Preset } from "./policy-part.ts";

/** As many rules as anybody needs, and few enough that a repository cannot make judging slow. */
export const RULES = { administrator: 100_000, operator: 100_000, project: 1_000 } as const;

const KEYS = [
  "$schema",
  "read",
  "write",
  "permission",
  "secrets",
  "protected",
  "gitignored",
  "hardlinks",
  "ceilings",
  "projects",
  "preset",
  "asks",
  "commands",
  "sessions",
  "hooks",
  "workspaces",
] as const;

/** Parse a whole policy. `value` is what a JSON parser gave; nothing about it is taken for granted. */
export function parsePolicy(value: unknown, options: ParseOptions): ParsedPolicy {
  const values = new LocatedValues(options);
  const part = partOf(value, values);
  return values.errors.length > 0 ? { ok: false, errors: values.errors } : { ok: true, part };
}

function partOf(value: unknown, values: LocatedValues): PolicyPart {
  const { author, ignored } = values;
  const rules = new RuleLists(values);
  const top = values.object(value, [], KEYS);
  if (top["$schema"] !== undefined && typeof top["$schema"] !== "string") values.fail(["$schema"], "`$schema` must be a string");
  for (const right of ["read", "write"] as const) rules.add(top[right], [right], right, { outsideOnly: false });
  addSeed(top["permission"], values, rules);
  const ofWorkspace = addOfWorkspace(top["workspaces"], values, rules);
  const preset = values.word(top["preset"], ["preset"], ["strict", "balanced", "open-read"] as const);
  const part: PolicyPart = {
    author,
    layer: rules.layer(),
    preset: preset === "open-read" && author === "project" ? values.ignore(["preset"], null) : preset,
    secrets: namesIn(top["secrets"], "secrets", values),
    protect: namesIn(top["protected"], "protected", values),
    gitignored: values.verdict(top["gitignored"], ["gitignored"]),
    hardlinks: values.verdict(top["hardlinks"], ["hardlinks"]),
    ceilings: top["ceilings"] === undefined ? null : ownersPlaces(top["ceilings"], "ceilings", null, values),
    projects: ownersPlaces(top["projects"], "projects", [], values),
    asks: asksIn(top["asks"], values),
    commands: strictestCommands([...ofWorkspace.commands, commandsIn(top["commands"], ["commands"], values)]),
    sessions: sessionsIn(top["sessions"], values),
    hooks: hooksIn(top["hooks"], values),
    workspaces: ofWorkspace.named,
    sources: {},
    ignored,
  };
  rules.refuseDeadDenies();
  const named = [part.secrets, part.protect].flatMap(({ except, add }) => [...except, ...add]);
  if (rules.size + named.length > RULES[author]) values.fail([], `a policy may have at most ${RULES[author]} rules`);
  return { ...part, sources: sourcesOf(part, top, values) };
}

/** Where each entry of the lists stands. They are in the order of the file. */
function sourcesOf(
  { preset, secrets, protect, ceilings, projects, workspaces }: PolicyPart,
  top: Readonly<Record<string, unknown>>,
  values: LocatedValues,
): PolicyPart["sources"] {
  const inOrder = (name: string, entries: readonly string[], ...keys: Keys) =>
    entries.map((entry, at) => [`${name} ${entry}`, values.locate([...keys, at])] as const);
  const named = Object.keys(isRecord(top["workspaces"]) ? top["workspaces"] : {});
  const all = [
    ...(preset === null ? [] : [["preset", values.locate(["preset"])] as const]),
    ...inOrder("secrets.except", secrets.except, "secrets", "except"),
    ...inOrder("protected.except", protect.except, "protected", "except"),
    ...inOrder("ceilings", ceilings ?? [], "ceilings"),
    ...inOrder("projects", projects, "projects"),
    ...workspaces.map((place, at) => [`workspaces ${place}`, values.locate(["workspaces", named[at] ?? ""])] as const),
  ];
  return Object.fromEntries(all.flatMap(([name, source]) => (source === null ? [] : [[name, source]])));
}

/** The seed's shape: `permission.external_directory` as a word, as {read, write}, or as maps of patterns. */
function addSeed(value: unknown, values: LocatedValues, rules: RuleLists): void {
  if (value === undefined) return;
  const permission = values.object(value, ["permission"], ["external_directory"]);
  const outside = permission["external_directory"];
  const keys = ["permission", "external_directory"];
  if (outside === undefined) return;
  if (typeof outside === "string") return rules.addWord(outside, keys, ["read", "write"]);
  const split = values.object(outside, keys, ["read", "write"]);
  for (const right of ["read", "write"] as const) rules.add(split[right], [...keys, right], right, { outsideOnly: true });
}

/**
 * What holds in one workspace alone: rules for reading, after all others, and what its commands have. Those of other workspaces are looked at and
 * not counted. Only who owns the machine may say it. Gives the directories that are named.
 */
function addOfWorkspace(
  value: unknown,
  values: LocatedValues,
  rules: RuleLists,
): { readonly named: readonly string[]; readonly commands: readonly CommandRights[] } {
  const named: string[] = [];
  const rights: CommandRights[] = [];
  const result = { named, commands: rights };
  if (value === undefined) return result;
  const key = "workspaces";
  if (values.author === "project") return values.ignore([key], result);
  for (const [name, entry] of Object.entries(values.object(value, [key], null))) {
    const keys = [key, name];
    const [place = ""] = values.places(name, keys);
    named.push(place);
    const { read, commands } = values.object(entry, keys, ["read", "commands"]);
    const list = place === values.workspace ? rules : new RuleLists(values);
    list.add(read, [...keys, "read"], "read", { outsideOnly: false });
    const commandRights = commandsIn(commands, [...keys, "commands"], values);
    if (place === values.workspace) rights.push(commandRights);
  }
  return result;
}

/** Names added to one of the builtin lists, and names taken out, which a repository may not do. */
function namesIn(value: unknown, key: "secrets" | "protected", values: LocatedValues): PolicyPart["secrets"] {
  if (value === undefined) return { except: [], add: [] };
  const lists = values.object(value, [key], ["except", "add"]);
  const patterns = (name: "except" | "add"): readonly string[] =>
    values.texts(lists[name], [key, name]).filter((pattern) => {
      const at = Array.isArray(lists[name]) ? lists[name].indexOf(pattern) : 0;
      const parsed = isDefault(pattern)
        ? { ok: false as const, why: "a pattern that matches everything is not allowed here; name the files" }
        : parseGlob(pattern, values.home);
      if (!parsed.ok) values.fail([key, name, at], `pattern \`${show(pattern)}\`: ${parsed.why}`);
      else if (parsed.glob.pieces.every(isAnything))
        values.fail([key, name, at], `pattern \`${show(pattern)}\`: a pattern that matches everything is not allowed here; name the files`);
      else if (parsed.glob.anchor === "root")
        values.fail([key, name, at], `pattern \`${show(pattern)}\`: must begin with \`/\`, \`~/\` or \`**/\`, or be a single name`);
      return parsed.ok;
    });
  const except = patterns("except");
  const lifted = except.length > 0 && values.author === "project" ? values.ignore([key, "except"], []) : except;
  return { except: lifted, add: patterns("add") };
}

/** Directories that only who owns the machine may name; `otherwise` where a repository does. */
function ownersPlaces<T>(value: unknown, key: string, otherwise: T, values: LocatedValues): readonly string[] | T {
  const places = values.places(value, [key]);
  return places.length > 0 && values.author === "project" ? values.ignore([key], otherwise) : places;
}

function asksIn(value: unknown, values: LocatedValues): PolicyPart["asks"] {
  if (value === undefined) return { by: null, offer: null };
  const asks = values.object(value, ["asks"], ["by", "offer"]);
  return {
    by: values.word(asks["by"], ["asks", "by"], ["model", "guard"] as const),
    offer: values.word(asks["offer"], ["asks", "offer"], ["once", "session"] as const),
  };
}

/** A repository may shut the network and never open it. */
function commandsIn(value: unknown, above: Keys, values: LocatedValues): CommandRights {
  if (value === undefined) return emptyPolicy.commands;
  const keys = [...above, "network"];
  const network = values.word(values.object(value, above, ["network"])["network"], keys, ["none", "host"] as const);
  if (network === null || (network === "host" && values.author === "project")) {
    return network === null ? emptyPolicy.commands : values.ignore(keys, emptyPolicy.commands);
  }
  return { network, rule: ruleId(`${values.author}:${keys.join(".")}`), source: values.locate(keys) };
}

/** The longest that a policy may let a session lie unused: a year. */
const MOST_HOURS = 8760;

/** Anybody may end sessions sooner; of several the shortest time counts. */
function sessionsIn(value: unknown, values: LocatedValues): PolicyPart["sessions"] {
  if (value === undefined) return { idleHours: null };
  const keys = ["sessions", "idle_hours"];
  return { idleHours: values.number(values.object(value, ["sessions"], ["idle_hours"])["idle_hours"], keys, 1, MOST_HOURS) };
}

/** Anybody may say `deny`; of several it counts. */
function hooksIn(value: unknown, values: LocatedValues): PolicyPart["hooks"] {
  if (value === undefined) return { withoutDaemon: null };
  const keys = ["hooks", "without_daemon"];
  const withoutDaemon = values.object(value, ["hooks"], ["without_daemon"])["without_daemon"];
  return { withoutDaemon: values.word(withoutDaemon, keys, ["spool", "deny"] as const) };
}

const isAnything = (piece: PatternPiece): boolean => piece.kind === "any-names" || (piece.kind === "wild" && /^\*+$/.test(piece.text));
