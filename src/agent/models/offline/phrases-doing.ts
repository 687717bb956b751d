// Requests to do: write, append, replace, run, ask for access, start an agent. The content of a file and a command may hold any words,
// so these are looked for in whole sentences before anything is cut apart, and only where target and content are both plain.

import { ONE_MARK, stripped } from "./clauses.ts";
import { type Masked, MARK, thingsIn, unmask } from "./mask.ts";
import { objectsOf } from "./objects.ts";
import type { Memory, Wish } from "./wish.ts";

const re = (source: string): RegExp => new RegExp(source, "iu");
const NAME = String.raw`(?:${MARK}|[\p{L}\p{N}_@+-]+)`;
const FILE = String.raw`(?:(?:a|an|the|another|my|new|text|empty|blank|small|existing)\s+)*(?:(?:file|document|note|script)\s+)?(?:(?:called|named|at|in|under)\s+)?(?:the\s+)?(?:file\s+)?`;
const WITH = String.raw`(?:,?\s*(?:with|containing|contains|that (?:says|contains|reads|holds)|saying|which (?:says|contains)|and (?:put|write|add|save)|from|=|:)\s*(?:(?:the|this|following|text|contents?|lines?|words?|in it|into it)\s*)*:?\s*)`;

/** The one thing that a stretch of text asks to be done; null if it asks for none. */
export function doing(stretch: string, masked: Masked, memory: Memory): Wish | null {
  const text = stripped(stretch);
  return run(text, stretch, masked) ?? write(text, masked, memory) ?? change(text, masked, memory) ?? spawn(text, masked);
}

// ── run ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const RUN = re(
  String.raw`^(?:run|execute|exec|running|executing)\b(?:\s+(?:the|this|a|following|shell|bash|terminal|command|commands|line)\b)*\s*:?\s+(.+)$`,
);

function run(text: string, stretch: string, masked: Masked): Wish | null {
  const shell = /^\s*[$!]\s*(\S.*)$/.exec(stretch)?.[1];
  if (shell !== undefined) return { do: "run", command: unmask(shell, masked).trim(), cwd: null };
  const words = RUN.exec(text)?.[1] ?? re(String.raw`^(?:bash|shell|sh|terminal)\s*:\s*(.+)$`).exec(text)?.[1];
  if (words === undefined || words.trim() === "") return null;
  const [thing] = ONE_MARK.test(words) ? thingsIn(words, masked) : [];
  if (thing !== undefined && thing.kind !== "url") return { do: "run", command: thing.text.trim(), cwd: null };
  // "run `make` in src"; other words behind a quoted command leave open what is meant.
  const placed = re(String.raw`^(${MARK})\s+(?:in|inside|from|under|at)\s+(?:the\s+)?(${MARK}|[\w.-]+)(?:\s+(?:folder|directory))?$`).exec(
    words,
  );
  const [quoted] = thingsIn(placed?.[1] ?? new RegExp(`^${MARK}`, "u").exec(words)?.[0] ?? "", masked);
  if (quoted !== undefined && (quoted.kind === "quote" || quoted.kind === "code" || quoted.kind === "block"))
    return placed === null
      ? null
      : { do: "run", command: quoted.text.trim(), cwd: thingsIn(placed[2] ?? "", masked)[0]?.text ?? placed[2] ?? null };
  if (/^(?:the|a|an|my|your|our|it|that|this|them|all|some|tests?|again)\b/i.test(words)) return null;
  return { do: "run", command: unmask(words, masked).trim(), cwd: null };
}

