// Two texts line by line: which lines are only in the one or the other. Exact for texts that differ in a few thousand lines; where
// they differ in more, the parts between the common beginning and the common end are given as they are.

export interface Difference {
  readonly side: "left" | "right";
  /** Counted from 1, in its own text. */
  readonly line: number;
  readonly text: string;
}

/** The most cells of the table of common lines: about a megabyte. */
const CELLS = 500_000;

export function differences(left: string, right: string): readonly Difference[] {
  const one = linesOf(left);
  const other = linesOf(right);
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const middle = { left: one.slice(start, one.length - end), right: other.slice(start, other.length - end) };
  return between(middle.left, middle.right).map((found) => ({ ...found, line: found.line + start }));
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  return text.endsWith("\n") ? lines.slice(0, -1) : lines;
}

function between(left: readonly string[], right: readonly string[]): readonly Difference[] {
  if (left.length * right.length > CELLS || left.length === 0 || right.length === 0)
    return [...left.map((text, at) => only("left", at, text)), ...right.map((text, at) => only("right", at, text))];
  // common[i][j]: the longest run of common lines in left from i and right from j.
  const width = right.length + 1;
  const common = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i -= 1)
    for (let j = right.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        left[i] === right[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
  const found: Difference[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const down = common[(i + 1) * width + j] ?? -1;
    const across = j < right.length ? (common[i * width + j + 1] ?? -1) : -1;
    if (i < left.length && j < right.length && left[i] === right[j]) {
      i += 1;
      j += 1;
    } else if (j >= right.length || (i < left.length && down >= across)) {
      found.push(only("left", i, left[i] ?? ""));
      i += 1;
    } else {
      found.push(only("right", j, right[j] ?? ""));
      j += 1;
    }
  }
  return found;
}

const only = (side: Difference["side"], at: number, text: string): Difference => ({ side, line: at + 1, text });
