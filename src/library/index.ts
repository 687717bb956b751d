// The entry point of the library: `open` for programs that guard tools of their own, and the boundary that it is made of. Importing it loads core and
// `node:fs`; what reads policy files is loaded by `open`. Named exports only; test/checks/surface.txt pins them.

export type { Access, Operation, Right } from "../core/access.ts";
export type { Audit, AuditEvent } from "../core/audit.ts";
export { type Clock, type Ids, randomIds, systemClock } from "../core/clock.ts";
export { type Code, codes, HallpassError } from "../core/errors.ts";
export type { AllowReason, Decision, DenyReason, Step } from "../core/guard/decision.ts";
export { explain, type Explanation, hint, logLine, meanings } from "../core/guard/explain.ts";
export { createGuard, type Guard, type GuardPorts, type UseResult } from "../core/guard/guard.ts";
export type { FileResult, OpenedDir, ReadableFile, ReplaceOptions, Searchable, Version, WritableFile } from "../core/guard/handle.ts";
export type { OpenedTarget, OpenResult } from "../core/guard/open.ts";
export type { Pass } from "../core/guard/pass.ts";
export {
  createPathScopeGuard,
  type PathScopeAction,
  type PathScopeGuard,
  type PathScopeOptions,
  VIOLATION_PREFIX,
} from "../core/guard/path-scope.ts";
export type { ScopeAlert } from "../core/guard/scope-alert.ts";
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
} from "../core/names.ts";
export { show } from "../core/path/show.ts";
export { combinePolicies } from "../core/policy/combine.ts";
export { type CompiledPolicy, compilePolicy } from "../core/policy/compile.ts";
export { type LintFinding, lintPolicy } from "../core/policy/lint.ts";
export { type Author, type ParsedPolicy, parsePolicy, type PolicyError, type PolicyPart } from "../core/policy/parse.ts";
export type { PolicyDocument, PolicyList, PolicyRule } from "../core/policy/policy-document.ts";
export { emptyPolicy, type Policy, type Rule, type Verdict } from "../core/policy/rule.ts";
export type { Answer, Ask, NetworkAsk, OnceAsk, SessionAsk } from "../core/session/ask.ts";
export type { Grant, NetworkGrant, SettleResult } from "../core/session/grant.ts";
export type { NetworkAccess, NetworkDecision } from "../core/guard/network.ts";
export type { Proposal } from "../core/session/propose.ts";
export type { MountMode, Root } from "../core/session/root.ts";
export { addRoot, listRoots, openSession, reanchor, removeRoot, type Session, type SessionPlan } from "../core/session/session.ts";
export type { Flag, Survey } from "../core/session/survey.ts";
export type { FoundPolicy } from "../config/load.ts";
export {
  type AllowResult,
  type AnswerEffect,
  type AskFirst,
  type DenyResult,
  type DirectoryContent,
  type FileContent,
  type OpenReport,
  type Hallpass,
  open,
  type OpenOptions,
  type Outcome,
} from "./open.ts";
