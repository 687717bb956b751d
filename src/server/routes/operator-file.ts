// The operator's policy file: found, read, and replaced whole or not at all. Whoever changes it says what it was; if it is something
// else by now, nothing is written.

import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AuditEvent } from "../../core/audit.ts";
import { sessionId } from "../../core/names.ts";
import { policyLocations } from "../../config/locations.ts";
import { digestOf } from "../auth.ts";
import type { AppPorts } from "../ports.ts";
import { Refusal } from "../problem.ts";

/** No policy needs to be larger. */
const FILE_BYTES = 1024 * 1024;

export interface OperatorFile {
  readonly file: string;
  /** Null where there is none. */
  readonly text: string | null;
}

type Places = Pick<AppPorts, "home" | "env" | "platform">;

export function operatorFileOf({ home, env, platform }: Places): OperatorFile {
  const place = policyLocations({ home, env, platform, workspace: null }).find(({ author }) => author === "operator");
  if (place === undefined) throw new Refusal("not-found", "there is no place for an operator's policy");
  const existing = place.files.map((file) => ({ file, text: textOf(file) })).filter(({ text }) => text !== null);
  const [first, second] = existing;
  if (second !== undefined)
    throw new Refusal("invalid-policy", "the operator's policy is there twice, as policy.json and policy.jsonc; keep one");
  return first ?? { file: place.files[0], text: null };
}

/** The text of a regular file; null where there is none. */
export function textOf(file: string): string | null {
  const facts = statSync(file, { throwIfNoEntry: false });
  if (facts === undefined) return null;
  if (!facts.isFile() || facts.size > FILE_BYTES) throw new Refusal("invalid-policy", "the policy is not a regular file of at most 1 MiB");
  return readFileSync(file, "utf8");
}

/** The event of a saved policy. It belongs to no session, and what it says is not in it: the file is there, and a text may be long. */
export function policyChanged(change: {
  readonly file: string;
  readonly before: string | null;
  readonly after: string;
  readonly by: string;
  readonly at: number;
}): AuditEvent {
  const { file, before, after, by, at } = change;
  return {
    kind: "policy-changed",
    at,
    session: sessionId("policy"),
    file,
    before: before === null ? null : digestOf(before),
    after: digestOf(after),
    by,
  };
}

/** Put the text in place of what was read. A link stays a link: what it leads to is replaced. */
export function replaceOperatorFile(ports: Places & Pick<AppPorts, "ids">, before: string | null, text: string): string {
  const now = operatorFileOf(ports);
  if (now.text !== before) throw new Refusal("stale-path", "the policy was changed by somebody else meanwhile; read it again");
  const target = now.text === null ? now.file : realpathSync(now.file);
  const mode = now.text === null ? 0o600 : statSync(target).mode & 0o777;
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const temporary = join(dirname(target), `.hallpass-${ports.ids()}`);
  try {
    writeFileSync(temporary, text, { flag: "wx", mode: 0o600, flush: true });
    chmodSync(temporary, mode);
    // RACE: between the look above and this somebody else may have saved; the window is a few system calls, and theirs is lost.
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return now.file;
}
