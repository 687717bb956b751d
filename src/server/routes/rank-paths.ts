// Which paths a person means by what they typed of one: its characters in their order, anywhere in the path. Pure.

import { firstInOrder, type Steps } from "../../core/steps.ts";

export interface PathOffer {
  /** As it is written into the message. */
  readonly path: string;
  /** What the typed characters are looked for in. */
  readonly name: string;
}

/** The first so many that fit, the best first; among equals the shorter, then by name. Nothing typed fits everything. */
export function* rankPaths(typed: string, offers: Iterable<PathOffer>, most: number): Steps<readonly string[]> {
  const fitting: { readonly path: string; readonly name: string; readonly points: number }[] = [];
  for (const { path, name } of offers) {
    const points = fitOf(typed, name);
    if (points !== null) fitting.push({ path, name, points });
    yield;
  }
  const first = yield* firstInOrder(
    fitting,
    most,
    (one, other) => other.points - one.points || one.name.length - other.name.length || (one.name < other.name ? -1 : 1),
  );
  return first.map(({ path }) => path);
}

/** How well it fits, more is better; null where it does not. What stands in one piece fits better, and the last name better than the way to it. */
export function fitOf(typed: string, path: string): number | null {
  const wanted = typed.toLowerCase();
  const all = path.toLowerCase();
  const whole = path.replace(/\/$/, "");
  const at = whole.lastIndexOf("/") + 1;
  const last = all.slice(at);
  if (last.startsWith(wanted)) return last.replace(/\/$/, "") === wanted ? 1000 : 900;
  const inLast = last.indexOf(wanted);
  if (inLast !== -1) return isWordStart(path, at + inLast) ? 800 : 700;
  const inAll = all.indexOf(wanted);
  if (inAll !== -1) return isWordStart(path, inAll) ? 650 : 600;
  const scattered = scatteredIn(wanted, path.slice(at), last);
  if (scattered !== null) return 300 + scattered;
  return scatteredIn(wanted, path, all);
}

/** Points for the characters one after the other, with others in between: below 200. Starts of words are looked for first. */
function scatteredIn(wanted: string, path: string, folded: string): number | null {
  let at = 0;
  let points = 0;
  let before = -2;
  for (let next = 0; next < wanted.length; next += 1) {
    const letter = wanted.charAt(next);
    let found = folded.indexOf(letter, at);
    if (found === -1) return null;
    if (found !== before + 1 && !isWordStart(path, found)) {
      // A start of a word further on, unless that would leave the rest without a place.
      let other = found;
      while (other !== -1 && !isWordStart(path, other)) other = folded.indexOf(letter, other + 1);
      if (other !== -1 && holds(folded, wanted.slice(next + 1), other + 1)) found = other;
    }
    points += found === before + 1 ? 6 : isWordStart(path, found) ? 5 : 1;
    before = found;
    at = found + 1;
  }
  return Math.min(199, points);
}

function holds(folded: string, wanted: string, from: number): boolean {
  let at = from;
  for (const letter of wanted) {
    const found = folded.indexOf(letter, at);
    if (found === -1) return false;
    at = found + 1;
  }
  return true;
}

const isWordStart = (path: string, at: number): boolean =>
  at === 0 || /[/._\- ]/.test(path.charAt(at - 1)) || (/\p{Lu}/u.test(path.charAt(at)) && /\p{Ll}/u.test(path.charAt(at - 1)));
