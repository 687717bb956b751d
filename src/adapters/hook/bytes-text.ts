// Bytes as text, in as few of Node's functions as can be: a hook is a process a call, and each of them that is used the first time is
// compiled first.

/** What the bytes say as UTF-8. `toString` is JavaScript of Node's own; the method behind it is there already. */
export function textFrom(bytes: Uint8Array): string {
  const quick: unknown = Reflect.get(Buffer.prototype, "utf8Slice");
  const text: unknown = typeof quick === "function" ? Reflect.apply(quick, bytes, [0, bytes.length]) : undefined;
  return typeof text === "string" ? text : Buffer.from(bytes).toString("utf8");
}