// ── write and append ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `create` makes what is not there yet, `write` puts in place whatever is there. */
const WRITES: readonly { readonly pattern: RegExp; readonly verb: "write" | "append" | "create" }[] = [
  {
    verb: "append",
    pattern: re(
      String.raw`^(?:append|add)\s+(?:(?:a|the|this|another)\s+)?(?:(?:line|text|words?|note|entry)\s*:?\s+)?(?<content>.+?)\s+(?:to|onto|at)\s+(?:the\s+)?(?:(?:end|bottom)\s+of\s+)?(?:the\s+)?(?:file\s+)?(?<path>${NAME})$`,
    ),
  },
  {
    verb: "append",
    pattern: re(
      String.raw`^(?:append|add)\s+(?:(?:a|the|this|another)\s+)?(?:(?:line|text|note|entry)\s+)?to\s+(?:the\s+)?(?:file\s+)?(?<path>${NAME})\s*:?\s+(?<content>.+)$`,
    ),
  },
  {
    verb: "write",
    pattern: re(
      String.raw`^(?:write|save|put|store)\s+(?:(?:the|this)\s+following|this)\s+(?:text\s+)?(?:to|into|in|as)\s+${FILE}(?<path>${NAME})\s*:?\s*(?<content>${MARK}.*|\S.*)$`,
    ),
  },
  {
    verb: "write",
    pattern: re(
      String.raw`^(?:write|save|put|store|echo)\s+(?:(?:the|this|these)\s+)?(?:(?:text|words?|lines?|content|string)\s*:?\s+)?(?<content>.+?)\s+(?:to|into|in|as|at|>)\s+${FILE}(?<path>${NAME})$`,
    ),
  },
  { verb: "write", pattern: re(String.raw`^(?:in|into|to)\s+${FILE}(?<path>${NAME}),?\s+(?:write|put|save)\s+(?<content>.+)$`) },
  {
    verb: "create",
    pattern: re(String.raw`^(?:create|make|add|generate|start|set up|touch)\s+(?:me\s+)?${FILE}(?<path>${NAME})${WITH}(?<content>.+)$`),
  },
  {
    verb: "write",
    pattern: re(String.raw`^(?:write|overwrite|fill|save)\s+(?:me\s+)?(?:to\s+)?${FILE}(?<path>${NAME})${WITH}(?<content>.+)$`),
  },
  { verb: "create", pattern: re(String.raw`^(?:create|make|add|generate|start|touch)\s+(?:me\s+)?${FILE}(?<path>${MARK})$`) },
];

function write(text: string, masked: Masked, memory: Memory): Wish | null {
  for (const { pattern, verb } of WRITES) {
    const groups = pattern.exec(text)?.groups;
    const path = groups === undefined ? null : pathOf(groups["path"] ?? "", masked, memory);
    const content = groups === undefined ? null : contentOf(groups["content"] ?? "", masked);
    if (path !== null && content !== null) return { do: verb, path, content };
  }
  return null;
}

/** A quotation, a piece of code or a block is meant as it stands and must stand alone; other words are meant as written. */
function contentOf(words: string, masked: Masked): string | null {
  const mark = new RegExp(`^${MARK}`, "u").exec(words.trim())?.[0];
  const [thing] = mark === undefined ? [] : thingsIn(mark, masked);
  if (mark === undefined || thing === undefined || thing.kind === "path" || thing.kind === "glob" || thing.kind === "url")
    // "a poem" is not what is to be written but what it is to be like, which is not for this agent.
    return /^(?:a|an|some|the|your|my|me)\s/i.test(words.trim()) ? null : unmask(words.trim(), masked);
  return mark === words.trim() ? thing.text : null;
}

// ── replace ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const PIECE = String.raw`(?:${MARK}|[^\s\ue000]+)`;
const CHANGES: readonly RegExp[] = [
  re(
    String.raw`^(?:find and )?(?:replace|change|swap|substitute|rename)\s+(?<all>(?:all|every|each)\s+)?(?:(?:occurrences?|instances?)\s+of\s+)?(?:the\s+)?(?:(?:text|word|words|string|line)\s+)?(?<old>${PIECE})\s+(?:with|to|by|for|into)\s+(?<new>${PIECE})(?<everywhere>\s+everywhere)?\s+(?:everywhere\s+)?(?:in|inside|within)\s+(?:the\s+)?(?:file\s+)?(?<path>${NAME})(?<later>\s+everywhere)?$`,
  ),
  re(
    String.raw`^in\s+(?:the\s+)?(?:file\s+)?(?<path>${NAME}),?\s+(?:please\s+)?(?:replace|change|swap|substitute|rename)\s+(?<all>(?:all|every|each)\s+)?(?:(?:occurrences?|instances?)\s+of\s+)?(?<old>${PIECE})\s+(?:with|to|by|for|into)\s+(?<new>${PIECE})(?<everywhere>\s+everywhere)?$`,
  ),
];

