// A card: what a person is told before they answer an ask. It is made here, once, for every screen; web, terminal, MCP, ACP and the
// webhook only lay it out. Pure. A fact is a label and a sentence in parts, so that each screen can escape and cut what others wrote.

import { isLookupTool } from "../access.ts";
import type { FactKind } from "../facts.ts";
import { basename } from "../path/contain.ts";
import { hasForeignLetters, shorten, show } from "../path/show.ts";
import type { Survey } from "../session/survey.ts";
import { type CardAsk, called, counted, type FileChange, lastName, reachOf, verbOf } from "./card-ask.ts";
import { type Choice, choicesOf } from "./card-choices.ts";
import { meanings } from "./meanings.ts";

/**
 * `text` is ours. Everything else came from elsewhere and goes through `show`: `name` of an agent, program or tool; `path` as it was asked
 * for, which may be cut in the middle; `dir`, what a yes opens, never cut; `words`, the agent's own, unverified. `time`: milliseconds.
 */
export interface Part {
  readonly kind: "text" | "name" | "path" | "dir" | "words" | "time";
  readonly text: string;
}

export interface Fact {
  readonly kind: FactKind;
  readonly label: string;
  readonly parts: readonly Part[];
  /** `must`: where it does not fit, nothing can be allowed. `warn`: the same, and set off. `may`: left out where there is no room. */
  readonly weight: "must" | "warn" | "may";
}

export interface Card {
  /** Who wants what, as a question. Fit to be shown as it is. */
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly choices: readonly Choice[];
}

export function cardOf(ask: CardAsk): Card {
  return { title: titleOf(ask), facts: ask.kind === "pending_question" ? questionFacts(ask) : accessFacts(ask), choices: choicesOf(ask) };
}

/** Stands before an agent's own words, on every screen. */
export const AGENT_SAYS = "The agent says (unverified)";

/** A fact's sentence as one line of text, for screens that have nothing else. */
export function sentenceOf({ parts }: Pick<Fact, "parts">, width = 500): string {
  return parts.map((part) => partText(part, width)).join("");
}

/** One part as text. Only what a yes opens is never cut. */
export function partText({ kind, text }: Part, width = 500): string {
  if (kind === "text") return text;
  if (kind === "time") return `${new Date(Number(text)).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return kind === "dir" ? show(text) : shorten(show(text), width);
}

/**
 * A card as lines of text, for screens that show nothing else: the title, then a line a fact. What the agent says stands last, so that
 * nothing in it can pass for a line of ours.
 */
export function cardLines({ title, facts }: Pick<Card, "title" | "facts">, width = 500): readonly string[] {
  const isQuoted = ({ parts }: Pick<Fact, "parts">): boolean => parts.some(({ kind }) => kind === "words");
  const ours = facts.filter((entry) => !isQuoted(entry)).map((entry) => `${entry.label}: ${sentenceOf(entry, width)}`);
  const theirs = facts.filter(isQuoted).map((entry) => {
    const quotes = entry.parts.flatMap((part) =>
      part.kind === "words" ? [shorten(show(part.text), entry.weight === "may" ? width : LONGEST)] : [],
    );
    const before = entry.parts.flatMap((part) => (part.kind === "words" ? [] : [partText(part, width)])).join("");
    return `${entry.kind === "reason" ? "" : `${entry.label}${before === "" ? "" : ` ${before.trim()}`}. `}${AGENT_SAYS}: ${quotes.join(" ")}`;
  });
  return [title, ...ours, ...theirs];
}

/** A difference as lines of text: its own line ends stay, everything else goes through `show`. */
export function shownDiff(diff: string): string {
  return diff.split("\n").map(show).join("\n");
}

/** What a yes lets happen is told whole: an agent's task is no longer than this. */
const LONGEST = 64 * 1024;

const text = (value: string): Part => ({ kind: "text", text: value });
const name = (value: string): Part => ({ kind: "name", text: value });
const path = (value: string): Part => ({ kind: "path", text: value });
const dir = (value: string): Part => ({ kind: "dir", text: value });
const words = (value: string): Part => ({ kind: "words", text: value });
const fact = (kind: FactKind, label: string, weight: Fact["weight"], ...parts: readonly Part[]): Fact => ({ kind, label, parts, weight });

/** Programs by the names they register under. */
const programs: Readonly<Record<string, string>> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  copilot: "Copilot CLI",
  cursor: "Cursor",
  gemini: "Gemini CLI",
  mcp: "an MCP client",
  acp: "an editor's agent",
};
export const programOf = (registered: string): string => programs[registered] ?? registered;

/** The agent that asks, by the name a person knows it by. */
export function agentName({ asker: { host, label } }: Pick<CardAsk, "asker">): string {
  return label === null ? (host === null ? "the agent" : programOf(host)) : programOf(label);
}

/** Who answered, as the record names them, in words for a person. Not "you": others may see the same card. */
export const personWords = (by: string): string => people[by] ?? by;

const people: Readonly<Record<string, string>> = {
  "person (web)": "a person in the browser",
  "person (terminal)": "a person in the terminal",
  "person (mcp)": "a person in the MCP client's dialog",
  "person (acp)": "a person in the editor",
  "person (api)": "a person through the HTTP interface",
};

/** An agent of ours that has no other name. */
export const agentIn = (workspace: string): string => `the agent in ${basename(workspace)}`;

/** What a session's agent is called in lists: by the name it gave, its program, or its workspace. */
export function sessionName(session: { readonly label: string | null; readonly host: string | null; readonly workspace: string }): string {
  return session.label ?? session.host ?? agentIn(session.workspace);
}

/** The agents that ask, outermost first. */
export const askerNames = (asker: CardAsk["asker"]): readonly string[] => [...asker.parents.map(programOf), agentName({ asker })];

/** How its calls come here. */
function wayOf({ asker }: CardAsk): readonly Part[] {
  const { host } = asker;
  if (host === null) return [];
  if (host === "mcp" || host === "acp") return [text(` (through ${host.toUpperCase()})`)];
  const program = programOf(host);
  return agentName({ asker }) === program ? [text(" (through its hook)")] : [text(" (through the hook of "), name(program), text(")")];
}

function titleOf(ask: CardAsk): string {
  const who = called(agentName(ask));
  if (ask.kind === "pending_question") return `${who.slice(0, 1).toUpperCase()}${who.slice(1)} has a question`;
  if (ask.about?.what === "command") return `Let ${who} run a command without a sandbox?`;
  if (ask.about?.what === "network")
    return ask.offers === "session" ? `Let ${who}'s commands use the network?` : `Let a command of ${who} use the network, once?`;
  const place = lastName(ask.path ?? ask.requested[0] ?? "");
  if (ask.about?.what === "agent") return `Let ${who} start an agent in ${place}?`;
  if (ask.right === "write") return `Let ${who} ${verbOf(ask)} ${place}?`;
  return ask.offers === "session" && ask.proposal !== null
    ? `Let ${who} read ${lastName(ask.proposal.dir)}?`
    : `Let ${who} ${verbOf(ask)} ${place}, once?`;
}

