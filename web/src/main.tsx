// The beginning: the token from the address, the connection to the daemon, the page.

import "./boot/language.ts";
import "./boot/no-eval.ts";
import "./app.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createClient } from "../../src/wire/client.ts";
import { type WebApp, AppContext } from "./app-context.ts";
import { createQuiet, watchWindow } from "./ask/quiet.ts";
import { takeToken, watchFragment } from "./boot/token.ts";
import { NoToken } from "./first-run/no-token.tsx";
import { watchAttention } from "./frame/attention.ts";
import { Shell } from "./frame/shell.tsx";
import { applyTheme, readTheme } from "./frame/theme.ts";
import { createDaemon } from "./state/daemon.ts";
import { openAsks } from "./state/model.ts";
import { createStore } from "./state/store.ts";

applyTheme(readTheme(localStorage), document.documentElement, localStorage);
const { token, directory } = takeToken(location, history, localStorage);
watchFragment(window);
const element = document.getElementById("root");
if (element !== null) {
  const root = createRoot(element);
  if (token === null) root.render(<NoToken />);
  else
    root.render(
      <StrictMode>
        <AppContext value={started(token)}>
          <Shell />
        </AppContext>
      </StrictMode>,
    );
}

/** Everything that lives as long as the page. */
function started(token: string): WebApp {
  const store = createStore();
  const client = createClient({ address: location.origin, token, fetch: (request) => fetch(request), via: "web" });
  const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/socket`;
  const daemon = createDaemon(client, store, {
    connect: (protocols) => new WebSocket(address, [...protocols]),
    token,
    setTimeout: (work, milliseconds) => setTimeout(work, milliseconds),
  });
  const quiet = createQuiet({ now: () => performance.now(), setTimeout: (work, milliseconds) => setTimeout(work, milliseconds) });
  watchWindow(quiet, window);
  watchAttention(store, document);
  // Cards that come and go move the others; so does the line that says the daemon is gone.
  let shown = "";
  store.listen(() => {
    const state = store.get();
    const now = [state.connection, ...openAsks(state).map(({ id }) => id)].join(" ");
    if (now !== shown) quiet.disturb();
    shown = now;
  });
  daemon.listen();
  return { store, client, daemon, quiet, directory };
}
