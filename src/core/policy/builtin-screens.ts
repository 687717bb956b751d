// The screens of the builtin lists. Functions without arguments, of plain data: the hook's bundle holds their results instead.

import { protectedNames } from "./protected.ts";
import { type Screen, screenOf } from "./screen.ts";
import { notSecret, secretDirs, secretNames, secretPlaces } from "./secrets.ts";

export const secretScreen = (): Screen => screenOf([...secretDirs, ...secretPlaces, ...notSecret, ...secretNames]);
export const protectScreen = (): Screen => screenOf(protectedNames);
