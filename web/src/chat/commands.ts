// Slash commands of the composer. What they do is done by the person, through the person's routes; nothing of it goes to the agent.

export interface Command {
  readonly name: string;
  readonly takes: string;
  readonly says: string;
}

export const commands: readonly Command[] = [
  { name: "/grants", takes: "", says: "what was granted in this session" },
  { name: "/revoke", takes: "<id or path>", says: "end a grant now" },
  { name: "/clear_grants", takes: "", says: "end every grant of this session" },
  { name: "/mount", takes: "<path> [read_only|extend|sandboxed]", says: "add a directory to this session" },
  { name: "/scope", takes: "", says: "everything the agent can see: X-ray" },
  { name: "/end", takes: "", says: "end this session: its asks are closed, its grants end" },
  { name: "/policy", takes: "[path]", says: "the rules, and a tester" },
];

export type Said =
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "command"; readonly name: string; readonly argument: string }
  | { readonly is: "unknown"; readonly name: string };

/** What was typed: a command if it begins with a slash and a known word. A path that begins with a slash is text. */
export function readSaid(typed: string): Said {
  const text = typed.trim();
  const match = /^(\/[a-z_]+)(?:\s+([\s\S]*))?$/.exec(text);
  const name = match?.[1];
  if (name === undefined) return { is: "text", text };
  if (commands.some((command) => command.name === name)) return { is: "command", name, argument: (match?.[2] ?? "").trim() };
  return { is: "unknown", name };
}

/** Commands that begin like what is typed so far. */
export function commandsLike(typed: string): readonly Command[] {
  return /^\/[a-z_]*$/.test(typed) ? commands.filter(({ name }) => name.startsWith(typed)) : [];
}

/** The word before the caret, if it may be a path: with a slash, a dot at its start, or an `@` before it. */
export function pathBefore(text: string, caret: number): { readonly prefix: string; readonly from: number } | null {
  const before = text.slice(0, caret);
  const match = /(?:^|\s)(@?)((?:\.{0,2}\/|[\w.-]+\/)?[^\s]*)$/.exec(before);
  if (match === null) return null;
  const marked = match[1] === "@";
  const prefix = match[2] ?? "";
  if (!marked && !prefix.includes("/")) return null;
  if (before.trimStart().startsWith("/") && commandsLike(before.trimStart()).length > 0) return null;
  return { prefix, from: caret - prefix.length - (marked ? 1 : 0) };
}

export const mountModes = ["read_only", "extend", "sandboxed"] as const;

/** `/mount`'s argument: a path, and a mode at its end if there is one. */
export function readMount(argument: string): { readonly path: string; readonly mode: (typeof mountModes)[number] } {
  const mode = mountModes.find((one) => argument.endsWith(` ${one}`));
  return mode === undefined ? { path: argument, mode: "read_only" } : { path: argument.slice(0, -mode.length).trim(), mode };
}
