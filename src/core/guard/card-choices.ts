// What a person may answer to an ask. Each choice says what it opens and for how long, and carries the answer that it stands for. Pure.

import { isLookupTool } from "../access.ts";
import { type CardAsk, counted, doingOf, lastName } from "./card-ask.ts";
import { show } from "../path/show.ts";

/** An answer, but for the digest of the card it is given to. */
export interface ChoiceAnswer {
  readonly decision: "allow" | "allow_once" | "deny" | "deny_and_stop";
  /** Another directory than the proposed one. */
  readonly opens?: "folder" | "repository";
  /** Ends the grant earlier than the session. */
  readonly minutes?: number;
  /** Keep it for every session of the workspace, by a rule of the policy. */
  readonly keep?: true;
}

export interface Choice {
  /** Unique on its card. */
  readonly id: string;
  /** What it opens and for how long, fit to be shown as it is. */
  readonly label: string;
  /** Does it open anything? Such a choice is never made beforehand. */
  readonly grants: boolean;
  /** `more`: behind a further step. */
  readonly place: "first" | "more";
  /** It opens more, or for longer, than the card proposes: ask once more. What to say then; null where it is not so. */
  readonly confirm: string | null;
  readonly answer: ChoiceAnswer;
}

/** What of an ask its choices are made from. */
export type ChoosingAsk = Pick<
  CardAsk,
  | "kind"
  | "waiting"
  | "about"
  | "offers"
  | "proposal"
  | "folder"
  | "repository"
  | "tool"
  | "workspace"
  | "path"
  | "requested"
  | "right"
  | "operation"
>;

/** Is the answer one of the choices? It may end sooner than the choice does. */
export function isOffered(ask: ChoosingAsk, { decision, opens, keep }: Omit<ChoiceAnswer, "minutes">): boolean {
  return choicesOf(ask).some(({ answer }) => answer.decision === decision && answer.opens === opens && answer.keep === keep);
}

const HOUR = 60;

/** In their order; a question has none, since its answer is a text. */
export function choicesOf(ask: ChoosingAsk): readonly Choice[] {
  if (ask.kind === "pending_question") return [];
  const [deny, stop] = [no("deny", "Deny", "first", "deny"), no("stop", "Deny and stop the agent", "more", "deny_and_stop")];
  // A yes waits already: it can be taken back by a no, and not be given twice.
  if (ask.waiting !== null) return [deny, stop];
  if (ask.about?.what === "network") return networkChoices(ask, deny, stop);
  const session = ask.offers === "session" && ask.proposal !== null ? ask.proposal : null;
  const choices: Choice[] = [];
  if (session !== null) choices.push(yes("session", `Allow reading ${lastName(session.dir)} for this session`, { decision: "allow" }));
  // A command that runs cannot be shown one file alone.
  if (session === null || !isLookupTool(ask.tool)) choices.push(yes("once", onceLabel(ask), { decision: "allow_once" }));
  choices.push(deny);
  if (session !== null) choices.push(...furtherChoices(ask, lastName(session.dir)));
  choices.push(stop);
  return choices;
}

function networkChoices({ offers, workspace }: ChoosingAsk, deny: Choice, stop: Choice): readonly Choice[] {
  const once = yes("once", "Allow the network for this command, once", { decision: "allow_once" });
  if (offers === "once") return [once, deny, stop];
  const confirmation = `Commands will have the network in this session now, and without asking in every later session whose workspace is ${show(workspace)}, whichever agent works there. ${POLICY_LINE_ADDED} To take it back, revoke the grant or the rule.`;
  return [
    yes("session", "Allow the network for this session", { decision: "allow" }),
    once,
    deny,
    more("hour", "Allow the network for one hour", { decision: "allow", minutes: HOUR }),
    { ...more("always", `Always allow the network in ${lastName(workspace)}`, { decision: "allow", keep: true }), confirm: confirmation },
    stop,
  ];
}

const POLICY_LINE_ADDED = "A line is added to your own policy file, and you will see which. Other workspaces still ask.";

/** For another time, less of it, or more of it. What is more than the card proposes is confirmed. */
function furtherChoices({ folder, repository, proposal, workspace }: ChoosingAsk, proposed: string): readonly Choice[] {
  const choices = [more("hour", `Allow reading ${proposed} for one hour`, { decision: "allow", minutes: HOUR })];
  if (folder !== null) {
    const only = `Allow reading only the folder ${lastName(folder)}`;
    choices.push(more("folder-session", `${only} for this session`, { decision: "allow", opens: "folder" }));
    choices.push(more("folder-hour", `${only} for one hour`, { decision: "allow", opens: "folder", minutes: HOUR }));
  }
  if (repository !== null) {
    const { survey, dir } = repository;
    const files = survey === null ? "" : ` (${survey.complete ? "" : "at least "}${counted(survey.files, "file")})`;
    const all = `Allow reading all of ${lastName(dir)}${files}`;
    const confirm = `This opens the whole repository ${show(dir)}${files}, and not ${proposed} alone.`;
    choices.push({ ...more("repository-session", `${all} for this session`, { decision: "allow", opens: "repository" }), confirm });
    choices.push({ ...more("repository-hour", `${all} for one hour`, { decision: "allow", opens: "repository", minutes: HOUR }), confirm });
  }
  const always = `Always allow reading ${proposed} in ${lastName(workspace)}`;
  const confirmation = `Reading ${show(proposal?.dir ?? "")} will be allowed in this session now, and without asking in every later session whose workspace is ${show(workspace)}, whichever agent works there. ${POLICY_LINE_ADDED} Secret files stay hidden. To take it back, revoke the grant or the rule.`;
  choices.push({ ...more("always", always, { decision: "allow", keep: true }), confirm: confirmation });
  return choices;
}

const more = (id: string, label: string, answer: ChoiceAnswer): Choice => ({ ...yes(id, label, answer), place: "more" });
const yes = (id: string, label: string, answer: ChoiceAnswer): Choice => ({
  id,
  label,
  grants: true,
  place: "first",
  confirm: null,
  answer,
});
const no = (id: string, label: string, place: Choice["place"], decision: "deny" | "deny_and_stop"): Choice => ({
  id,
  label,
  grants: false,
  place,
  confirm: null,
  answer: { decision },
});

function onceLabel(ask: ChoosingAsk): string {
  const { about, path, requested, right, offers } = ask;
  const place = lastName(path ?? requested[0] ?? "");
  if (about?.what === "command") return "Run this command without a sandbox, once";
  if (about?.what === "agent") return `Start an agent in ${place}`;
  // This file alone: of several that one call changes, each is asked about for itself.
  if (right === "write") return `Allow writing ${place}, once`;
  if (offers === "once") return `Allow ${doingOf(ask)} ${place}, once`;
  const only = { list: `listing ${place}`, search: `this search of ${place}` };
  return `Allow only ${ask.operation === "list" || ask.operation === "search" ? only[ask.operation] : place}, once`;
}