function change(text: string, masked: Masked, memory: Memory): Wish | null {
  for (const pattern of CHANGES) {
    const groups = pattern.exec(text)?.groups;
    const path = groups === undefined ? null : pathOf(groups["path"] ?? "", masked, memory);
    if (groups === undefined || path === null) continue;
    const all = [groups["all"], groups["everywhere"], groups["later"]].some((one) => one !== undefined && one !== "");
    return { do: "edit", path, old: pieceOf(groups["old"] ?? "", masked), new: pieceOf(groups["new"] ?? "", masked), all };
  }
  return null;
}

function pieceOf(words: string, masked: Masked): string {
  return ONE_MARK.test(words) ? (thingsIn(words, masked)[0]?.text ?? "") : unmask(words, masked);
}

function pathOf(words: string, masked: Masked, memory: Memory): string | null {
  const [thing] = thingsIn(words, masked);
  if (thing !== undefined) return thing.kind === "block" || thing.kind === "glob" || thing.kind === "url" ? null : thing.text;
  // A directory is no file, and a plain word is one only where it points back.
  if (
    /^(?:a|an|the|new|file|directory|folder|dir|it|there|me|you|detail|short|english|plain|words?|order|place|time|case)$/i.test(words) &&
    !/^(?:it|there)$/i.test(words)
  )
    return null;
  if (/^(?:it|there)$/i.test(words)) return objectsOf(words, masked, memory)?.paths[0]?.path ?? null;
  return words;
}

// ── access and agents ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const SPAWN = re(
  String.raw`^(?:spawn|fork|start|launch|send|open|create)\b[^\ue000]{0,80}?\b(?:sub-?agents?|agents?|sessions?|child)\b[^\ue000]{0,40}?\b(?:in|at|for|on|to)\s+(?:the\s+)?(?:repo(?:sitory)?\s+|project\s+|folder\s+)?(${MARK})[\s,:]+(?:(?:to|and|that|which|which is to|with the task(?: to)?|asking it to)\s+)?(.+)$`,
);

function spawn(text: string, masked: Masked): Wish | null {
  const match = SPAWN.exec(text);
  const path = match === null ? undefined : thingsIn(match[1] ?? "", masked)[0]?.text;
  return match === null || path === undefined ? null : { do: "spawn", path, task: unmask(match[2] ?? "", masked).trim() };
}

const ASK = re(
  String.raw`\b(?:request|ask(?: me)?(?: for)?|get|gain|obtain|need|want)\b[^\ue000]*?\b(?:access|permission|leave)\b[^\ue000]*?(${MARK})(?:[\s,]+(?:because|since|as|so that|so|in order to|to|for)\s+(.+))?$`,
);

/** Asking for access, and asking what there is access to. */
export function asking(text: string, masked: Masked): Wish | null {
  const ask = ASK.exec(text);
  const path = ask === null ? undefined : thingsIn(ask[1] ?? "", masked)[0]?.text;
  if (ask !== null && path !== undefined) return { do: "ask", path, reason: ask[2] === undefined ? null : unmask(ask[2], masked).trim() };
  if (
    re(
      String.raw`^(?:(?:do|can|may|are|could) (?:you|we) )?(?:have access to|access|able to (?:read|see|access)|allowed to (?:read|see|access))\s+(?:the\s+)?${MARK}$`,
    ).test(text)
  )
    return { do: "access" };
  return thingsIn(text, masked).length === 0 && ACCESS.some((pattern) => pattern.test(text)) ? { do: "access" } : null;
}

const ACCESS: readonly RegExp[] = [
  /^(?!.*\b(?:in|inside|under)\s+\S+$)(?:what|which|where|how much)\b.*\b(?:can|may|do|are|could)\s+(?:you|i|we)\b.*\b(?:see|access|read|reach|touch|open|enter|write|look)\b/i,
  /^(?:what|which)\b.*\b(?:are you|am i|have you|is) (?:allowed|permitted|granted|able)\b/i,
  /^(?:list|show|check|print|tell|give|display|what(?:'s| is| are)|which are)\b.*\b(?:access|grants?|granted|permissions?|scope|roots|mounts?|boundar(?:y|ies)|workspace|working director(?:y|ies))\b/i,
  /^what\b.*\b(?:have|did) (?:i|we)\b.*\b(?:grant|allow)(?:ed)?\b/i,
  /^(?:access|grants|scope|list[_ ]access|pwd|where are (?:you|we)|where am i|what do you have access to|your access)$/i,
];
