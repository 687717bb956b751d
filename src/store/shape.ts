// Checks what a JSON column holds before it is used: a shape is a type guard for one type.

import { isRecord } from "../core/record.ts";
import { type Damage, DamagedRows } from "./damage.ts";

export type Shape<T> = (value: unknown) => value is T;

export const text: Shape<string> = (value) => typeof value === "string";
export const number: Shape<number> = (value) => typeof value === "number";
export const truth: Shape<boolean> = (value) => typeof value === "boolean";
const nothing: Shape<null> = (value) => value === null;

/** Any text but the empty one. */
export function id<T extends string>(): Shape<T> {
  return (value): value is T => typeof value === "string" && value !== "";
}

export function oneOf<const W extends string>(...values: readonly W[]): Shape<W> {
  const accepted: ReadonlySet<unknown> = new Set(values);
  return (value): value is W => accepted.has(value);
}

export function list<T>(item: Shape<T>): Shape<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every((one) => item(one));
}

export function either<A, B, C = never>(a: Shape<A>, b: Shape<B>, c?: Shape<C>): Shape<A | B | C> {
  return (value): value is A | B | C => a(value) || b(value) || c?.(value) === true;
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return either(shape, nothing);
}

/** What an earlier version did not write. */
export function perhaps<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value): value is T | undefined => value === undefined || shape(value);
}

/** An object with these fields, each of its own shape. Further fields are let be. */
export function fields<T extends object>(shapes: { readonly [K in keyof T]-?: Shape<T[K]> }): Shape<T> {
  const checks = Object.entries<Shape<unknown>>(shapes);
  return (value): value is T => isRecord(value) && checks.every(([name, check]) => check(value[name]));
}

/** The value that stands in a JSON column. Throws `DamagedRows` where it is not of that shape: then somebody else wrote it. */
export function parsed<T>(json: string, shape: Shape<T>, place: Omit<Damage, "fault">): T {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new DamagedRows([{ ...place, fault: "json" }], [], { cause });
  }
  if (!shape(value)) throw new DamagedRows([{ ...place, fault: "shape" }]);
  return value;
}
