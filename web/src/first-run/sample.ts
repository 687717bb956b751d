// Remembers, across a reload, the sample project that this window is showing.

import type { Sample } from "../state/model.ts";

const KEY = "hallpass.sample";

export function storedSample(storage: Storage): Sample | null {
  const fields = new URLSearchParams(storage.getItem(KEY) ?? "");
  const [session, asks, link, secret] = ["session", "asks", "link", "secret"].map((name) => fields.get(name) ?? "");
  return session === undefined || session === "" ? null : { session, asks: asks ?? "", link: link ?? "", secret: secret ?? "" };
}

export function keepSample(storage: Storage, sample: Sample | null): void {
  if (sample === null) storage.removeItem(KEY);
  else storage.setItem(KEY, new URLSearchParams({ ...sample }).toString());
}
