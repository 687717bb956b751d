// An ask as a card shows it: who asks, for what, what a yes would open, and what was answered before. The digest is of all of it, so
// that an answer can say which card it was given to.

import { createHash } from "node:crypto";
import { sessionName, type Card, cardOf } from "../../core/guard/card.ts";
import { HallpassError, isCode } from "../../core/errors.ts";
import { meanings } from "../../core/guard/explain.ts";
import type { SessionId } from "../../core/names.ts";
import { refusalOf } from "../../agent/asking.ts";
import type { Store, StoredAsk, StoredSession } from "../../agent/ports.ts";
import type { WireAsk, WireCard } from "../../wire/values.ts";
import { isSameCommand } from "../../agent/stored-key.ts";
import { type ShownChange, wholeDiff } from "../../tools/change.ts";
import type { RemoteLooks } from "../elsewhere.ts";
import { canonicalJson } from "./canonical-json.ts";

export interface AskViewPorts {
  readonly store: Store;
  /** How long an ask stays answerable, in milliseconds; null for ever. */
  readonly askLife: number | null;
  /** This machine. */
  readonly machine: string;
  /** Is a daemon of this machine there? */
  readonly isThere: (machine: string) => boolean;
  /** What the call of an open ask would make of files; null where they are on another machine. */
  readonly changes: (ask: StoredAsk) => Promise<readonly ShownChange[] | null>;
  /** How what lies on another machine is looked at; null where no machines share the store. */
  readonly elsewhere: () => Pick<RemoteLooks, "look"> | null;
}

/** How many earlier answers a card names, and how many agents above its own. */
const EARLIER = 5;
const PARENTS = 16;

export async function wireAsk(ports: AskViewPorts, ask: StoredAsk): Promise<WireAsk> {
  const { store, askLife, machine, isThere } = ports;
  // At once: over a network each look takes its time.
  const [[session, parents], changes, [grant, refused], earlier] = await Promise.all([
    askerOf(store, ask.session),
    shownChanges(ports, ask),
    resultOfYes(store, ask),
    earlierAnswers(store, ask),
  ]);
  const withoutCard: Omit<WireAsk, "digest" | "card"> = {
    id: ask.id,
    session: ask.session,
    chat: ask.chat,
    kind: ask.kind,
    asker: {
      host: session?.host ?? null,
      label: session?.label ?? null,
      parents,
      machine: session === null || session.machine === machine ? null : session.machine,
    },
    workspace: session?.workspace ?? "",
    tool: ask.tool,
    requested: [...ask.requested],
    path: ask.path,
    links: [...(ask.links ?? [])],
    onTheWay: ask.onTheWay === true,
    right: ask.right,
    operation: ask.operation ?? null,
    offers: ask.offers,
    proposal: ask.proposal === null ? null : { dir: ask.proposal.dir, because: ask.proposal.because },
    survey: ask.survey === null ? null : { ...ask.survey },
    folder: ask.folder ?? null,
    repository:
      ask.repository === undefined ? null : { dir: ask.repository.dir, because: ask.repository.because, survey: ask.repository.survey },
    about: ask.about ?? null,
    reason: ask.reason,
    because: becauseOf(ask),
    words: ask.words,
    ...changes,
    question: ask.question,
    options: [...ask.options],
    at: ask.at,
    expires: askLife === null ? null : ask.at + askLife,
    state: ask.state,
    answer: ask.answer === null ? null : { ...ask.answer },
    waiting: waitingOf(ask, session, isThere),
    closed: ask.closed ?? null,
    ...(ask.rewoundAt === undefined ? {} : { rewound: true }),
    grant,
    refused,
    earlier,
  };
  const card = { ...withoutCard, card: plainCard(cardOf(withoutCard)) };
  return { ...card, digest: createHash("sha256").update(canonicalJson(card)).digest("hex") };
}

/** What a write would make of the files, as the machine that has them tells it. */
async function shownChanges(
  { store, changes: changesOf, elsewhere }: AskViewPorts,
  ask: StoredAsk,
): Promise<Pick<WireAsk, "diff" | "changes">> {
  const changes = await changesOf(ask);
  if (changes !== null) return { diff: wholeDiff(changes), changes: changes.map(({ path, does, unshown }) => ({ path, does, unshown })) };
  try {
    const machine = (await store.session(ask.session))?.machine ?? "";
    const remoteAsk = await elsewhere()?.look(machine, "ask", { id: ask.id, query: null, body: null });
    if (remoteAsk !== undefined) return { diff: remoteAsk.diff, changes: remoteAsk.changes };
  } catch (error) {
    if (!(error instanceof HallpassError)) throw error;
  }
  return { diff: null, changes: [{ path: ask.path ?? "", does: "unknown", unshown: "elsewhere" }] };
}

/** The yes that waits with an open ask for the machine that has the files. */
function waitingOf(
  { state, waitingYes }: StoredAsk,
  session: StoredSession | null,
  isThere: (machine: string) => boolean,
): WireAsk["waiting"] {
  if (state !== "open" || waitingYes === undefined || session === null) return null;
  const { by, at } = waitingYes;
  return { by, at, machine: session.machine, isThere: isThere(session.machine) };
}

/** The card with lists that may be written to, as the wire has them. */
function plainCard({ title, facts, choices }: Card): WireCard {
  return { title, facts: facts.map((fact) => ({ ...fact, parts: [...fact.parts] })), choices: choices.map((choice) => ({ ...choice })) };
}

/** The session that asks, and the agents above it, outermost first, by the name each has for people. */
async function askerOf(store: Store, id: SessionId): Promise<readonly [StoredSession | null, string[]]> {
  const session = await store.session(id);
  const names: string[] = [];
  for (let parent = session?.parent ?? null; parent !== null && names.length < PARENTS;) {
    const parentSession: StoredSession | null = await store.session(parent);
    if (parentSession === null) break;
    names.unshift(sessionName(parentSession));
    parent = parentSession.parent;
  }
  return [session, names];
}

function becauseOf({ kind, reason }: StoredAsk): string {
  if (kind === "pending_question") return "the agent has a question";
  return isCode(reason) ? `it ${meanings[reason]}` : reason;
}

/** What a yes for the session came to: the grant, if it is still there, and else why none was made, if none was. */
async function resultOfYes(
  store: Store,
  { id, session, answer }: StoredAsk,
): Promise<readonly [grant: string | null, refused: string | null]> {
  if (answer?.verdict !== "allow" || answer.until !== "session") return [null, null];
  const grant = (await store.grants(session)).find(({ ask }) => ask === id)?.id ?? null;
  return grant === null ? [null, await refusalOf(store, { id, session })] : [grant, null];
}

/** What was answered in this session for the same root, or the same path, before this ask was made; newest first. */
async function earlierAnswers(store: Store, ask: StoredAsk): Promise<WireAsk["earlier"]> {
  if (ask.kind === "pending_question") return [];
  return (await store.earlierAsks(ask, EARLIER))
    .filter((other) => isSameCommand(ask, other))
    .flatMap(({ answer }) =>
      answer === null || answer.verdict === "reply" ? [] : [{ verdict: answer.verdict, by: answer.by, at: answer.at }],
    )
    .toSorted((one, other) => other.at - one.at);
}
