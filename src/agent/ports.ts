// What the loop needs of the world: a model to talk to, and a store that remembers. Everything stored is plain data; real paths read
// back from a store are strings and are resolved again before they mean anything.

import type { AskEnd, AuditEvent, SessionEndEvent } from "../core/audit.ts";
import type { AskId, CallId, GrantId, SessionId } from "../core/names.ts";
import type { Operation, Right } from "../core/access.ts";
import type { Verdict } from "../core/policy/rule.ts";
import type { AskSubject, GrantExtent } from "../core/session/ask.ts";
import type { MountMode } from "../core/session/root.ts";
import type { Survey } from "../core/session/survey.ts";
import type {
  CallChanges,
  CallState,
  ChatStatus,
  Message,
  ModelFaultKind,
  PendingKind,
  Picture,
  ToolCall,
  Transcript,
  Usage,
} from "./transcript.ts";

// ── The model ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface ToolSpecification {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What a model said in one turn. */
export interface ModelTurn {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly usage: Usage | null;
}

/** What a model is given for one turn. */
export interface ModelPrompt {
  readonly system: string;
  readonly transcript: Transcript;
  readonly tools: readonly ToolSpecification[];
}

/** A model: one turn at a time. It never runs a tool, and nothing it says is an answer to an ask. */
export interface Model {
  /** `provider/model`, for people. */
  readonly name: string;
  /** It reads what it needs of a transcript of any length: nothing has to be put in short for it, and it puts nothing in short. */
  readonly isUnlimited?: true | undefined;
  /** It is known to take no pictures. */
  readonly isBlind?: true | undefined;
  /** One turn. Throws a ModelFault where it failed for good. */
  turn(prompt: ModelPrompt, options: TurnOptions): Promise<ModelTurn>;
}

export interface TurnOptions {
  readonly signal: AbortSignal;
  /** Called with each piece of text as it comes. */
  readonly delta: (text: string) => void;
  /** Called where the service did not take it, and the same is tried again at that time. */
  readonly waits?: (fault: ModelFault, until: number) => void;
}

/** The model's service failed for good: no key, refused, unreachable after retries, an answer that cannot be read. */
export class ModelFault extends Error {
  override readonly name = "ModelFault";
  readonly kind: ModelFaultKind;
  /** From when on another try may help, where the service said so. */
  readonly retryAt: number | null;

  constructor(message: string, options: ErrorOptions & { readonly kind?: ModelFaultKind; readonly retryAt?: number | null } = {}) {
    super(message, options);
    this.kind = options.kind ?? "other";
    this.retryAt = options.retryAt ?? null;
  }
}

// ── What is stored ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface StoredProject {
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly at: number;
}

/** A session as it is kept, without the list that grows with its grants. */
export interface SessionSettings {
  readonly id: SessionId;
  readonly project: string | null;
  /** The session it was forked from. */
  readonly parent: SessionId | null;
  readonly workspace: string;
  /** Who raises an ask. */
  readonly asking: "by-model" | "by-guard";
  readonly attended: boolean;
  /** The program that drives it from elsewhere (`claude-code`, `mcp` …), and its own name for this run; null where our loop does. */
  readonly host: string | null;
  readonly hostSession: string | null;
  /** What the agent in it is called, for people. */
  readonly label: string | null;
  /** The machine its files are on. */
  readonly machine: string;
  readonly at: number;
  readonly archivedAt: number | null;
}

/** A session as it is kept. */
export interface StoredSession extends SessionSettings {
  /** The grants' directories, in the order they were given: the seed's `allowed_read_paths`. */
  readonly allowedReadPaths: readonly string[];
}

export interface StoredMount {
  readonly session: SessionId;
  readonly path: string;
  readonly mode: MountMode;
}

/** A grant as it is kept. */
export interface StoredGrant {
  readonly id: GrantId;
  readonly session: SessionId;
  readonly ask: AskId;
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  /** When the directory was made; null where nobody could tell, and in what an earlier version stored. */
  readonly born: number | null;
  readonly by: string;
  readonly at: number;
  readonly expires: number | null;
  readonly revokedAt: number | null;
}

/** What a session may see besides its workspace, as it is stored. */
export interface StoredRoots {
  readonly projects: readonly StoredProject[];
  readonly mounts: readonly StoredMount[];
  readonly grants: readonly StoredGrant[];
}

