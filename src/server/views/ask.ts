// An ask as a card shows it: who asks, for what, what a yes would open, and what was answered before. The digest is of all of it, so
// that an answer can say which card it was given to.

import { createHash } from "node:crypto";
import type { Code } from "../../core/errors.ts";
import { codes } from "../../core/errors.ts";
import { meanings } from "../../core/guard/explain.ts";
import { storedKey } from "../../agent/asking.ts";
import type { Store, StoredAsk, StoredSession } from "../../agent/ports.ts";
import type { WireAsk } from "../../wire/values.ts";
import { callDiff } from "./call-diff.ts";
import { canonicalJson } from "./canonical-json.ts";

export interface AskViewPorts {
  readonly store: Store;
  readonly askLife: number | null;
}

/** How many earlier answers a card names, and how many agents above its own. */
const EARLIER = 5;
const PARENTS = 16;

export async function wireAsk({ store, askLife }: AskViewPorts, ask: StoredAsk): Promise<WireAsk> {
  const session = await store.session(ask.session);
  const card: Omit<WireAsk, "digest"> = {
    id: ask.id,
    session: ask.session,
    chat: ask.chat,
    kind: ask.kind,
    asker: {
      host: session?.host ?? null,
      label: session?.label ?? null,
      parents: session === null ? [] : await chainAbove(store, session),
    },
    workspace: session?.workspace ?? "",
    tool: ask.tool,
    requested: [...ask.requested],
    path: ask.path,
    right: ask.right,
    offers: ask.offers,
    proposal: ask.proposal === null ? null : { dir: ask.proposal.dir, because: ask.proposal.because },
    survey: ask.survey === null ? null : { ...ask.survey },
    reason: ask.reason,
    because: becauseOf(ask),
    words: ask.words,
    diff: ask.right === "write" ? await diffOf(store, ask) : null,
    question: ask.question,
    options: [...ask.options],
    at: ask.at,
    expires: askLife === null ? null : ask.at + askLife,
    state: ask.state,
    answer: ask.answer === null ? null : { ...ask.answer },
    grant: await grantOf(store, ask),
    earlier: await earlierAnswers(store, ask),
  };
  return { ...card, digest: createHash("sha256").update(canonicalJson(card)).digest("hex") };
}

/** The agents above a session, outermost first, by the name each has for people. */
async function chainAbove(store: Store, session: StoredSession): Promise<string[]> {
  const names: string[] = [];
  for (let id = session.parent; id !== null && names.length < PARENTS;) {
    const above: StoredSession | null = await store.session(id);
    if (above === null) break;
    names.unshift(above.label ?? above.host ?? above.workspace);
    id = above.parent;
  }
  return names;
}

function becauseOf({ kind, reason }: StoredAsk): string {
  if (kind === "pending_question") return "the agent has a question";
  return isCode(reason) ? `it ${meanings[reason]}` : reason;
}

function isCode(word: string): word is Code {
  return codes.some((code) => code === word);
}

async function diffOf(store: Store, { chat, calls: [call] }: StoredAsk): Promise<string | null> {
  const made = (await store.transcript(chat)).flatMap((message) => (message.role === "agent" ? message.calls : []));
  const known = made.find(({ id }) => id === call);
  return known === undefined ? null : callDiff(known.name, known.input);
}

async function grantOf(store: Store, { id, session, answer }: StoredAsk): Promise<string | null> {
  if (answer?.verdict !== "allow" || answer.until !== "session") return null;
  return (await store.grants(session)).find(({ ask }) => ask === id)?.id ?? null;
}

/** What was answered in this session for the same root, or the same path, before this ask was made; newest first. */
async function earlierAnswers(store: Store, ask: StoredAsk): Promise<WireAsk["earlier"]> {
  if (ask.kind === "pending_question") return [];
  const key = storedKey(ask);
  return (await store.asks({ session: ask.session, state: "answered" }))
    .filter((other) => other.id !== ask.id && other.kind === "pending_grant" && other.at <= ask.at && storedKey(other) === key)
    .flatMap(({ answer }) =>
      answer === null || answer.verdict === "reply" ? [] : [{ verdict: answer.verdict, by: answer.by, at: answer.at }],
    )
    .toSorted((one, other) => other.at - one.at)
    .slice(0, EARLIER);
}
