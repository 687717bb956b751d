// The beginning: the token from the address, the connection to the daemon, the page.

import "./boot/language.ts";
import "./boot/no-eval.ts";
import "./app.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { messageOf } from "../../src/core/record.ts";
import { createClient } from "../../src/wire/client.ts";
import { type WebApp, AppContext } from "./app-context.ts";
import { createQuiet, watchWindow } from "./ask/quiet.ts";
import { signIn } from "./boot/sign-in.ts";
import { forgetToken, storedToken, takeFragment, watchFragment } from "./boot/token.ts";
import { NoToken } from "./first-run/no-token.tsx";
import { keepSample, storedSample } from "./first-run/sample.ts";
import { watchAttention } from "./frame/attention.ts";
import { Shell } from "./frame/shell.tsx";
import { applyTheme, readTheme } from "./frame/theme.ts";
import { createDaemon } from "./state/daemon.ts";
import { openAsks } from "./state/model.ts";
import { createStore } from "./state/store.ts";

applyTheme(readTheme(localStorage), document.documentElement, localStorage);
const { given: tokenOrCode, directory } = takeFragment(location, history);
watchFragment(window);
const element = document.getElementById("root");
if (element !== null) {
  const root = createRoot(element);
  const open = (token: string | null, failed: string | null): void => {
    if (token === null) return root.render(<NoToken key={failed} failed={failed} />);
    root.render(
      <StrictMode>
        <AppContext value={startApp(token)}>
          <Shell />
        </AppContext>
      </StrictMode>,
    );
  };
  const before = storedToken(localStorage);
  if (tokenOrCode === null) open(before, null);
  else
    signIn(tokenOrCode, { address: location.origin, agent: navigator.userAgent, storage: localStorage }).then(
      (token) => open(token, null),
      (error: unknown) => open(before, messageOf(error)),
    );
}

/** Everything that lives as long as the page. */
function startApp(token: string): WebApp {
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
  store.put({ type: "sample", sample: storedSample(sessionStorage) });
  store.listen(() => keepSample(sessionStorage, store.get().sample));
  // Cards that come and go move the others; so does the line that says the daemon is gone.
  let previous = "";
  store.listen(() => {
    const state = store.get();
    if (state.connection === "refused") forgetToken(localStorage);
    const now = [state.connection, ...openAsks(state).map(({ id }) => id)].join(" ");
    if (now !== previous) quiet.disturb();
    previous = now;
  });
  daemon.listen();
  return { store, client, daemon, quiet, directory };
}
