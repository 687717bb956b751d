// Somebody is waiting: it is in the title, in the icon of the tab, and in a notification if the person has allowed those.

import type { StateStore } from "../state/store.ts";
import { openAsks } from "../state/model.ts";

/** The title of the page, with the number of open asks. */
export function titleFor(waiting: number): string {
  return waiting === 0 ? "Hallpass" : `(${waiting}) waiting for you · Hallpass`;
}

export function watchAttention(store: StateStore, document: Document): void {
  let before = 0;
  const notified = new Set<string>();
  const look = (): void => {
    const open = openAsks(store.get());
    for (const { id } of open) {
      if (notified.has(id)) continue;
      notified.add(id);
      if (document.visibilityState === "hidden" || !document.hasFocus()) notify(id);
    }
    if (open.length === before && document.title === titleFor(open.length)) return;
    before = open.length;
    document.title = titleFor(open.length);
    document.getElementById("favicon")?.setAttribute("href", open.length === 0 ? "/favicon.svg" : "/favicon-waiting.svg");
  };
  store.listen(look);
  look();
}

/** Says that somebody waits, and nothing an agent wrote: a notification is read on locked screens. */
function notify(ask: string): void {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  const notification = new Notification("An agent is waiting for you", { body: "Open Hallpass to see what it asks for.", tag: ask });
  notification.addEventListener("click", () => {
    window.focus();
    window.location.hash = "/inbox";
    notification.close();
  });
}
