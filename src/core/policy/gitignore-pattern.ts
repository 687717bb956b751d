// One line of a .gitignore as git reads it, and one name against one segment of it. Text is compared as git does it, by
// bytes (`?` is one byte): the "bytes" below are strings with one UTF-8 byte in each code unit.

/** A byte, `STAR`, or a set of bytes. */
export type PatternToken = number | ReadonlySet<number>;
export const STAR = -1;
const BYTES = Array.from({ length: 0x100 }, (_, byte) => byte);
const WILDCARDS: ReadonlyMap<string, PatternToken> = new Map<string, PatternToken>([
  ["*", STAR],
  ["?", new Set(BYTES)],
]);

/** One line of a file. */
export interface GitignoreRule {
  /** Grows down a file, and from a file to those below it: the match with the highest order wins. */
  readonly order: number;
  readonly ignored: boolean;
  readonly directoriesOnly: boolean;
  /** What each step of the path must be; null is any number of steps. */
  readonly segments: readonly (readonly PatternToken[] | null)[];
  /** The last segment, which is left for the name when the others are met. */
  readonly last: readonly PatternToken[];
}

/**
 * Does the name, given as bytes, match the segment? Takes at most the length of the one times that of the other.
 * What follows the last star is compared first, from the end: there most names differ. Then from the start.
 */
export function matches(segment: readonly PatternToken[], name: string): boolean {
  let end = segment.length;
  let nameEnd = name.length;
  while (end > 0 && segment[end - 1] !== STAR) {
    end -= 1;
    nameEnd -= 1;
    if (!meets(segment[end], name.charCodeAt(nameEnd))) return false;
  }
  let next = 0;
  let afterStar = 0;
  let starEnd = -1;
  for (let at = 0; at < nameEnd;) {
    if (next < end && segment[next] === STAR) {
      next += 1;
      if (next === end) return true;
      afterStar = next;
      starEnd = at;
    } else if (next < end && meets(segment[next], name.charCodeAt(at))) {
      next += 1;
      at += 1;
    } else if (starEnd === -1) {
      return false;
    } else {
      // Back to the last star only: what an earlier one could take, it can take as well.
      next = afterStar;
      starEnd += 1;
      at = starEnd;
    }
  }
  while (next < end && segment[next] === STAR) next += 1;
  return next === end;
}

function meets(token: PatternToken | undefined, byte: number): boolean {
  return token === byte || (typeof token === "object" && token.has(byte));
}

/** The lines of one file that match something, in their order, which counts on from `firstOrder`. */
export function parseRules(text: string, firstOrder: number): readonly GitignoreRule[] {
  const rules: GitignoreRule[] = [];
  for (const line of bytesOf(text.replace(/^\uFEFF/, "")).split("\n")) {
    const rule = line.startsWith("#") ? null : parseRule(trimLine(line), firstOrder + rules.length);
    if (rule !== null) rules.push(rule);
  }
  return rules;
}

/** Without the carriage return, what follows a NUL, and the spaces at the end; of these an escaped one stays. */
function trimLine(line: string): string {
  const [text = ""] = line.replace(/\r$/, "").split("\0", 1);
  let end = text.length;
  while (text[end - 1] === " ") end -= 1;
  let escapes = 0;
  while (text[end - 1 - escapes] === "\\") escapes += 1;
  return text.slice(0, end + (escapes % 2));
}

/** Null for a line that matches nothing: with an empty step (or all empty), a bad set, or a backslash at the end. */
function parseRule(line: string, order: number): GitignoreRule | null {
  const ignored = !line.startsWith("!");
  const directoriesOnly = line.endsWith("/");
  const pattern = line.slice(ignored ? 0 : 1, directoriesOnly ? -1 : undefined);
  const steps = parseSteps(pattern.startsWith("/") ? pattern.slice(1) : pattern);
  if (steps === null || steps.some((step) => step.length === 0)) return null;
  const all = steps.map((step) => (spansDirectories(step) ? null : step));
  if (!pattern.includes("/")) all.unshift(null);
  const segments = all.filter((segment, index) => segment !== null || all[index - 1] !== null);
  return { order, ignored, directoriesOnly, segments, last: segments.at(-1) ?? [STAR] };
}

function spansDirectories(step: readonly PatternToken[]): boolean {
  return step.length > 1 && step.every((token) => token === STAR);
}

/** What stands between the slashes outside sets. Null for a bad set or a backslash at the end. */
function parseSteps(pattern: string): readonly (readonly PatternToken[])[] | null {
  let step: PatternToken[] = [];
  const steps = [step];
  for (let at = 0; at < pattern.length; at += 1) {
    const isEscaped = pattern[at] === "\\";
    if (isEscaped) at += 1;
    if (at === pattern.length) return null;
    if (pattern[at] === "/") {
      // Escaped or not, it is a slash; but before an escaped one, git has `**` stand for one directory at least.
      if (isEscaped && spansDirectories(step)) steps.splice(-1, 0, [STAR]);
      step = [];
      steps.push(step);
    } else if (isEscaped) {
      step.push(pattern.charCodeAt(at));
    } else if (pattern[at] === "[") {
      const parsed = parseSet(pattern, at + 1);
      if (parsed === null) return null;
      step.push(parsed.set);
      at = parsed.end;
    } else {
      step.push(WILDCARDS.get(pattern.charAt(at)) ?? pattern.charCodeAt(at));
    }
  }
  return steps;
}

/** The set that is open at `start`, and where it closes. Null if it does not, or names a class that is none. */
function parseSet(pattern: string, start: number): { readonly set: ReadonlySet<number>; readonly end: number } | null {
  const isNegated = pattern[start] === "!" || pattern[start] === "^";
  const first = isNegated ? start + 1 : start;
  const members = new Set<number>();
  let previous: number | null = null;
  let at = first;
  for (; at === first || pattern[at] !== "]"; at += 1) {
    const close = pattern.startsWith("[:", at) ? pattern.indexOf("]", at + 2) : 0;
    if (close === -1) return null;
    if (close > at + 2 && pattern[close - 1] === ":") {
      const isMember = CLASSES.get(pattern.slice(at + 2, close - 1));
      if (isMember === undefined) return null;
      for (const byte of BYTES) if (isMember.test(String.fromCharCode(byte))) members.add(byte);
      previous = null;
      at = close;
    } else {
      const low: number | null = pattern[at] === "-" && pattern[at + 1] !== "]" ? previous : null;
      if (low !== null) at += 1;
      if (pattern[at] === "\\") at += 1;
      if (at >= pattern.length) return null;
      const high = pattern.charCodeAt(at);
      for (let byte = low ?? high; byte <= high; byte += 1) members.add(byte);
      previous = low === null ? high : null;
    }
  }
  return { set: isNegated ? new Set(BYTES.filter((byte) => !members.has(byte))) : members, end: at };
}

/** The named classes as git has them: ASCII only, and fewer kinds of space than C has. */
const CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ["alnum", /[0-9A-Za-z]/],
  ["alpha", /[A-Za-z]/],
  ["blank", /[ \t]/],
  ["cntrl", /[^ -~\x80-\xff]/],
  ["digit", /[0-9]/],
  ["graph", /[!-~]/],
  ["lower", /[a-z]/],
  ["print", /[ -~]/],
  ["punct", /[!-/:-@[-`{-~]/],
  ["space", /[ \t\n\r]/],
  ["upper", /[A-Z]/],
  ["xdigit", /[0-9A-Fa-f]/],
]);

/** The text with one UTF-8 byte in each code unit. */
export function bytesOf(text: string): string {
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) > 0x7f) {
      return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
    }
  }
  return text;
}
