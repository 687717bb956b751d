// Ranks paths by how well they fit what a person typed: its characters in their order, anywhere in the path. Pure.

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
  const query = typed.toLowerCase();
  const all = path.toLowerCase();
  const whole = path.replace(/\/$/, "");
  const at = whole.lastIndexOf("/") + 1;
  const last = all.slice(at);
  if (last.startsWith(query)) return last.replace(/\/$/, "") === query ? 1000 : 900;
  const inLast = last.indexOf(query);
  if (inLast !== -1) return isWordStart(path, at + inLast) ? 800 : 700;
  const inAll = all.indexOf(query);
  if (inAll !== -1) return isWordStart(path, inAll) ? 650 : 600;
  const scattered = scatteredIn(query, path.slice(at), last);
  if (scattered !== null) return 300 + scattered;
  return scatteredIn(query, path, all);
}

/** Points for the characters one after the other, with others in between: below 200. Starts of words are looked for first. */
function scatteredIn(query: string, path: string, folded: string): number | null {
  let at = 0;
  let points = 0;
  let lastIndex = -2;
  for (let next = 0; next < query.length; next += 1) {
    const letter = query.charAt(next);
    let index = folded.indexOf(letter, at);
    if (index === -1) return null;
    if (index !== lastIndex + 1 && !isWordStart(path, index)) {
      // A start of a word further on, unless that would leave the rest without a place.
      let other = index;
      while (other !== -1 && !isWordStart(path, other)) other = folded.indexOf(letter, other + 1);
      if (other !== -1 && containsInOrder(folded, query.slice(next + 1), other + 1)) index = other;
    }
    points += index === lastIndex + 1 ? 6 : isWordStart(path, index) ? 5 : 1;
    lastIndex = index;
    at = index + 1;
  }
  return Math.min(199, points);
}

function containsInOrder(folded: string, letters: string, from: number): boolean {
  let at = from;
  for (const letter of letters) {
    const index = folded.indexOf(letter, at);
    if (index === -1) return false;
    at = index + 1;
  }
  return true;
}

const isWordStart = (path: string, at: number): boolean =>
  at === 0 || /[/._\- ]/.test(path.charAt(at - 1)) || (/\p{Lu}/u.test(path.charAt(at)) && /\p{Ll}/u.test(path.charAt(at - 1)));
