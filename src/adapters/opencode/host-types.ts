// The few shapes of opencode's plugin interface that we use, written down here so that the plugin needs no package.

import { isRecord } from "../../core/record.ts";

export interface PluginInput {
  /** Where opencode was started: the workspace. */
  readonly directory: string;
  readonly client?: unknown;
}

export interface OpencodeToolCall {
  readonly tool: string;
  readonly sessionID: string;
  readonly callID: string;
}

export interface OpencodeToolContext {
  readonly sessionID: string;
  readonly callID?: string;
  /** A person has stopped the call. */
  readonly abort?: AbortSignal;
  ask(input: {
    readonly permission: string;
    readonly patterns: readonly string[];
    readonly always: readonly string[];
    readonly metadata: Readonly<Record<string, unknown>>;
  }): Promise<unknown>;
}

export interface Hooks {
  readonly "tool.execute.before": (call: OpencodeToolCall, output: { readonly args: unknown }) => Promise<void>;
  readonly "tool.execute.after": (
    call: OpencodeToolCall & { readonly args?: unknown },
    result: { output: string; metadata?: unknown },
  ) => Promise<void>;
  readonly "shell.env": (
    shell: { readonly sessionID?: string; readonly callID?: string },
    output: { readonly env: Record<string, string> },
  ) => Promise<void>;
  readonly event: (input: { readonly event: unknown }) => Promise<void>;
  readonly tool: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly args: Readonly<Record<string, unknown>>;
        readonly execute: (args: unknown, context: OpencodeToolContext) => Promise<string>;
      }
    >
  >;
}

export const textAt = (value: unknown, key: string): string => {
  const text = isRecord(value) ? value[key] : undefined;
  return typeof text === "string" ? text : "";
};