/** A chat as it is kept. */
export interface StoredChat {
  readonly id: string;
  readonly session: SessionId;
  readonly title: string;
  readonly status: ChatStatus;
  readonly at: number;
  /** `provider/model`; missing where it has the daemon's own. */
  readonly model?: string;
  /** The call of another chat that started it; missing where a person or another program did. */
  readonly startedBy?: { readonly chat: string; readonly call: CallId };
  /** When a person archived it: it is in no list of chats until it is restored. Missing where it is not. */
  readonly archivedAt?: number;
}

/** What of a chat no longer counts, since a person went back: its messages, and the asks that their calls had made. */
export interface RewindResult {
  readonly messages: readonly string[];
  readonly asks: readonly AskId[];
  /** What the person says instead. */
  readonly said: StoredSaid;
}

/** A chat in which a text was found: in its title, or in this message of it. */
export interface FoundChat {
  readonly chat: StoredChat;
  readonly message: { readonly id: string; readonly at: number; readonly role: "person" | "agent"; readonly text: string } | null;
}

/** What the turns of a chat were counted to have taken, with one model. */
export interface ModelUsage extends Usage {
  /** `provider/model`; null where the turn did not say. */
  readonly model: string | null;
  /** How many turns were counted. */
  readonly turns: number;
}

/** What a person said and its chat has not heard yet. */
export interface StoredSaid {
  readonly chat: string;
  /** Of the message it becomes. */
  readonly id: string;
  readonly at: number;
  readonly text: string;
  readonly pictures?: readonly Picture[];
}

/** What a yes would open, as it was shown. */
export interface StoredProposal {
  readonly dir: string;
  readonly dev: number;
  readonly ino: number;
  /** Missing from what an earlier version stored. */
  readonly born?: number | null;
  readonly because: string;
}

export type StoredAnswer =
  | {
      readonly verdict: "allow";
      readonly until: "call" | "session";
      readonly by: string;
      readonly at: number;
      readonly expires: number | null;
      /** The directory that it opened, where that is another than the proposed one. */
      readonly opened?: string;
      /** It was given for good. Whether a rule was written for it is in the record, and in the policy. */
      readonly keeps?: true;
    }
  | { readonly verdict: "deny"; readonly by: string; readonly at: number; readonly note: string | null; readonly stop: boolean }
  | { readonly verdict: "reply"; readonly by: string; readonly at: number; readonly text: string };

/** A yes for the session that was given where the files are not, as it was given: it waits for the machine that has them. */
export interface WaitingYes {
  readonly by: string;
  readonly at: number;
  /** Which of the offered directories. */
  readonly opens: GrantExtent;
  /** Is it to be kept for the workspace? */
  readonly keeps: boolean;
  /** Milliseconds for which it was given, from when it is granted; null: until the session ends. */
  readonly lasts: number | null;
}

/**
 * A question to a person, and where it stands. It is open from the moment it is a row; any number of answers and ends may come, and a
 * compare-and-set lets one of them win. What is answered or closed stays so. Its calls change in the same transaction: proposed again after a
 * yes, done after a no, a reply or an end.
 *
 *   open ──▶ answered   a yes, a no or a reply (`answer`)
 *     └────▶ closed     nobody answered it, and nobody can any more (`closed` says why)
 */
export interface StoredAsk {
  readonly id: AskId;
  readonly session: SessionId;
  readonly chat: string;
  readonly kind: PendingKind;
  /** The call that waits, and every further call that was put to the same ask. */
  readonly calls: readonly CallId[];
  readonly tool: string;
  /** Every path asked for, as the agent wrote it; for a question none. */
  readonly requested: readonly string[];
  /** What the first of them really is. */
  readonly path: string | null;
  /** The links on the way to it; missing where there are none, and from what an earlier version stored. */
  readonly links?: readonly string[];
  /** `path` is a directory that the asked path leaves again by `..`. */
  readonly onTheWay?: true;
  readonly right: Right;
  /** What the first of them was to do. Missing from questions. */
  readonly operation?: Operation;
  readonly offers: "once" | "session";
  readonly proposal: StoredProposal | null;
  readonly survey: Survey | null;
  /** What else a yes may open: a folder in the proposed directory, by name, and the repository that this is a part of. */
  readonly folder?: string;
  readonly repository?: StoredProposal & { readonly survey: Survey | null };
  /** What a yes lets happen, where that is more than an access to the path. */
  readonly about?: AskSubject;
  /** For a write by another program: a digest of what it would write. A yes for once is to this content alone. */
  readonly content?: string;
  /** The boundary's reason, and the agent's own words. */
  readonly reason: string;
  readonly words: string | null;
  readonly question: string | null;
  readonly options: readonly string[];
  readonly at: number;
  readonly state: "open" | "answered" | "closed";
  readonly answer: StoredAnswer | null;
  /** Why it was closed without an answer; missing where it was not. */
  readonly closed?: AskEnd;
  /** Missing where none waits. Of one that is over it is what waited. */
  readonly waitingYes?: WaitingYes;
  /** When the message whose call asked was rewound; missing where it was not. */
  readonly rewoundAt?: number;
}