function questionFacts(ask: CardAsk): readonly Fact[] {
  return [
    whoFact(ask),
    fact("wants", "It asks", "must", words(ask.question ?? "")),
    fact("opens", "Your answer", "may", text("goes to the agent as text. It grants nothing.")),
  ];
}

function accessFacts(ask: CardAsk): readonly Fact[] {
  return [
    ...waitingFact(ask),
    whoFact(ask),
    wantsFact(ask),
    ...locationFact(ask),
    ...unusualFact(ask),
    ...opensFacts(ask),
    ...holdsFact(ask),
    ...partOfFact(ask),
    howLongFact(ask),
    ...(ask.about?.what === "agent" ? [fact("task", "Its task", "must", words(ask.about.task))] : []),
    reasonFact(ask),
    ...ask.changes.map(changeFact),
    ...beforeFact(ask),
    fact(
      "why",
      "Why you are asked",
      "may",
      text(ask.about?.what === "command" ? "nothing on this machine can confine it" : whyWords(ask.reason)),
    ),
  ];
}

function reasonFact({ tool, words: reason }: CardAsk): Fact {
  if (reason === null) return fact("reason", "Its reason", "may", text("none given"));
  // Of a command that runs it is Hallpass who tells which program reached for it; the agent has said nothing.
  return isLookupTool(tool) ? fact("reason", "Seen by Hallpass", "may", name(reason)) : fact("reason", "Its reason", "may", words(reason));
}

/** Allowed already, on another machine than the one that must judge it. */
function waitingFact({ waiting }: CardAsk): readonly Fact[] {
  if (waiting === null) return [];
  const { by, at, machine, isThere } = waiting;
  const answered = [text("yes, by "), name(personWords(by)), text(" at "), { kind: "time", text: String(at) } as const];
  const rest = isThere
    ? [text("; waiting for "), name(machine)]
    : [text("; "), name(machine), text(" is offline; it will be settled when it is back")];
  return [fact("waiting", "Answered", "warn", ...answered, ...rest)];
}

function whoFact(ask: CardAsk): Fact {
  const { machine } = ask.asker;
  const chain = askerNames(ask.asker).flatMap((one, at) => [...(at === 0 ? [] : [text(" › ")]), name(one)]);
  const where = machine === null ? [] : [text(" on "), name(machine)];
  // The title names the agent too: in a small window this may give way.
  return fact("who", "Who asks", "may", ...chain, ...wayOf(ask), text(" in "), path(ask.workspace), ...where);
}

