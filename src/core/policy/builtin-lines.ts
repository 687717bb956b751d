// The builtin lists with what a policy adds to them, line by line. Asked only where a screen says that some line may match, so that the
// hook's bundle has these functions, and the lists with them, in a file of their own.

import { protectedNames } from "./protected.ts";
import { notSecret, secretDirs, secretNames, secretPlaces } from "./secrets.ts";

/** One line of a list of names: it puts what it matches on the list, or takes it out. */
export interface Line {
  readonly pattern: string;
  readonly holds: boolean;
}

export const secretLines = (added: readonly string[]): readonly Line[] => [
  ...[...secretDirs, ...secretPlaces, ...added].map(holds),
  ...notSecret.map(lifts),
  ...secretNames.map(holds),
];

export const protectLines = (added: readonly string[]): readonly Line[] => [...protectedNames, ...added].map(holds);

const holds = (pattern: string): Line => ({ pattern, holds: true });
const lifts = (pattern: string): Line => ({ pattern, holds: false });
