// Times for people: the clock for today, the date before that; and how long something still lasts.

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

/** `12 s`, `5 min`, `2 h`, `3 d`: how much time lies between two moments. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 36 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}