/**
 * A grant for once, and where it stands: a yes for one call, kept in the row of the ask that it answers. It is given to the call that asked,
 * unused and claimed by nobody. Claimed (`claimedBy`), no other call may go by it. Used (`usedBy`), no other call ever will. Taken back, it
 * is no longer listed. Each step is a compare-and-set on its row; no clock is asked.
 *
 *   given ──▶ claimed ──▶ used
 *     │  └──────────────────▲    by the call it was given to, or, given to a request, by the first that reads
 *     └─▶ taken back ◀── claimed
 */
export interface OnceGrant {
  readonly ask: StoredAsk;
  readonly claimedBy: CallId | null;
  readonly usedBy: CallId | null;
}

/** An ask, and what its answer is judged in. */
export interface AskInSession {
  readonly ask: StoredAsk;
  readonly session: StoredSession;
  readonly roots: StoredRoots;
}

/** An ask is to be closed without an answer: why, when, and what becomes of its calls. */
export interface ClosingAsk {
  readonly ask: AskId;
  /** What it was about, for the record; null for a question. */
  readonly path: string | null;
  readonly why: AskEnd;
  readonly at: number;
  readonly calls: CallChanges;
}

/** A chat, and everything by which it is driven. */
export interface ChatInSession {
  readonly chat: StoredChat;
  readonly session: StoredSession;
  readonly transcript: Transcript;
  readonly said: readonly StoredSaid[];
}

export interface AuditRecord {
  readonly sequence: number;
  readonly event: AuditEvent;
  /** Of this event and the one before it, so that a record cannot be taken out or changed unnoticed. */
  readonly hash: string;
}

export interface AuditFilter {
  readonly session?: SessionId;
  readonly kind?: AuditEvent["kind"];
  readonly verdict?: Verdict;
  /** Of decisions: the reason, and the grant that let it through. */
  readonly reason?: string;
  readonly grant?: GrantId;
  /** Sequence numbers greater, and smaller, than these. */
  readonly after?: number;
  readonly before?: number;
  /** Not before this time. */
  readonly since?: number;
  /** About a path with this text in it. Every record that fits the rest is looked at: narrow it by `after`. */
  readonly path?: string;
  /** Leave out the first so many of what fits. */
  readonly skip?: number;
  readonly limit?: number;
  /** Oldest first, unless this is so. */
  readonly newestFirst?: boolean;
}

/** An agent's credential: only its digest is kept. It is good for one session, until that ends. */
export interface StoredCredential {
  readonly digest: string;
  readonly session: SessionId;
  readonly at: number;
}

/** A browser that is signed in: of its credential only the digest is kept. */
export interface StoredBrowser {
  readonly id: string;
  readonly digest: string;
  /** The digest of the person's token under which it was let in: under another it is nobody. */
  readonly owner: string;
  /** As it calls itself. */
  readonly name: string;
  readonly at: number;
  readonly seenAt: number;
  /** Where its notices are sent, as JSON; null where it wants none. */
  readonly push: string | null;
}

/**
 * Where everything is remembered. Each method is one transaction: done whole or not at all. What it returns from survives the process;
 * what a person or a write relies on is on the disk besides. Three only note (`setStatus`, `setCall` but to `started`, `record` of what
 * nobody relies on): a machine that loses its power may lose the last half second of them, never one without all that came after it.
 * Unknown ids give null or false, never an error. Methods that change a state take the state it must have, so that two callers cannot both win.
 * Lists are in the order in which things came. What is added and cannot be throws a HallpassError and leaves no trace: `bad-request`
 * where its id is there already or its path cannot be stored, `not-found` where what it belongs to is not there.
 */
