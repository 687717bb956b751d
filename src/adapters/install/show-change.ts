// A planned change as a person reads it: a unified diff. Control characters of the file are shown, not sent to the terminal.

import { basename } from "node:path";
import { createTwoFilesPatch } from "diff";
import { show } from "../../core/path/show.ts";
import type { PlannedChange } from "./planned-change.ts";

/** Lines without their ends. Of what stays as it is, long lines are cut: a host's own state may stand on one. What is written is shown whole. */
export function changeLines({ file, before, after, added: { kept, dropped } }: PlannedChange): readonly string[] {
  const [oldName, newName] = [before === null ? "/dev/null" : file, after === null ? "/dev/null" : file];
  const patch = createTwoFilesPatch(oldName, newName, lines(before), lines(after), undefined, undefined, { context: 2 });
  const isValues = basename(file) === ".env";
  const all = patch.split("\n").flatMap((line) => (line.startsWith("===") || line === "" ? [] : [isValues ? withoutValue(line) : line]));
  const shownLines = all.map((line) =>
    line.startsWith("+") || line.length <= LINE ? shownLine(line) : `${shownLine(line.slice(0, LINE))}…`,
  );
  const some = shownLines.length <= LINES ? shownLines : [...shownLines.slice(0, LINES), `… and ${shownLines.length - LINES} lines more`];
  return [
    ...some,
    ...(kept.length === 0 ? [] : [`Kept in our entries, as you have it: ${kept.map(show).join(", ")}`]),
    ...(dropped.length === 0 ? [] : [`Not kept in our entries: ${dropped.map(show).join(", ")}`]),
  ];
}

/** What a person set in such a file may be a key. Our own line is shown. */
const withoutValue = (line: string): string =>
  line.includes("BASH_ENV=") ? line : line.replace(/^([-+ ]\s*(?:export\s+)?[\w.-]+\s*=).*$/u, "$1…");

const LINE = 240;
const LINES = 120;

/** As it is, unless there is something in it that a terminal would not simply print. */
function shownLine(line: string): string {
  const plain = line.replaceAll("\\", "");
  return show(plain) === plain ? line : show(line);
}

const lines = (bytes: Buffer | null): string => (bytes === null ? "" : bytes.toString("utf8").replaceAll("\r\n", "\n"));
