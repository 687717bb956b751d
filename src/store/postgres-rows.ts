// Rows of PostgreSQL. The server keeps types and encodings; the words of closed lists it keeps only while its tables have their checks, so
// they are checked here as well.

import type pg from "pg";
import { collectRows, damageAt, type ResultColumn, wordsOf } from "./columns.ts";

/** The columns of the store's tables, by the numbers of table and column that a result names them with. */
export type ColumnNumbers = ReadonlyMap<number, ReadonlyMap<number, Pick<ResultColumn, "table" | "column">>>;

/** Read once, after the migrations. Tables that are created again later, as by a restored dump, are checked from the next start on. */
export async function readColumnNumbers(client: pg.ClientBase): Promise<ColumnNumbers> {
  const { rows } = await client.query<{ table_number: number; number: number; table: string; column: string }>(
    `select attrelid::int8 as table_number, attnum as number, relname as "table", attname as "column"
     from pg_attribute join pg_class on pg_class.oid = attrelid
     where relnamespace = current_schema()::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped`,
  );
  const tables = new Map<number, Map<number, Pick<ResultColumn, "table" | "column">>>();
  for (const { table_number, number, table, column } of rows) {
    const columns = tables.get(table_number) ?? new Map<number, Pick<ResultColumn, "table" | "column">>();
    tables.set(table_number, columns.set(number, { table, column }));
  }
  return tables;
}

/** The same rows. Throws `DamagedRows` where one holds a word that is not on its column's list. */
export function checkRows<R extends object>(rows: readonly R[], fields: readonly pg.FieldDef[], numbers: ColumnNumbers): readonly R[] {
  const columns = fields.map(({ name, tableID, columnID }): ResultColumn => {
    const { table, column } = numbers.get(tableID)?.get(columnID) ?? { table: null, column: null };
    return { name, table, column };
  });
  const closed = columns.flatMap((column) => {
    const isWord = wordsOf(column);
    return isWord === undefined ? [] : [{ column, isWord }];
  });
  if (closed.length === 0) return rows;
  return collectRows(rows, (row) => {
    const valueOf = ({ name }: ResultColumn): unknown => Reflect.get(row, name);
    const bad = closed.find(({ column, isWord }) => valueOf(column) !== null && !isWord(valueOf(column)));
    return bad === undefined ? { read: row } : { fault: damageAt(bad.column, "type", columns, columns.map(valueOf)) };
  });
}
