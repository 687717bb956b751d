// Two files set against each other, in the many ways people put it. Names may be shared ("a.json in x and y"), left out ("the one in
// ../lib"), or point back ("compare it with b.txt").

import { type Masked, MARK, type Thing, thingsIn, withoutMarks } from "./mask.ts";
import { joined } from "./objects.ts";
import { pointedAt } from "./pointing.ts";
import type { Memory, Wish } from "./wish.ts";

const re = (source: string): RegExp => new RegExp(source, "iu");

const COMPARING = re(
  String.raw`^(?:compar(?:e|ing)|diff(?:ing)?|contrast)\b|\bdifferences?\b.*\bbetween\b|^(?:(?:show|tell|give)(?: me| us)? )?(?:what(?:'s| is| are) )?the (?:differences?|diff)$|\bdiff between\b|\bdiffers?\b|\bdifferent from\b|\b(?:the )?same as\b|\bidentical\b|^(?:is|are)\b.*\b(?:the same|equal|different)\b|^what(?:'s| has| is)? changed between\b`,
);
const AGAINST = String.raw`(?:and|with|to|against|vs\.?|as|from)`;
const SHARED = re(String.raw`(${MARK}|\w+)\s+(?:in|from|of)\s+(${MARK})\s+${AGAINST}\s+(?:(?:the one|that)\s+)?(?:in\s+)?(${MARK})`);
const ONE_IN = re(
  String.raw`(${MARK})\s+${AGAINST}\s+(?:the (?:one|same(?: file| one)?|file)|that|its (?:copy|twin))\s+(?:in|from|of|under|at)\s+(?:the\s+)?(${MARK})`,
);

export function compareWish(text: string, masked: Masked, memory: Memory): readonly Wish[] | null {
  if (!COMPARING.test(text)) return null;
  const pair = sharedName(text, masked) ?? sameNameIn(text, masked) ?? named(text, masked, memory);
  return pair === null || pair[0] === pair[1] ? null : [{ do: "compare", left: pair[0], right: pair[1] }];
}

type Pair = readonly [left: string, right: string];

/** "a.json in x and y": the same name in two places. */
function sharedName(text: string, masked: Masked): Pair | null {
  const match = SHARED.exec(text);
  if (match === null) return null;
  const name = textOf(match[1] ?? "", masked) ?? match[1] ?? "";
  const [left, right] = [textOf(match[2] ?? "", masked), textOf(match[3] ?? "", masked)];
  return left === undefined || right === undefined ? null : [joined(left, name), joined(right, name)];
}

/** "a.json with the one in y": the same name, there. */
function sameNameIn(text: string, masked: Masked): Pair | null {
  const match = ONE_IN.exec(text);
  const [left, place] = match === null ? [] : [textOf(match[1] ?? "", masked), textOf(match[2] ?? "", masked)];
  return left === undefined || place === undefined ? null : [left, joined(place, left.slice(left.lastIndexOf("/") + 1))];
}

function named(text: string, masked: Masked, memory: Memory): Pair | null {
  const [one, other] = thingsIn(text, masked).filter(isName);
  if (one !== undefined && other !== undefined) return [one.text, other.text];
  if (one !== undefined) {
    const words = withoutMarks(text).replaceAll(/\b(?:compare|diff|with|and|to|against|is|are|as)\b/gi, " ");
    const left = pointedAt(words, { ...masked, things: [] }, memory)?.[0]?.path ?? memory.places.at(-1)?.path;
    return left === undefined ? null : [left, one.text];
  }
  const [left, right] = /\b(?:them|both|these|those|the two|differences?|diff$)\b/i.test(text)
    ? memory.places.map(({ path }) => path).slice(-2)
    : plainNames(text);
  return left === undefined || right === undefined ? null : [left, right];
}

function plainNames(text: string): readonly string[] {
  const found = /^(?:compare|diff)\s+(?:the\s+)?([\w.@+-]+)\s+(?:(?:and|with|to|against|vs\.?)\s+)?(?:the\s+)?([\w.@+-]+)$/i.exec(text);
  return found === null ? [] : [found[1] ?? "", found[2] ?? ""];
}

const isName = ({ kind }: Thing): boolean => kind !== "block" && kind !== "url" && kind !== "glob";
const textOf = (words: string, masked: Masked): string | undefined => thingsIn(words, masked)[0]?.text;
