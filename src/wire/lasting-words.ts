// What lists and pages say of a recorded answer or grant.

/** How long a recorded yes or grant lasts, in words; empty for what is neither. */
export function lastsWords(event: Readonly<Record<string, unknown>>, time: (at: number) => string): string {
  const { until, expires } = event;
  if (until === "call") return "once";
  if (until === "always") return "for good";
  if (until === "time") return typeof expires === "number" ? `until ${time(expires)}` : "for a limited time";
  return until === "session" ? "for the session" : "";
}
