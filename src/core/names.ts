// The names of the system: branded strings, which may be printed, compared and stored.
// A name is never authority; what gives authority is an object (a pin, a pass, something opened).

declare const brand: unique symbol;
type Brand<B extends string> = string & { readonly [brand]: { readonly [K in B]: true } };

/** An absolute path without links in it, as the kernel told it. Only `fs/resolve.ts` makes one. */
export type RealPath = Brand<"RealPath">;
/** A real path that was a directory when it was resolved. Only such a one can be a root. */
export type RealDir = RealPath & Brand<"RealDir">;

/** The id of a session. */
export type SessionId = Brand<"SessionId">;
/** The id of one tool call. */
export type CallId = Brand<"CallId">;
/** The id of an ask. */
export type AskId = Brand<"AskId">;
/** The id of a grant. */
export type GrantId = Brand<"GrantId">;
/** Which rule of which author: `operator:3`, `builtin:secret:12`. */
export type RuleId = Brand<"RuleId">;

/** Take a text as the id of a session. */
export const sessionId = (text: string): SessionId => named<SessionId>(text);
/** Take a text as the id of a tool call. */
export const callId = (text: string): CallId => named<CallId>(text);
/** Take a text as the id of an ask. */
export const askId = (text: string): AskId => named<AskId>(text);
/** Take a text as the id of a grant. */
export const grantId = (text: string): GrantId => named<GrantId>(text);
export const ruleId = (text: string): RuleId => named<RuleId>(text);

type Id = SessionId | CallId | AskId | GrantId | RuleId;

/** Ids carry no promise but that they are not empty, so any text may become one. */
function named<T extends Id>(text: string): T {
  if (!isName<T>(text)) throw new TypeError("an id must not be empty");
  return text;
}

function isName<T extends Id>(text: string): text is T {
  return text.length > 0;
}
