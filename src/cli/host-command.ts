// A command as a host's shell was told to run it: whose it is, what of it the model wrote, and what is run. For the wrapper that is a process of its own
// (`commands/shell.ts`) and for the daemon, which runs it for a shell that asks (`shell-entrance.ts`).

import { hostTable } from "../adapters/hook/host-table.ts";
import { type FramedCommand, framedIn } from "../adapters/hook/shell-frame.ts";
import type { ShellCall } from "../adapters/hook/shell-words.ts";
import { quoteForShell } from "../adapters/hook/shell-quote.ts";
import type { ShellEnding } from "./shell-ending.ts";

export interface HostCommand {
  readonly call: ShellCall & { readonly workspace: string };
  readonly framed: FramedCommand;
  /** All of it, for a shell that nothing confines. */
  readonly whole: string;
  /** What is run in the sandbox. */
  inSandbox(ending: ShellEnding | null): string;
}

interface CommandWords {
  readonly text: string;
  /** What the shell was given after its command: `$0`, `$1` … */
  readonly more: readonly string[];
  readonly workspace: string;
  /** Of the shell. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function hostCommandOf(shellCall: ShellCall, { text, more, workspace, env }: CommandWords): HostCommand {
  const { shell } = hostTable[shellCall.host];
  const sessionId = shellCall.sessionId ?? (shell?.session === undefined ? null : (env[shell.session] ?? null));
  const framed = shellCall.call === null ? framedIn(shellCall.host, text) : { command: text, isInputEmpty: false, directoryFile: null };
  // A line of ours that is carried out again would lead here again.
  const bare = shell?.way === "line" ? framed.command : text;
  const whole = more.length === 0 ? bare : ["bash", "-c", bare, ...more].map(quoteForShell).join(" ");
  return {
    call: { ...shellCall, workspace, sessionId },
    framed,
    whole,
    inSandbox: (ending) => (more.length > 0 ? whole : (ending?.command(framed) ?? framed.command)),
  };
}
