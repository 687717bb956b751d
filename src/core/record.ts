// Values that may be anything, read without trust: JSON, and what was thrown.

/** Is it an object with keys, as JSON has them, and no list? */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value a text is JSON of; null where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The text at a key; empty where there is none. */
export function textAt(record: Readonly<Record<string, unknown>>, key: string): string {
  const value = record[key];
  return typeof value === "string" ? value : "";
}

/** What whatever was thrown says. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
