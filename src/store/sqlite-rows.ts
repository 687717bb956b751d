// Rows of SQLite as bytes. libsql ends the process over a text that is not UTF-8, and other drivers read it as another text; so a query
// gives each row as one JSON array, as a blob, which is decoded here: what is not of its column's type or encoding is told by name.

import { collectRows, damageAt, type ResultColumn, wordsOf } from "./columns.ts";
import type { Damage } from "./damage.ts";
import { number, type Shape, text } from "./shape.ts";

/** As libsql tells it. */
interface TypedColumn extends ResultColumn {
  readonly type: string | null;
}

export interface Column extends TypedColumn {
  readonly isOfType: Shape<unknown>;
}

export function columnsOf(described: readonly TypedColumn[]): readonly Column[] {
  return described.map((column) => ({ ...column, isOfType: typeOf(column) }));
}

function typeOf(column: TypedColumn): Shape<unknown> {
  if (column.type === null) return (_value): _value is unknown => true;
  return column.type === "INTEGER" ? number : (wordsOf(column) ?? text);
}

/** The same query, with each row as one blob. */
export function asBytes(sql: string, columns: readonly Column[]): string {
  const writes = /^(?:insert|update|delete)\b/i.test(sql);
  const values = columns.map(({ name, column, type }) => valueOf(`"${writes ? (column ?? name) : name}"`, type));
  const row = `cast(json_array(${values.join(", ")}) as blob) as row`;
  if (!writes) return `select ${row} from (${sql})`;
  return `${sql.slice(0, sql.lastIndexOf(" returning "))} returning ${row}`;
}

/** JSON holds no blob, and 15 digits of a real number: those come as text. What is of another type comes as what its check refuses. */
function valueOf(column: string, type: string | null): string {
  if (type === "REAL") return `case typeof(${column}) when 'real' then printf('%!.17g', ${column}) when 'null' then null else 0 end`;
  return `iif(typeof(${column}) = 'blob', ${type === "TEXT" ? "0" : "''"}, ${column})`;
}

/** The rows that these bytes are. Throws `DamagedRows` where one cannot be read. */
export function decodeRows(blobs: readonly unknown[], columns: readonly Column[]): readonly object[] {
  return collectRows(blobs, (blob) => decodeRow(blob, columns));
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeRow(blob: unknown, columns: readonly Column[]): { readonly read: object } | { readonly fault: Damage } {
  if (!isBytes(blob)) throw new TypeError("a row is a blob");
  const [values, isText] = valuesIn(blob.row);
  const read: Record<string, unknown> = {};
  let at = 0;
  for (const column of columns) {
    const value = values[at++] ?? null;
    if (value !== null) {
      if (!isText && typeof value === "string" && !isUtf8(value)) return { fault: damageAt(column, "encoding", columns, values) };
      if (!column.isOfType(value)) return { fault: damageAt(column, "type", columns, values) };
    }
    read[column.name] = column.type === "REAL" && value !== null ? Number(value) : value;
  }
  return { read };
}

/** In the second place: is it text? Else each string holds the bytes of a text, one a character. */
function valuesIn(bytes: ArrayBuffer): readonly [readonly unknown[], boolean] {
  try {
    return [listIn(strict.decode(bytes)), true];
  } catch {
    return [listIn(Buffer.from(bytes).toString("latin1")), false];
  }
}

/** Are these bytes, one a character, UTF-8? */
function isUtf8(bytes: string): boolean {
  try {
    strict.decode(Buffer.from(bytes, "latin1"));
    return true;
  } catch {
    return false;
  }
}

function listIn(json: string): readonly unknown[] {
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list : [];
}

function isBytes(value: unknown): value is { readonly row: ArrayBuffer } {
  return typeof value === "object" && value !== null && "row" in value && typeof value.row === "object" && value.row !== null;
}
