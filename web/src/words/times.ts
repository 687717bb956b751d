// Times for people: the clock for today, the date before that.

/** `14:03`, or `12 Nov, 14:03` on another day than `now`. */
export function clockTime(at: number, now: number): string {
  const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" }).format(at);
  if (new Date(at).toDateString() === new Date(now).toDateString()) return time;
  return `${new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" }).format(at)}, ${time}`;
}

/** To the second, for the record. */
export function exactTime(at: number): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" }).format(at);
}
