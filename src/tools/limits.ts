// Every number of the tools in one place. Hosts may lower or raise them; nothing else in the tools counts bytes or lines.

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
}

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
};

/** A regular expression that has not answered by then is stopped. */
export const REGEX_TIME = 2_000;
