// Times for people: the clock for today, the date before that.

/** `14:03`, or `12 Nov, 14:03` on another day than `now`. */
export function clockTime(at: number, now: number): string {
  const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" }).format(at);
  if (new Date(at).toDateString() === new Date(now).toDateString()) return isolated(time);
  return isolated(`${new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" }).format(at)}, ${time}`);
}

/** To the second, for the record. */
export function exactTime(at: number): string {
  return isolated(new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" }).format(at));
}

/** What is written from right to left keeps its order inside of our English. */
const isolated = (text: string): string => (/[\u0590-\u08ff]/.test(text) ? `\u2068${text}\u2069` : text);
