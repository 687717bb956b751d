// Queries that are built once. Kysely puts a query together and writes its SQL anew each time, which costs several times what the
// database needs for a row; here that is done at the first use, and afterwards only the values differ. Where the database says how, what
// is built goes to it past Kysely.

import type { Compilable, CompiledQuery, QueryResult } from "kysely";
import type { Db, PathList } from "./db.ts";

/** What can stand in a query in the place of a value. */
export type Value = string | number | null | PathList | readonly (string | null)[];

type Run = <R>(query: CompiledQuery<R>) => Promise<QueryResult<R>>;
const straight = new WeakMap<Db, Run>();

/** What is built already is run by `run` from here on, not by Kysely. */
export function runStraight(db: Db, run: Run): void {
  straight.set(db, run);
}

/**
 * The query that `build` makes with any values. INVARIANT: `build` does nothing with its values but hand them to the builder, so that what
 * it makes is the same for all of them; it is called with marks instead, once for each kind of database and each number of values.
 */
export function statement<V extends readonly Value[], R>(
  build: (db: Db, ...values: V) => Compilable<R>,
): (db: Db, ...values: V) => Promise<QueryResult<R>> {
  const templates = new WeakMap<object, Map<number, Template<R>>>();
  const templateFor = (db: Db, count: number): Template<R> => {
    const { adapter } = db.getExecutor();
    let ofKind = templates.get(adapter);
    if (ofKind === undefined) templates.set(adapter, (ofKind = new Map<number, Template<R>>()));
    let template = ofKind.get(count);
    if (template === undefined) ofKind.set(count, (template = templateOf(build, db, count)));
    return template;
  };
  return (db, ...values) => {
    const { query, places } = templateFor(db, values.length);
    const ready = { ...query, parameters: places.map((place, at) => (place === null ? query.parameters[at] : values[place])) };
    const run = straight.get(db);
    return run === undefined ? db.executeQuery(ready) : run(ready);
  };
}

interface Template<R> {
  readonly query: CompiledQuery<R>;
  /** For each parameter of the SQL which value it takes; null for one that is always the same. */
  readonly places: readonly (number | null)[];
}

function templateOf<V extends readonly Value[], R>(build: (db: Db, ...values: V) => Compilable<R>, db: Db, count: number): Template<R> {
  const marks = Array.from({ length: count }, (_, at) => `\0 value ${at}`);
  const standing: unknown = marks;
  if (!stands<V>(standing)) throw new TypeError("a mark stands for any value");
  const query = build(db, ...standing).compile();
  const places = query.parameters.map((parameter) => {
    const place = typeof parameter === "string" ? marks.indexOf(parameter) : -1;
    return place < 0 ? null : place;
  });
  return { query, places };
}

/** A mark is put through the builder and never looked at, so it may stand for a value of any type. */
function stands<V>(marks: unknown): marks is V {
  return Array.isArray(marks);
}
