// Push notices, as one browser asks for them.

import { digestOf } from "../auth.ts";
import type { AppPorts } from "../ports.ts";
import { Refusal } from "../problem.ts";
import type { Handlers } from "./handler.ts";

export function pushRoutes({ store, token, pushKey }: AppPorts): Pick<Handlers, "push" | "setPush"> {
  const owner = digestOf(token);
  return {
    async push({ caller }) {
      const own = (await store.browsers(owner)).find(({ id }) => id === caller.browser);
      return { key: pushKey, isOn: own !== undefined && own.push !== null };
    },

    async setPush({ caller, body: { subscription } }) {
      if (caller.browser === null) throw new Refusal("bad-request", "notices are for a browser that is signed in, and this is none");
      if (subscription !== null && pushKey === null)
        throw new Refusal("bad-request", "this daemon sends no push notices; start it with `hallpass serve --push`");
      await store.changeBrowser(caller.browser, { push: subscription === null ? null : JSON.stringify(subscription) });
      return { isOn: subscription !== null };
    },
  };
}
