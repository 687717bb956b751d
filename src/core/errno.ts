// What the system calls an error. A file of its own: whoever asks for it needs none of our own codes.

/** The system's short word for an error, such as `ENOENT`, or an empty string. */
export function errnoOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