export interface Store {
  addProject(project: StoredProject): Promise<void>;
  projects(): Promise<readonly StoredProject[]>;

  addSession(session: StoredSession, mounts: readonly StoredMount[]): Promise<void>;
  session(id: SessionId): Promise<StoredSession | null>;
  /** What of it a decision needs, at the same cost however much is granted in it. */
  sessionSettings(id: SessionId): Promise<SessionSettings | null>;
  sessions(filter?: {
    /** Those that have ended, or those that have not. */
    readonly archived?: boolean;
    /** Those of the agents that the agent of this one started. */
    readonly parent?: SessionId;
    /** Those that came before this one. */
    readonly before?: SessionId;
    readonly limit?: number;
    /** Oldest first, unless this is so. */
    readonly newestFirst?: boolean;
  }): Promise<readonly StoredSession[]>;
  /** The session that a host registered under its own name for this workspace, if it has not ended. */
  sessionOfHost(host: string, hostSession: string, workspace: string): Promise<SessionSettings | null>;
  /** Move the workspace; the session's mounts become these. `events` are recorded with it. False if the session has ended. */
  changeRoots(id: SessionId, workspace: string, mounts: readonly StoredMount[], events: readonly AuditEvent[]): Promise<boolean>;
  mounts(id: SessionId): Promise<readonly StoredMount[]>;
  /** The projects, and the mounts and grants of a session, whose directory is one of these. What it costs does not grow with how many others there are. */
  rootsAt(id: SessionId, directories: readonly string[]): Promise<StoredRoots>;
  /**
   * Ends a session, its grants, its open asks and its chats (`archived`), and records it. What was said and not heard stands at the end of
   * its transcripts. A call that still waits in it, or elsewhere for an ask of it, is done with `session-closed`. False, and nothing recorded,
   * if it was ended before.
   */
  archiveSession(ended: SessionEndEvent): Promise<boolean>;

