// Tells a person whose pages are closed that an agent waits. It says nothing an agent wrote: a notice is read on locked screens. Keeps
// nothing, and answers no request of the pages.

self.addEventListener("push", (event) => {
  const said = (() => {
    try {
      return event.data.json();
    } catch {
      return {};
    }
  })();
  const ask = typeof said.ask === "string" && /^[\w-]{1,128}$/.test(said.ask) ? said.ask : null;
  event.waitUntil(
    self.registration.showNotification("An agent is waiting for you", {
      body: "Open Hallpass to see what it asks for.",
      icon: "/icon-192.png",
      tag: ask ?? "hallpass",
      data: { place: ask === null ? "/#/inbox" : `/#/asks/${ask}` },
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(event.notification.data.place));
});
