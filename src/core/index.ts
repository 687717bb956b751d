// The public surface of the boundary. Named exports only; test/surface.txt pins them.

export { type Access, isOperation, needs, type Operation, type Right } from "./access.ts";
export type { Audit, AuditEvent } from "./audit.ts";
export { type Clock, type Ids, randomIds, systemClock } from "./clock.ts";
export { type Code, codes, errorCodes, HallpassError } from "./errors.ts";
export { allowReasons, type AllowReason, type Decision, type DenyReason, type Step } from "./guard/decision.ts";
export { explain, type Explanation, hint, logLine, meanings } from "./guard/explain.ts";
export { createGuard, type Guard, type GuardPorts, type Used } from "./guard/guard.ts";
export type { Done, OpenedDir, ReadableFile, ReplaceOptions, Searchable, Version, WritableFile } from "./guard/handle.ts";
export type { Opened, Opening } from "./guard/open.ts";
export type { Pass } from "./guard/pass.ts";
export {
  createPathScopeGuard,
  type PathScopeAction,
  type PathScopeGuard,
  type PathScopeOptions,
  VIOLATION_PREFIX,
} from "./guard/path-scope.ts";
export { type ScopeAlert, scopeAlert, type WaysOn, waysOn } from "./guard/scope-alert.ts";
export {
  type AskId,
  askId,
  type CallId,
  callId,
  type GrantId,
  grantId,
  type RealDir,
  type RealPath,
  type RuleId,
  type SessionId,
  sessionId,
} from "./names.ts";
export { show, unshow } from "./path/show.ts";
export { combinePolicies } from "./policy/combine.ts";
export { type CompiledPolicy, compilePolicy } from "./policy/compile.ts";
export { type LintFinding, lintPolicy } from "./policy/lint.ts";
export { type Author, type ParsedPolicy, parsePolicy, type PolicyError, type PolicyPart } from "./policy/parse.ts";
export type { PolicyDocument, PolicyList, PolicyRule } from "./policy/policy-document.ts";
export { emptyPolicy, type Policy, type Rule, type Verdict } from "./policy/rule.ts";
export type { Answer, Ask, OnceAsk, SessionAsk } from "./session/ask.ts";
export { type Grant, reopenGrants, revokeAll, type Settled, type StoredOnce, type StoredRoot } from "./session/grant.ts";
export type { Proposal } from "./session/propose.ts";
export { type MountMode, mountModes, type Root } from "./session/root.ts";
export { addRoot, listRoots, openSession, realHome, reanchor, removeRoot, type Session, type SessionPlan } from "./session/session.ts";
export { type Flag, flagsOf, type Survey } from "./session/survey.ts";