/** So many paths of one ask are named. */
const NAMED = 20;

function wantsFact(ask: CardAsk): Fact {
  const { requested, about, tool, links, onTheWay } = ask;
  const [first = "", ...others] = requested;
  if (about?.what === "command") return fact("wants", "Wants to", "must", text("run "), words(first));
  if (about?.what === "network") {
    const also = others.length === 0 ? "" : ` (and ${counted(others.length, "more command")})`;
    return fact("wants", "Wants to", "must", text(`run with the network${also} `), words(first));
  }
  if (about?.what === "agent")
    return fact("wants", "Wants to", "must", text("start an agent in "), path(first), text(" with "), name(tool));
  // `..` and `~` are only another way to write it; a link, and a directory on the way, are told by a fact of their own.
  const isSpelled = links.length === 0 && !onTheWay && ask.path !== null && ask.path !== first;
  const whole = isSpelled && ask.path !== null ? [text(", that is "), path(ask.path)] : [];
  // What else was put to the same card may have come by other tools.
  const also = others.slice(0, NAMED - 1).flatMap((one, at) => [text(at === 0 ? "; also " : ", "), path(one)]);
  const more = requested.length > NAMED ? [text(` and ${requested.length - NAMED} more`)] : [];
  return fact("wants", "Wants to", "must", text(`${verbOf(ask)} `), path(first), ...whole, text(" with "), name(tool), ...also, ...more);
}

function locationFact({ path: real, links, onTheWay }: CardAsk): readonly Fact[] {
  if (real === null || (links.length === 0 && !onTheWay)) return [];
  const through = links.flatMap((link, at) => [text(at === 0 ? ", since it goes through the link " : " and "), path(link)]);
  if (!onTheWay) return [fact("location", "Actual location", "warn", path(real), ...through)];
  return [fact("location", "On the way", "warn", text("it passes through "), path(real), ...through, text(" and leaves it again by .."))];
}

function unusualFact({ requested, path: real, proposal, about }: CardAsk): readonly Fact[] {
  if (about?.what === "network") return [];
  const all = [...requested, real ?? "", proposal?.dir ?? ""];
  if (!all.some((shownName) => hasForeignLetters(shownName) || show(shownName) !== shownName)) return [];
  return [fact("unusual", "Check closely", "warn", text("unusual letters in these names"))];
}

function opensFacts(ask: CardAsk): readonly Fact[] {
  const { about, proposal, offers, right, path: real } = ask;
  if (about?.what === "command")
    return [
      fact("opens", "A yes runs it", "warn", text("without a sandbox, this once: it can read, change and send anything that you can")),
    ];
  if (about?.what === "network") {
    const opened =
      "the same network as your own programs: every host that this machine can reach, and this machine's own services. " +
      "A command can then send out anything it can read. The files it sees stay the same";
    return [fact("opens", offers === "session" ? "A yes gives commands" : "A yes gives it", "warn", text(opened))];
  }
  if (about?.what === "agent") {
    const start = fact(
      "opens",
      "A yes starts",
      "must",
      text("another agent whose workspace is "),
      dir(real ?? ""),
      text(". It can read, write and run commands there; you are asked about its files again only where the policy says to ask"),
    );
    const writable = text("this was granted for reading only. A yes makes it writable for that agent");
    return about.wasReadOnly ? [start, fact("writable", "Note", "warn", writable)] : [start];
  }
  if (right === "write") return [fact("opens", "A yes lets it write", "must", dir(real ?? ""), text(", in this one call"))];
  if (offers === "once" || proposal === null)
    return [fact("opens", `A yes lets it ${verbOf(ask)}`, "must", dir(real ?? ""), text(reachOf(ask)))];
  return [fact("opens", "A yes lets it read", "must", dir(proposal.dir), text(`, ${kindOfRoot(proposal.because)}, read-only`))];
}

/** What kind of directory it is, by what was found in it. */
function kindOfRoot(because: string): string {
  return rootKinds[because] ?? "the whole directory";
}

const rootKinds: Readonly<Record<string, string>> = {
  project: "the whole project, as it is registered",
  ".git": "the whole git repository",
  "package.json": "the whole package (it has package.json)",
  "go.mod": "the whole Go module (it has go.mod)",
  "Cargo.toml": "the whole Rust package (it has Cargo.toml)",
  folder: "this folder and all below it",
};

function holdsFact({ survey, about }: CardAsk): readonly Fact[] {
  const surveyed = about?.what === "agent" ? about.survey : survey;
  return surveyed === null ? [] : [fact("holds", "In it", "may", text(surveyWords(surveyed).join(" · ")))];
}

