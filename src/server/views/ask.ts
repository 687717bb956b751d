// An ask as a card shows it: who asks, for what, what a yes would open, and what was answered before. The digest is of all of it, so
// that an answer can say which card it was given to.

import { createHash } from "node:crypto";
import { agentIn, type Card, cardOf } from "../../core/guard/card.ts";
import type { Code } from "../../core/errors.ts";
import { codes } from "../../core/errors.ts";
import { meanings } from "../../core/guard/explain.ts";
import type { SessionId } from "../../core/names.ts";
import type { Store, StoredAsk, StoredSession } from "../../agent/ports.ts";
import type { WireAsk, WireCard } from "../../wire/values.ts";
import { type Change, wholeDiff } from "../../tools/change.ts";
import { canonicalJson } from "./canonical-json.ts";

export interface AskViewPorts {
  readonly store: Store;
  readonly askLife: number | null;
  /** This machine. */
  readonly machine: string;
  /** What the call of an open ask would make of files. */
  readonly changes: (ask: StoredAsk) => Promise<readonly Change[]>;
}

/** How many earlier answers a card names, and how many agents above its own. */
const EARLIER = 5;
const PARENTS = 16;

/** What whoever has just answered an ask knows besides: its session, and the grant that the answer gave. */
export interface KnownOfAsk {
  readonly session: StoredSession | null;
  readonly grant: string | null;
}
const besides = new WeakMap<StoredAsk, KnownOfAsk>();

/** The same row; what is known of it is not looked up again when it is shown. */
export function knowing(ask: StoredAsk, known: KnownOfAsk): StoredAsk {
  besides.set(ask, known);
  return ask;
}

/** Was this row handed over by whoever has just answered it? */
export const isKnown = (ask: StoredAsk): boolean => besides.has(ask);

export async function wireAsk({ store, askLife, machine, changes: changesOf }: AskViewPorts, ask: StoredAsk): Promise<WireAsk> {
  const known = besides.get(ask);
  // At once: over a network each look takes its time.
  const [[session, parents], changes, grant, earlier] = await Promise.all([
    askerOf(store, ask.session, known?.session ?? null),
    changesOf(ask),
    known === undefined ? grantOf(store, ask) : known.grant,
    earlierAnswers(store, ask),
  ]);
  const asked: Omit<WireAsk, "digest" | "card"> = {
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
    right: ask.right,
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
    diff: wholeDiff(changes),
    changes: changes.map(({ path, does, unshown }) => ({ path, does, unshown })),
    question: ask.question,
    options: [...ask.options],
    at: ask.at,
    expires: askLife === null ? null : ask.at + askLife,
    state: ask.state,
    answer: ask.answer === null ? null : { ...ask.answer },
    grant,
    earlier,
  };
  const card = { ...asked, card: plainCard(cardOf(asked)) };
  return { ...card, digest: createHash("sha256").update(canonicalJson(card)).digest("hex") };
}

/** The card with lists that may be written to, as the wire has them. */
function plainCard({ title, facts, choices }: Card): WireCard {
  return { title, facts: facts.map((fact) => ({ ...fact, parts: [...fact.parts] })), choices: choices.map((choice) => ({ ...choice })) };
}

/** The session that asks, and the agents above it, outermost first, by the name each has for people. */
async function askerOf(store: Store, id: SessionId, known: StoredSession | null): Promise<readonly [StoredSession | null, string[]]> {
  const session = known ?? (await store.session(id));
  const names: string[] = [];
  for (let parent = session?.parent ?? null; parent !== null && names.length < PARENTS;) {
    const above: StoredSession | null = await store.session(parent);
    if (above === null) break;
    names.unshift(above.label ?? above.host ?? agentIn(above.workspace));
    parent = above.parent;
  }
  return [session, names];
}

function becauseOf({ kind, reason }: StoredAsk): string {
  if (kind === "pending_question") return "the agent has a question";
  return isCode(reason) ? `it ${meanings[reason]}` : reason;
}

function isCode(word: string): word is Code {
  return codes.some((code) => code === word);
}

async function grantOf(store: Store, { id, session, answer }: StoredAsk): Promise<string | null> {
  if (answer?.verdict !== "allow" || answer.until !== "session") return null;
  return (await store.grants(session)).find(({ ask }) => ask === id)?.id ?? null;
}

/** What was answered in this session for the same root, or the same path, before this ask was made; newest first. */
async function earlierAnswers(store: Store, ask: StoredAsk): Promise<WireAsk["earlier"]> {
  if (ask.kind === "pending_question") return [];
  return (await store.earlierAsks(ask, EARLIER))
    .flatMap(({ answer }) =>
      answer === null || answer.verdict === "reply" ? [] : [{ verdict: answer.verdict, by: answer.by, at: answer.at }],
    )
    .toSorted((one, other) => other.at - one.at);
}
