// Lines of one file that match. Literal text is looked for in the bytes; a regular expression in the decoded text. A file is looked
// at more closely (is it text? which lines?) only once something was found in it.

import { decodeText } from "../text.ts";
import type { GrepQuery, Match } from "./query.ts";

export interface Matcher {
  /** The matching lines of a file, at most `most`; the bytes are only lent. */
  lines(bytes: Buffer, file: string, most: number): readonly Match[];
}

export function createMatcher(query: GrepQuery): Matcher {
  return query.literal && !query.ignoreCase ? literalMatcher(query) : regexMatcher(query);
}

function literalMatcher({ pattern, lineLength }: GrepQuery): Matcher {
  const needle = Buffer.from(pattern);
  return {
    lines(bytes, file, most) {
      let at = bytes.indexOf(needle);
      if (at === -1 || bytes.includes(0)) return NO_MATCHES;
      const matches: Match[] = [];
      let line = 1;
      let counted = 0;
      while (at !== -1 && matches.length < most) {
        for (let end = bytes.indexOf(10, counted); end !== -1 && end < at; end = bytes.indexOf(10, counted)) {
          line += 1;
          counted = end + 1;
        }
        const end = bytes.indexOf(10, at);
        const stop = end === -1 ? bytes.length : end;
        matches.push({ file, line, text: clip(bytes.toString("utf8", counted, stop), lineLength) });
        at = end === -1 ? -1 : bytes.indexOf(needle, end + 1);
      }
      return matches;
    },
  };
}

function regexMatcher({ pattern, literal, ignoreCase, lineLength }: GrepQuery): Matcher {
  const source = literal ? pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&") : pattern;
  const expression = new RegExp(source, ignoreCase ? "gim" : "gm");
  return {
    lines(bytes, file, most) {
      const text = decodeText(bytes);
      if (text === null) return NO_MATCHES;
      const matches: Match[] = [];
      expression.lastIndex = 0;
      let line = 1;
      let counted = 0;
      for (let found = expression.exec(text); found !== null && matches.length < most; found = expression.exec(text)) {
        if (found.index >= text.length && text.endsWith("\n")) break;
        for (let end = text.indexOf("\n", counted); end !== -1 && end < found.index; end = text.indexOf("\n", counted)) {
          line += 1;
          counted = end + 1;
        }
        const end = text.indexOf("\n", found.index);
        matches.push({ file, line, text: clip(text.slice(counted, end === -1 ? text.length : end), lineLength) });
        if (end === -1) break;
        // On to the next line: one match a line is shown.
        expression.lastIndex = end + 1;
      }
      return matches;
    },
  };
}

function clip(line: string, length: number): string {
  const plain = line.endsWith("\r") ? line.slice(0, -1) : line;
  return plain.length > length ? `${plain.slice(0, length)}…` : plain;
}

const NO_MATCHES: readonly Match[] = [];