/** The repository around what is proposed, with what is in it: it can be opened instead. */
function partOfFact({ offers, repository }: CardAsk): readonly Fact[] {
  if (offers !== "session" || repository === null) return [];
  const counts = repository.survey === null ? "" : `: ${surveyWords(repository.survey).join(" · ")}`;
  return [
    fact("part-of", "It is part of", "may", path(repository.dir), text(`, a git repository${counts}. All of it can be allowed instead`)),
  ];
}

/** What a look into a directory found, one clause each. */
export function surveyWords(found: Survey): readonly string[] {
  const { files, secrets, repositories, worktree, submodule, complete } = found;
  const least = complete ? "" : "at least ";
  return [
    `${least}${counted(files, "file")}`,
    secrets === 0
      ? complete
        ? "no secret files found; any added later stay hidden"
        : "no secret files found so far; any in it stay hidden"
      : `${least}${counted(secrets, "secret file")} ${secrets === 1 && complete ? "stays" : "stay"} hidden`,
    ...ruledWords(found, least),
    ...(repositories > 0 ? [`${least}${counted(repositories, "other repository", "other repositories")} inside, opened too`] : []),
    ...(found.uncounted === true ? ["node_modules, opened too, is not counted"] : []),
    ...(worktree ? ["a linked worktree; only this directory is opened"] : []),
    ...(submodule ? ["a submodule; only this directory is opened"] : []),
  ];
}

/** What a yes does not open, or not for good, since the policy says so. */
function ruledWords({ shut = 0, asked = 0, gitignored, hardlinks }: Survey, least: string): readonly string[] {
  const stays = { ask: "asked about each time", deny: "denied by the policy" } as const;
  return [
    ...(shut === 0 ? [] : [`${least}${counted(shut, "other")} ${shut === 1 ? "is" : "are"} ${stays.deny}`]),
    ...(asked === 0 ? [] : [`${least}${counted(asked, "other")} ${asked === 1 ? "is" : "are"} ${stays.ask}`]),
    ...(gitignored === undefined ? [] : [`what git ignores is ${stays[gitignored]}`]),
    ...(hardlinks === undefined ? [] : [`files with several names (hard links) are ${stays[hardlinks]}`]),
  ];
}

function howLongFact({ offers, proposal, about, expires }: CardAsk): Fact {
  const long =
    about?.what === "agent"
      ? "until that agent has finished its task"
      : offers === "session" && (proposal !== null || about?.what === "network")
        ? "this session, unless you revoke it sooner"
        : "for this one call";
  const open = expires === null ? [] : [text("; the question stays open until "), { kind: "time", text: String(expires) } as const];
  // So does every choice say it.
  return fact("how-long", "How long", "may", text(long), ...open);
}

function changeFact({ path: of, does, unshown }: FileChange): Fact {
  const verb = {
    creates: "creates ",
    overwrites: "overwrites all of ",
    changes: "changes ",
    removes: "removes ",
    unknown: "writes ",
  }[does];
  const why =
    unshown === null
      ? ""
      : {
          "too-large": "; it is too large to compare here",
          "not-text": "; it is not text, so no lines can be compared",
          "not-readable": "; the agent may not read it, so its current content is not shown here",
          "does-not-fit": "; the change does not fit the file as it is now and would fail",
          "not-told": "; what will be in it cannot be known beforehand",
          elsewhere: "; its machine does not answer now, so the change is not shown here",
        }[unshown];
  return fact(
    "change",
    "The change",
    does === "overwrites" || does === "removes" || unshown !== null ? "warn" : "must",
    text(verb),
    path(of),
    text(why),
  );
}

/** So many earlier answers are told. */
const EARLIER = 3;

function beforeFact({ earlier }: CardAsk): readonly Fact[] {
  if (earlier.length === 0) return [];
  const answers = earlier
    .slice(0, EARLIER)
    .flatMap(({ verdict, by, at }, index) => [
      text(`${index === 0 ? "" : "; "}${verdict === "allow" ? "allowed" : "denied"} by `),
      name(personWords(by)),
      text(" at "),
      { kind: "time", text: String(at) } as const,
    ]);
  const more = earlier.length > EARLIER ? [text(`; and ${counted(earlier.length - EARLIER, "earlier answer")}`)] : [];
  return [fact("before", "Before", "may", ...answers, ...more)];
}

/** Why the boundary stopped it, in words for a person. */
function whyWords(reason: string): string {
  const known: Readonly<Record<string, string>> = {
    ...Object.fromEntries(Object.entries(meanings).map(([code, meaning]) => [code, `it ${meaning}`])),
    "out-of-scope": "it is outside the workspace",
    "policy-ask": "the policy says to ask",
    "grant-stale": "it was granted, and another directory is in its place now",
  };
  return known[reason] ?? reason;
}
