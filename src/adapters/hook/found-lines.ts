// Removes the lines of shut files from the output of a host's own search. Each line is traced to its file: by the path before it
// (`a.ts:3:text`, `a.ts-4-text`, `a.ts:text`), by a heading above it (`File: a.ts`, `a.ts:`), or because it is a path. The rest does not
// show that anything was removed.

export interface Sieve {
  /** Must no agent read it? */
  isShut(path: string): boolean;
  /** Is there a file or directory of that name? */
  isThere(path: string): boolean;
}

/** `nothing`: what the host says where it found nothing. The same text where nothing is shut. */
export function withoutShut(text: string, sieve: Sieve, nothing: string): string {
  const remaining: string[] = [];
  let dropped = 0;
  let isHeadingShut = false;
  for (const line of text.split("\n")) {
    const heading = headingIn(line, sieve);
    if (isBetween(line)) isHeadingShut = false;
    // What is called like a file that is there begins something new, also right below another file's lines.
    else if (heading !== null) {
      isHeadingShut = sieve.isShut(heading);
      if (isHeadingShut && heading === line) dropped += 1;
      if (isHeadingShut) continue;
    } else if (isHeadingShut || isOfShut(line, sieve)) {
      dropped += 1;
      continue;
    }
    remaining.push(line);
  }
  if (remaining.length === text.split("\n").length) return text;
  const tidy = withoutRepeatedRules(remaining);
  return tidy.some((line) => !isBetween(line) && !COUNT.test(line)) ? tidy.map((line) => adjustCount(line, dropped)).join("\n") : nothing;
}

const isBetween = (line: string): boolean => /^(?:\s*|-{2,})$/u.test(line);

/** The file that a line names and says nothing else of; null where it says more. */
function headingIn(line: string, { isThere }: Sieve): string | null {
  const [, named] = /^File: (.+)$/u.exec(line) ?? [];
  if (named !== undefined) return named;
  return [line, ...(line.endsWith(":") ? [line.slice(0, -1)] : [])].find((path) => !/^\s|^$/u.test(path) && isThere(path)) ?? null;
}

/** Where names that are there could stand in front of it, one of them does; else any that would be shut counts. */
function isOfShut(line: string, { isShut, isThere }: Sieve): boolean {
  const paths = pathsBefore(line);
  const existing = paths.filter((path) => isThere(path));
  return (existing.length > 0 ? existing : paths).some((path) => isShut(path));
}

/** What may be the path in front of a line. */
function pathsBefore(line: string): readonly string[] {
  const ends = [...line.matchAll(/:\d+[:-]|-\d+-/gu)].slice(0, 8).map(({ index }) => index);
  const first = line.indexOf(":");
  // Without any it may be the name of a file that is gone meanwhile.
  return [...new Set([...ends, first === -1 ? line.length : first])].map((end) => line.slice(0, end)).filter((path) => path !== "");
}

/** Without two separators in a row, which would show where something was. */
const withoutRepeatedRules = (lines: readonly string[]): readonly string[] =>
  lines.filter((line, index) => !/^-{2,}$/u.test(line) || (index > 0 && line !== lines[index - 1]));

const COUNT = /^Found (\d+) (match|file)(?:es|s)?\b/u;

/** `Found 5 matches …` of what is left. */
const adjustCount = (line: string, dropped: number): string =>
  line.replace(COUNT, (whole, count: string) => whole.replace(count, String(Math.max(1, Number(count) - dropped))));