  addChat(chat: StoredChat): Promise<void>;
  chat(id: string): Promise<StoredChat | null>;
  /** The chat that this call started. */
  chatStartedBy(chat: string, call: CallId): Promise<StoredChat | null>;
  /** A chat, its session, its transcript and what it has not heard, in one look. Null: no such chat. */
  chatInSession(id: string): Promise<ChatInSession | null>;
  /** The chats of one session, or of all; in these states, or in any. */
  chats(session: SessionId | null, states?: readonly ChatStatus[]): Promise<readonly StoredChat[]>;
  /** A page of the chats of one session, or of all whose session has not ended, newest first; without those that a person has archived. */
  chatPage(filter: {
    readonly session?: SessionId;
    /** Only those that a person has archived, whether or not their session has ended. */
    readonly archived?: boolean;
    /** Those that came before this one. */
    readonly before?: string;
    readonly limit: number;
  }): Promise<readonly StoredChat[]>;
  /** Another title, another model (null: the daemon's own), archived or restored (null); gives the chat as it is then. Null: no such chat. */
  changeChat(
    id: string,
    change: { readonly title?: string; readonly model?: string | null; readonly archivedAt?: number | null },
  ): Promise<StoredChat | null>;
  /**
   * A page of the chats that have this text in their title, newest first, then of those that have it in a message, by the newest such message;
   * a chat may be found again on a later page. So much is looked at for one page and no more: it may hold less than `limit`, or nothing, and `next`
   * says where to go on. Null: there is nothing left.
   */
  searchChats(filter: {
    readonly text: string;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<{ readonly found: readonly FoundChat[]; readonly next: string | null }>;
  /** What the turns of a chat took, model by model, rewound turns too. */
  usage(chat: string): Promise<readonly ModelUsage[]>;
  /**
   * Its messages, calls and questions are gone for good, and the chat is in no answer any more. Asks for a grant stay, closed where they were
   * open, and so do grants and the record. `events` are recorded with it. False: no such chat.
   */
  deleteChat(id: string, at: number, events: readonly AuditEvent[]): Promise<boolean>;
  /** False if the chat is not in one of the states `from`. */
  setStatus(chat: string, from: readonly ChatStatus[], to: ChatStatus): Promise<boolean>;

  transcript(chat: string): Promise<Transcript>;
  /** The last so many messages of a chat, or of those before one of them, or the first so many (`after` null), or after one; in order. */
  messagePage(
    chat: string,
    filter: {
      readonly before?: string;
      readonly after?: string | null;
      /** Also those that no longer count. */
      readonly rewound?: boolean;
      readonly limit: number;
    },
  ): Promise<readonly Message[]>;
  /** These calls of a chat, by their ids; a call that is not there is left out. */
  calls(chat: string, calls: readonly CallId[]): Promise<ReadonlyMap<CallId, ToolCall>>;
  /**
   * Append a message at the end, with its calls, and set the chat's status in the same breath; null leaves it as it is, for whoever does not
   * drive the chat. Ids of messages and of calls are unique in their chat. The status of an archived chat stays.
   */
  append(chat: string, message: Message, status: ChatStatus | null): Promise<void>;
  /** Put a call into another state. False if it is not in one of the states `from`, or would wait for an ask that is not there. */
  setCall(chat: string, call: CallId, from: readonly CallState["at"][], to: CallState): Promise<boolean>;

  /**
   * Keep what a person says until the chat hears it, and close these open asks of the chat, as `closeAsks` does: all in one transaction.
   * Gives the asks that were open until now. Throws `session-closed` where the chat is archived.
   */
  say(said: StoredSaid, instead: readonly ClosingAsk[]): Promise<readonly AskId[]>;
  /**
   * Go back to before something that the person said, and say this instead; the same again where `text` is null. What they had said and everything
   * after it, heard or not, is rewound: kept, and no longer part of the transcript. A reminder that lives for good stays, since it is still
   * so. Whoever calls it has closed what was open. Null: the person said no such thing in the chat. Throws `session-closed` where it is archived.
   */
  rewind(
    chat: string,
    message: string,
    said: { readonly id: string; readonly at: number; readonly text: string | null },
  ): Promise<RewindResult | null>;
  /** What was said and has not been heard, in one chat or in all. */
  said(chat: string | null): Promise<readonly StoredSaid[]>;
  /** Everything said in the chat becomes messages at its end, with their ids, and the chat's status is set as by `append`. Gives them. */
  hear(chat: string, status: ChatStatus): Promise<readonly Message[]>;

  /**
   * Write an ask, its calls waiting for it, the chat `waiting_for_input` and the decisions to ask: all of it or nothing. Throws
   * `session-closed` if archived.
   */
  openAsk(ask: StoredAsk, events?: readonly AuditEvent[]): Promise<void>;
  /**
   * One more call of its chat waits for an open ask; `events` are recorded with it. False, and nothing recorded, if it is no longer open, or
   * the call waits or is done already.
   */
  joinAsk(ask: AskId, call: CallId, requested: string, events?: readonly AuditEvent[]): Promise<boolean>;
  ask(id: AskId): Promise<StoredAsk | null>;
  /** An ask, its session and what that may see, in one look. Null: no such ask. */
  askInSession(id: AskId): Promise<AskInSession | null>;
  asks(filter: {
    readonly session?: SessionId;
    readonly chat?: string;
    readonly state?: StoredAsk["state"];
    /** Made at this time or later. */
    readonly since?: number;
    /** Denied at this time or later. */
    readonly deniedSince?: number;
    /** Those that came before this one. */
    readonly before?: AskId;
    readonly limit?: number;
    /** Oldest first, unless this is so. */
    readonly newestFirst?: boolean;
  }): Promise<readonly StoredAsk[]>;
  /**
   * The newest asks for a grant that were answered in the session of this one, for the same thing (`storedKey`), and made no later than it;
   * without itself, newest first.
   */
  earlierAsks(ask: StoredAsk, limit: number): Promise<readonly StoredAsk[]>;
  /**
   * The grants for once of a session that were not taken back: those that nobody has used, in the order they were asked for, and those
   * that `call` itself has used; for `path` alone, or for any. What it costs does not grow with how many were used before, nor, for one
   * path, with how many there are for others.
   */
  onceGrants(session: SessionId, call: CallId | null, path?: string): Promise<readonly OnceGrant[]>;
  /** Claim a grant for once. False if another call has claimed or used it, it was taken back, or the ask has no such answer. */
  claimOnce(ask: AskId, call: CallId): Promise<boolean>;
  /**
   * Record that a call was let through by the grant for once that answered this ask. False, and nothing recorded, if the call may not go
   * by it (`mayUse`), or has used it before and must not `again`. On the disk when this returns.
   */
  useOnce(ask: AskId, call: CallId, use: AuditEvent, again: boolean): Promise<boolean>;
  /**
   * End every grant for once of the session: a person took them back, or its roots changed (`by` null). Those that nobody had used are
   * recorded so. Gives these.
   */
  endOnceGrants(session: SessionId, at: number, by: string | null): Promise<readonly AskId[]>;
  /** How many asks are open. */
  openAsks(): Promise<number>;
  /**
   * Keep a yes with an open ask until the machine with the files has judged it; null takes it back. The ask stays open. False, and nothing
   * changed, if it is no longer open, or a yes waits already.
   */
  keepYes(ask: AskId, yes: WaitingYes | null): Promise<boolean>;
  /** The open asks with which a yes waits. */
  waitingYeses(): Promise<readonly StoredAsk[]>;
  /**
   * Answer an open ask: the answer, the grant it makes and what becomes of the calls that wait for it. Compare-and-set: false, and
   * nothing changed, if it is no longer open. A new grant's path is added to the session's `allowedReadPaths`, once; an earlier grant for
   * the same path ends with it. A call of its chat that waits for it and is not named (it joined meanwhile) is `proposed` again.
   */
  answerAsk(
    id: AskId,
    answer: StoredAnswer,
    effects: {
      readonly grant: StoredGrant | null;
      readonly calls: CallChanges;
      /** Recorded in the same transaction: an answer costs one write to the disk, and is never without its record. */
      readonly events: readonly AuditEvent[];
    },
  ): Promise<boolean>;
  /**
   * Close open asks of one session without an answer, in one transaction: their calls become what is said, as by an answer, and that each was
   * closed, and why, is kept with it and recorded. Gives those that were open until now.
   */
  closeAsks(session: SessionId, asks: readonly ClosingAsk[]): Promise<readonly AskId[]>;

  /** The grants that are not revoked, of one session or of all, in the order they were given. */
  grants(session: SessionId | null): Promise<readonly StoredGrant[]>;
  /** A page of them, of all sessions or of one: those that were given after one. */
  grantPage(filter: { readonly session?: SessionId; readonly after?: GrantId; readonly limit: number }): Promise<readonly StoredGrant[]>;
  /** Those of them that end by a time, where that is this one or an earlier one. What it costs does not grow with how many others there are. */
  grantsEndingBy(time: number): Promise<readonly StoredGrant[]>;
  /** One grant, revoked or not. */
  grant(id: GrantId): Promise<StoredGrant | null>;
  /** False if there is no such grant, or it was revoked before. Takes its path out of `allowedReadPaths`; `events` are recorded with it. */
  revokeGrant(id: GrantId, at: number, events: readonly AuditEvent[]): Promise<boolean>;

  /** All of them in one transaction, in order. On the disk if one of them is relied on: a revocation, or the use of a yes for once. */
  record(events: readonly AuditEvent[]): Promise<void>;
  audit(filter: AuditFilter): Promise<readonly AuditRecord[]>;
  /** For each of these grants: how many reads it let through, and the last one's time. A grant nothing was read under is left out. */
  readsUnder(grants: readonly GrantId[]): Promise<ReadonlyMap<GrantId, { readonly reads: number; readonly last: number }>>;
  /** The last record that was archived and is no longer here: number 0 and no hash where none was. */
  auditBase(): Promise<{ readonly sequence: number; readonly hash: string }>;
  /** Null if every hash fits from the first record that is here on; else the first sequence number that does not. */
  verifyAudit(): Promise<number | null>;

  /**
   * The rows that could not be read since the store was opened, a sentence each. Lists leave such a row out; a method that is about it throws
   * `io-error` and names it.
   */
  damage(): readonly string[];

  addCredential(credential: StoredCredential): Promise<void>;
  /** The credential with this digest, if its session has not ended. */
  credential(digest: string): Promise<StoredCredential | null>;

  addBrowser(browser: StoredBrowser): Promise<void>;
  /** The browser with this digest. */
  browser(digest: string): Promise<StoredBrowser | null>;
  /** Those of one token, in the order in which they came. */
  browsers(owner: string): Promise<readonly StoredBrowser[]>;
  changeBrowser(id: string, to: { readonly seenAt?: number; readonly push?: string | null }): Promise<void>;
  /** False where there is none such. */
  removeBrowser(owner: string, id: string): Promise<boolean>;

  close(): Promise<void>;
}
