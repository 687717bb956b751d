// `serve` where a daemon runs already: which of its flags say something else than what runs. They were not used, and whoever gave them
// must not believe that they were.

export interface Running {
  /** `http://127.0.0.1:7777` */
  readonly address: string;
  readonly model: string;
  readonly machine: string;
  readonly store: string;
}

/** Flags of `serve` that change nothing about the daemon: where it is, and what is shown. */
const OF_THIS_CALL: ReadonlySet<string> = new Set(["data", "link", "no-open"]);

/** The flags, with dashes, that do not agree with what runs, or of which nobody here can tell. */
export function unusedFlags(given: Readonly<Record<string, unknown>>, running: Running): readonly string[] {
  return Object.entries(given)
    .filter(([flag, value]) => value !== undefined && !OF_THIS_CALL.has(flag) && !agrees(flag, value, running))
    .map(([flag]) => `--${flag}`);
}

function agrees(flag: string, value: unknown, { address, model, machine, store }: Running): boolean {
  const { hostname, port, protocol } = new URL(address);
  switch (flag) {
    case "port":
      return value === "0" || value === (port || (protocol === "https:" ? "443" : "80"));
    case "host":
      // One that listens everywhere says that it is here: an address for others is never taken for agreed.
      return value === hostname.replace(/^\[|\]$/gu, "");
    case "model":
      return value === model;
    case "machine":
      return value === machine;
    case "database":
      return value === "" && store === "sqlite";
    default:
      return false;
  }
}
