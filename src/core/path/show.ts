// Text made fit to show a person: unusual characters are escaped, never removed, so what is on the screen can be read back
// byte for byte. Shared by every screen, log line and hint.

// Controls, DEL, C1, all separators but the space, soft hyphen, joiners and other invisible marks, bidi controls,
// variation selectors, interlinear marks, noncharacters' usual carriers, tags, and the backslash that introduces an escape.
const UNUSUAL =
  /[\u0000-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\\]/gu;

/** `text` with every unusual character written as `\u{…}` and every backslash doubled. One line, whatever came in. */
export function show(text: string): string {
  return text.replace(UNUSUAL, (found) => (found === "\\" ? "\\\\" : `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`));
}

/** The text that `show` was given; null if `escaped` is nothing `show` could have made. */
export function unshow(escaped: string): string | null {
  const text = escaped.replace(/\\\\|\\u\{([0-9a-f]{1,6})\}/g, (_found, hex: string | undefined) =>
    hex === undefined ? "\\" : Number.parseInt(hex, 16) > 0x10ffff ? "" : String.fromCodePoint(Number.parseInt(hex, 16)),
  );
  return show(text) === escaped ? text : null;
}

/** Does the text hold letters outside ASCII? Look-alikes do; the person should be told. */
export function hasForeignLetters(text: string): boolean {
  return /[^\u0000-\u007f]/.test(text);
}

/** At most `width` characters, cut in the middle so that head and tail both stay. */
export function shorten(escaped: string, width: number): string {
  return splitAtCut(escaped, width)?.join("…") ?? escaped;
}

/** What stays of a text longer than `width`, before and after the mark of the cut; null where it fits. The escape marks are never cut through. */
export function splitAtCut(escaped: string, width: number): readonly [head: string, tail: string] | null {
  if (escaped.length <= width) return null;
  const units = escaped.match(/\\\\|\\u\{[0-9a-f]{1,6}\}|[\s\S]/gu) ?? [];
  let head = "";
  let tail = "";
  let from = 0;
  let to = units.length - 1;
  while (from <= to) {
    const next = head.length <= tail.length ? units[from] : units[to];
    if (next === undefined || head.length + tail.length + next.length + 1 > width) break;
    if (head.length <= tail.length) {
      head += next;
      from += 1;
    } else {
      tail = next + tail;
      to -= 1;
    }
  }
  return [head, tail];
}
