// A tool: what it is called, what it takes, and what it does with what the guard opens for it. `run.ts` is the only caller.

import type { z } from "zod";
import type { PlannedWrite } from "../core/access.ts";
import type { Guard } from "../core/guard/guard.ts";
import type { CallId } from "../core/names.ts";
import { show } from "../core/path/show.ts";
import type { Session } from "../core/session/session.ts";
import type { RunOptions, Sandbox } from "../sandbox/port.ts";
import type { AskLookup } from "./bash-reaches.ts";
import type { Limits } from "./limits.ts";
import type { Outputs } from "./outputs.ts";
import { badInput, failed, type ToolResult } from "./result.ts";
import type { Searcher } from "./search/searcher.ts";

/** The environment of a call: whose it is, what judges it, what limits it. */
export interface ToolContext {
  readonly guard: Guard;
  readonly session: Session;
  readonly call: CallId;
  readonly limits: Limits;
  readonly searcher: Searcher;
  readonly outputs: Outputs;
  /** What confines commands. Without one a person is asked before each. */
  readonly sandbox?: Sandbox;
  /** Calls it off: a command is stopped, what is quick is finished. */
  readonly signal?: AbortSignal;
  /** Puts what a command reaches for, while it runs, before a person. Without it the command finds nothing there. */
  readonly ask?: AskLookup;
  /** Told while a command cannot begin yet, as the sandbox tells it. */
  readonly delayed?: RunOptions["delayed"];
  /** What commands have of the network; what the policy says, unless said here. */
  readonly network?: "none" | "host";
}

/** A tool's description of itself, for code that shows, lists or runs it: none of it needs to know the tool by name. */
export interface ToolTraits {
  /** For a list of tools. */
  readonly title: string;
  /** What it does, in a line with what it does it to: `read` notes.txt. */
  readonly verb: string;
  readonly kind: "read" | "search" | "edit" | "execute" | "other";
  /** It puts something to a person: a question, or a request for reading elsewhere. By itself it only says what would be asked. */
  readonly asks?: "person" | "access";
  /** It starts something that goes on after the call. */
  readonly starts?: "agent";
  /** Done twice it is as done once, though it writes. */
  readonly idempotent?: boolean;
  /** What its output is, where it is not any JSON: a file's text in a window of lines, a command's streams, or data of use to programs too. */
  readonly gives?: "text" | "command" | "data";
}

interface Definition<Input> extends Partial<ToolTraits> {
  readonly name: string;
  /** For the model: when to use it, and what a refusal means. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Does it change anything? Then it is not run a second time when it is not known whether the first was done. */
  readonly writes?: true;
  /** What it would make of files, as its input tells. */
  plans?(input: Input): readonly PlannedWrite[];
  run(input: Input, context: ToolContext): Promise<ToolResult>;
}

/** A tool that a model can call. Its accesses go through the guard. */
export interface Tool extends ToolTraits {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly writes: boolean;
  /** What it would make of files, as its input tells. Empty where it writes none, or its input is not what it takes. Never throws. */
  plans(input: unknown): readonly PlannedWrite[];
  /** Look at the input, which may be anything, and run. Never rejects: a fault refuses. */
  call(input: unknown, context: ToolContext): Promise<ToolResult>;
}

/** Make a tool. Its input is checked against the schema before it runs. */
export function defineTool<Input>({ name, description, input: schema, writes, plans, run, ...traits }: Definition<Input>): Tool {
  return {
    title: name,
    verb: name,
    kind: "other",
    ...traits,
    name,
    description,
    input: schema,
    writes: writes === true,
    plans(input) {
      const parsed = plans === undefined ? null : schema.safeParse(input);
      return plans === undefined || parsed?.success !== true ? [] : plans(parsed.data);
    },
    async call(input, context) {
      const parsed = schema.safeParse(input);
      if (!parsed.success) {
        const code = parsed.error.issues.some(({ path }) => path[0] === "path") ? "invalid-path" : "bad-request";
        return badInput(code, `${name}: ${wordIssues(parsed.error.issues)}`);
      }
      try {
        return await run(parsed.data, context);
      } catch (error) {
        return faulty(input, error);
      }
    },
  };
}

/** INVARIANT: a fault refuses. The message stays with us; it may name what the caller must not know. */
function faulty(input: unknown, error: unknown): ToolResult {
  const path = pathOf(input);
  const what = error instanceof Error ? error.name : "fault";
  return {
    ...failed("guard-fault", path),
    verdict: "deny",
    hint: `\`${show(path)}\` could not be judged (${what}), and what cannot be judged is denied.`,
  };
}

/** The path a call names, for telling about it; empty if it names none. */
export function pathOf(input: unknown): string {
  return typeof input === "object" && input !== null && "path" in input ? String(input.path) : "";
}

/** The agent's own reason for a call, in its words; null if it gives none. */
export function wordsOf(input: unknown): string | null {
  return typeof input === "object" && input !== null && "reason" in input && typeof input.reason === "string" ? input.reason : null;
}

function wordIssues(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map(({ path, message }) => (path.length === 0 ? message : `\`${path.join(".")}\`: ${message}`)).join("; ");
}
