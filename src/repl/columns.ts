// How many columns a text takes in a terminal, and texts fitted into so many. Where terminals differ the wider guess is taken, so that
// a line that fits here fits everywhere. Takes text that `show` has made; nothing here makes a text fit to show.

/** East Asian wide and full-width letters, and what is drawn as a picture. */
const WIDE =
  /[\u1100-\u115f\u231a\u231b\u2329\u232a\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2630-\u2637\u2648-\u2653\u267f\u268a-\u268f\u2693\u26a1\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4dc0-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NOTHING = /^[\p{Mn}\p{Me}]$/u;

/** The columns one character takes: 0, 1 or 2. */
function columnsOf(character: string): number {
  if (character <= "~") return 1;
  return WIDE.test(character) ? 2 : NOTHING.test(character) ? 0 : 1;
}

/** The columns a line of text takes. */
export function columns(text: string): number {
  let sum = 0;
  for (const character of text) sum += columnsOf(character);
  return sum;
}

/** What is never cut through: an escape that `show` wrote, or one character with the marks on it. */
const UNITS = /\\\\|\\u\{[0-9a-f]{1,6}\}|[\s\S][\p{Mn}\p{Me}]*/gu;

/** Broken into lines of at most `width` columns, at spaces where there are some, else anywhere. Nothing is lost but the spaces at breaks. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const word of text.match(/ +|[^ ]+/gu) ?? []) {
    const size = columns(word);
    if (used + size <= width) {
      line += word;
      used += size;
      continue;
    }
    if (word.startsWith(" ")) {
      lines.push(line);
      [line, used] = ["", 0];
      continue;
    }
    if (used > 0 && size <= width) {
      lines.push(line.trimEnd());
      [line, used] = [word, size];
      continue;
    }
    const pieces = chop(line + word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? "";
    used = columns(line);
  }
  return [...lines, line];
}

/** The same for a line of a list: what goes on below it stands where its text began, after the first word and a gap, or its indent. */
export function hang(text: string, width: number): readonly string[] {
  const [head = ""] = /^ *(?:\S+ {2,})?/u.exec(text) ?? [];
  const indent = columns(head);
  if (indent === 0 || indent > width / 2) return wrap(text, width);
  return wrap(text.slice(head.length), width - indent).map((one, at) => `${at === 0 ? head : " ".repeat(indent)}${one}`);
}

/** Broken anywhere, into lines that are full: for paths, where a space is as good as any other character. */
export function chop(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const unit of text.match(UNITS) ?? []) {
    const size = columns(unit);
    if (used + size > width && line !== "") {
      lines.push(line);
      [line, used] = ["", 0];
    }
    line += unit;
    used += size;
  }
  return [...lines, line];
}

/** At most `width` columns, cut in the middle so that head and tail both stay. */
export function cutMiddle(text: string, width: number): string {
  if (columns(text) <= width) return text;
  if (width < 2) return width < 1 ? "" : "…";
  const units = text.match(UNITS) ?? [];
  let [head, tail, headUsed, tailUsed] = ["", "", 0, 0];
  for (let from = 0, to = units.length - 1; from <= to;) {
    const front = headUsed <= tailUsed;
    const unit = units[front ? from : to] ?? "";
    const size = columns(unit);
    if (headUsed + tailUsed + size + 1 > width) break;
    if (front) {
      head += unit;
      headUsed += size;
      from += 1;
    } else {
      tail = unit + tail;
      tailUsed += size;
      to -= 1;
    }
  }
  return `${head}…${tail}`;
}

/** At most `width` columns, cut at the end. */
export function cutEnd(text: string, width: number): string {
  if (columns(text) <= width) return text;
  let line = "";
  let used = 0;
  for (const unit of text.match(UNITS) ?? []) {
    const size = columns(unit);
    if (used + size + 1 > width) break;
    line += unit;
    used += size;
  }
  return width < 1 ? "" : `${line}…`;
}

/** Filled up with spaces to `width` columns. */
export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - columns(text)));
}
