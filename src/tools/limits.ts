// Every number of the tools in one place. Hosts may lower or raise them; nothing else in the tools counts bytes or lines.

/** How much a tool reads, writes and returns at most. */
export interface Limits {
  /** A file read whole. */
  readonly fileBytes: number;
  /** A file read by a window of lines; only the window is returned. */
  readonly windowFileBytes: number;
  /** A file written. */
  readonly writeBytes: number;
  /** Entries of a listing, files of a find, lines of a grep. */
  readonly entries: number;
  readonly files: number;
  readonly matches: number;
  /** A line shown by grep, in characters. */
  readonly lineLength: number;
  /** A file searched by grep; larger ones are passed over and counted. */
  readonly searchFileBytes: number;
  /** A search, in milliseconds; a regular expression may be slow on purpose. */
  readonly searchTime: number;
  /** A command, in milliseconds: unless the call says otherwise, and at the most. */
  readonly commandTime: number;
  readonly commandTimeMost: number;
  /** What is kept of each of a command's two outputs, in bytes, and what of it is shown at once, in characters. */
  readonly commandOutputBytes: number;
  readonly commandShown: number;
}

/** The default limits of tools. */
export const defaultLimits: Limits = {
  fileBytes: 1_048_576,
  windowFileBytes: 32 * 1_048_576,
  writeBytes: 8 * 1_048_576,
  entries: 2_000,
  files: 2_000,
  matches: 500,
  lineLength: 500,
  searchFileBytes: 8 * 1_048_576,
  searchTime: 10_000,
  commandTime: 120_000,
  commandTimeMost: 600_000,
  commandOutputBytes: 1_048_576,
  commandShown: 30_000,
};

/** A regular expression that has not answered by then is stopped. */
export const REGEX_TIME = 2_000;
