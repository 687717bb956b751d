// The policy: shown layer by layer with file and line, tried on a path, written. A draft is judged exactly like the file it would be.

import { createGuard } from "../../core/guard/guard.ts";
import { combinePolicies } from "../../core/policy/combine.ts";
import { type CompiledPolicy, compilePolicy } from "../../core/policy/compile.ts";
import { lintPart } from "../../config/lint-part.ts";
import type { PolicyPart } from "../../core/policy/parse.ts";
import { openSession, realHome } from "../../core/session/session.ts";
import { liveSession } from "../../agent/live-session.ts";
import { findingLine, loadPolicyFrom, parsePolicyText, projectRootWhitelist } from "../../config/load.ts";
import { policyLocations } from "../../config/locations.ts";
import { whyUntrusted } from "../../config/untrusted-locations.ts";
import { keepingOwn, ownFilesOf } from "../../config/own-files.ts";
import { wireDecision } from "../views/decision.ts";
import type { AppPorts } from "../ports.ts";
import { Refusal } from "../problem.ts";
import { findOpenSession } from "./find-rows.ts";
import type { Handlers } from "./handler.ts";
import { judgeOnly } from "./looking.ts";
import { operatorFileOf, policyChanged, replaceOperatorFile } from "./operator-file.ts";
import { type Findings, findingsOf, layersOf } from "./policy-layers.ts";

export function policyRoutes(ports: AppPorts): Pick<Handlers, "policy" | "lintPolicy" | "tryPolicy" | "savePolicy"> {
  const { home, clock, ids, store } = ports;
  const guard = createGuard({ clock, ids });

  /** One text as the operator's, or what is wrong with it. */
  const parsed = (text: string): { readonly part: PolicyPart | null; readonly findings: Findings } => {
    const { file } = operatorFileOf(ports);
    const read = parsePolicyText(text, { file, author: "operator", home });
    if (!read.ok) return { part: null, findings: findingsOf(read.errors, "error") };
    return { part: read.part, findings: findingsOf(lintPart(read.part, home), "warning") };
  };

  return {
    policy: async ({ query: { workspace } }) => layersOf(ports, workspace === undefined ? null : placeOf(ports, workspace)),

    lintPolicy: async ({ body: { text } }) => ({ findings: parsed(text).findings }),

    async tryPolicy({ body: { workspace, path, operation = "read", text, session } }) {
      const real = placeOf(ports, workspace);
      const draft = text === undefined ? null : draftOf(ports, real, text);
      const policyFor = draft === null ? ports.policyFor : () => draft;
      if (session !== undefined) {
        const stored = await findOpenSession(ports, session);
        return wireDecision(
          judgeOnly(guard, await liveSession({ ...ports, policyFor }, { ...stored, workspace: real }, null), operation, path),
        );
      }
      const projects = (await store.projects()).map((project) => project.path);
      const opened = openSession({ workspace: real, home, projects, policy: policyFor(real, []) });
      if (!opened.ok) throw new Refusal(opened.code, opened.message, { status: 400 });
      return wireDecision(judgeOnly(guard, opened.session, operation, path));
    },

    async savePolicy({ body: { text, before }, by }) {
      const { part, findings } = parsed(text);
      if (part === null)
        throw new Refusal("invalid-policy", findings.map(({ line, message }) => `line ${line ?? 1}: ${message}`).join("; "), {
          status: 400,
        });
      const file = replaceOperatorFile(ports, before, text);
      await store.record([policyChanged({ file, before, after: text, by, at: clock() })]);
      return { file };
    },
  };
}

/** A workspace by its real name. */
function placeOf({ home }: AppPorts, workspace: string): string {
  const opened = openSession({ workspace, home });
  if (!opened.ok) throw new Refusal(opened.code, opened.message, { status: 400 });
  return opened.session.workspace.dir;
}

/** The policy as it would be with this text in the operator's file: the administrator's bounds hold, the project's rules are added. */
function draftOf({ home, env, platform }: AppPorts, workspace: string, text: string): CompiledPolicy {
  const parsed = parsePolicyText(text, { file: "draft", author: "operator", home });
  if (!parsed.ok) throw new Refusal("invalid-policy", parsed.errors.map(findingLine).join("; "), { status: 400 });
  const context = { home, env, platform, workspace };
  // The file it would be is not taken from there either.
  const why = whyUntrusted(context);
  if (why !== null) throw new Refusal("invalid-policy", why);
  const places = policyLocations(context);
  const others = loadPolicyFrom(
    places.filter(({ author }) => author !== "operator"),
    { home, ceilings: null },
  );
  if (!others.ok) throw new Refusal("invalid-policy", others.errors.map(findingLine).join("; "));
  const draft: PolicyPart = { ...parsed.part, ceilings: projectRootWhitelist(env) ?? parsed.part.ceilings };
  const at = others.parts.findIndex(({ author }) => author === "project");
  const combined = combinePolicies(others.parts.toSpliced(at === -1 ? others.parts.length : at, 0, draft));
  return compilePolicy(keepingOwn(combined, ownFilesOf(context)), realHome(home));
}
