// The system's code of an error. In its own file, so that its users need none of our own codes.

/** The system's short word for an error, such as `ENOENT`, or an empty string. */
export function errnoOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Does the system refuse to write there, by its permissions or because the file system is read-only? */
export function isWriteRefused(error: unknown): boolean {
  return ["EACCES", "EPERM", "EROFS"].includes(errnoOf(error) ?? "");
}
