// Queries that are built once. Kysely puts a query together and writes its SQL anew each time, which costs several times what the
// database needs for a row; here that is done at the first use, and afterwards only the values differ. Where the database says how, what
// is built goes to it past Kysely.

import { type Compilable, type CompiledQuery, type OperationNodeSource, type QueryResult, sql } from "kysely";
import type { Db, PathList } from "./db.ts";

/** What can stand in a query in the place of a value. */
export type Value = string | number | null | PathList | readonly (string | null)[];

type Run = <R>(query: CompiledQuery<R>) => Promise<QueryResult<R>>;
const straight = new WeakMap<Db, Run>();

/** What is built already is run by `run` from here on, not by Kysely. */
export function runStraight(db: Db, run: Run): void {
  straight.set(db, run);
}

/** A query that is built once: to be run with values, or to be had with them, ready to be run. */
export interface Statement<V extends readonly Value[], R> {
  (db: Db, ...values: V): Promise<QueryResult<R>>;
  ready(db: Db, ...values: V): CompiledQuery<R>;
}

/**
 * The query that `build` makes with any values. INVARIANT: `build` does nothing with its values but hand them to the builder, so that what
 * it makes is the same for all of them; it is called with marks instead, once for each kind of database and each number of values.
 */
export function statement<V extends readonly Value[], R>(build: (db: Db, ...values: V) => Compilable<R>): Statement<V, R> {
  const templates = new WeakMap<object, Map<number, Template<R>>>();
  const templateFor = (db: Db, count: number): Template<R> => {
    const { adapter } = db.getExecutor();
    let ofKind = templates.get(adapter);
    if (ofKind === undefined) templates.set(adapter, (ofKind = new Map<number, Template<R>>()));
    let template = ofKind.get(count);
    if (template === undefined) ofKind.set(count, (template = templateOf(build, db, count)));
    return template;
  };
  const ready = (db: Db, ...values: V): CompiledQuery<R> => {
    const { query, places } = templateFor(db, values.length);
    return { ...query, parameters: places.map((place, at) => (place === null ? query.parameters[at] : values[place])) };
  };
  const run = (db: Db, ...values: V): Promise<QueryResult<R>> => {
    const query = ready(db, ...values);
    return straight.get(db)?.(query) ?? db.executeQuery(query);
  };
  return Object.assign(run, { ready });
}

/** Queries that are asked together, by their names, and what each gives. */
type Queries<Q> = { readonly [K in keyof Q]: Compilable<Q[K]> & OperationNodeSource };
export type Gathered<Q> = { readonly [K in keyof Q]: readonly Q[K][] };

/**
 * Several queries that read, each built once. `atOnce` has them as one statement of PostgreSQL, which answers all of them as of one moment
 * and in one round trip; `inTurn` as a statement each, where a statement costs little. The rows are the same: texts, numbers that a JavaScript number
 * holds, nulls and lists of texts, which is what columns hold here and what JSON carries unchanged.
 */
export interface Together<V extends readonly Value[], Q> {
  atOnce(db: Db, ...values: V): Promise<Gathered<Q>>;
  inTurn(db: Db, ...values: V): Promise<Gathered<Q>>;
}

export function together<V extends readonly Value[], Q extends object>(build: (db: Db, ...values: V) => Queries<Q>): Together<V, Q> {
  const entries = (db: Db, values: V) => Object.entries<OperationNodeSource & Compilable>(build(db, ...values));
  const one = statement((db, ...values: V) =>
    db.selectNoFrom(
      entries(db, values).map(([name, query]) => sql`(select coalesce(json_agg(one), '[]') from (${query}) as one)`.as(name)),
    ),
  );
  const each = new Map<string, Statement<V, unknown>>();
  return {
    async atOnce(db, ...values) {
      const gathered: unknown = (await one(db, ...values)).rows[0];
      if (!isGathered<Q>(gathered)) throw new TypeError("a statement without a table gives one row");
      return gathered;
    },
    async inTurn(db, ...values) {
      if (each.size === 0)
        for (const [name] of entries(db, values))
          each.set(
            name,
            statement((its, ...given: V) => queryOf(entries(its, given), name)),
          );
      const gathered: Record<string, readonly unknown[]> = {};
      for (const [name, query] of each) gathered[name] = (await query(db, ...values)).rows;
      const found: unknown = gathered;
      if (!isGathered<Q>(found)) throw new TypeError("every query gives rows");
      return found;
    },
  };
}

function queryOf(entries: readonly (readonly [string, Compilable])[], name: string): Compilable {
  const query = entries.find(([one]) => one === name)?.[1];
  if (query === undefined) throw new TypeError("queries that are built once are always the same");
  return query;
}

/** What the rows are is what the queries asked for; Kysely worked that out from the tables. */
function isGathered<Q>(value: unknown): value is Gathered<Q> {
  return typeof value === "object" && value !== null && Object.values(value).every(Array.isArray);
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
