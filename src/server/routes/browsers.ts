// Browsers: signed in with the person's token or by a code, each with a credential of its own; listed, and signed out.

import { randomBytes } from "node:crypto";
import { digestOf } from "../auth.ts";
import { createPairing } from "../pairing.ts";
import type { AppPorts } from "../ports.ts";
import { notFound, Refusal } from "../problem.ts";
import type { Handlers } from "./handler.ts";

/** So many may be signed in; more are nobody's. */
const MOST = 100;

type BrowserRoute = "listBrowsers" | "addBrowser" | "removeBrowser" | "addPairing" | "pair";

export function browserRoutes(ports: AppPorts): Pick<Handlers, BrowserRoute> {
  const { store, clock, ids, hub, log } = ports;
  const owner = digestOf(ports.token);
  const pairing = createPairing(clock);
  const listed = async (own: string | null) =>
    (await store.browsers(owner)).map(({ id, name, at, seenAt }) => ({ id, name, at, seenAt, isThis: id === own }));
  const remove = async (id: string): Promise<boolean> => {
    if (!(await store.removeBrowser(owner, id))) return false;
    hub.signOut(id);
    log.info({ browser: id }, "a browser was signed out");
    return true;
  };
  const admit = async (name: string, how: string) => {
    if ((await store.browsers(owner)).length >= MOST)
      throw new Refusal("rate-limited", `${MOST} browsers are signed in; sign some of them out first: hallpass browsers`);
    const token = randomBytes(32).toString("base64url");
    const id = ids();
    await store.addBrowser({ id, digest: digestOf(token), owner, name, at: clock(), seenAt: clock(), push: null });
    log.info({ browser: id, how }, "a browser was signed in");
    return { id, token };
  };
  return {
    listBrowsers: ({ caller }) => listed(caller.browser),

    async addBrowser({ body: { name, replaces } }) {
      const replaced = replaces === undefined ? null : await store.browser(digestOf(replaces));
      if (replaced !== null) await remove(replaced.id);
      return admit(name, "token");
    },

    async removeBrowser({ id, caller }) {
      if (!(await remove(id))) throw notFound();
      return listed(caller.browser);
    },

    async addPairing() {
      return { ...pairing.open(), address: ports.reachable() };
    },

    async pair({ body: { code, name } }) {
      const outcome = pairing.take(code);
      if (outcome === "too-often") throw new Refusal("rate-limited", "too many codes were tried; wait a minute");
      if (outcome === "wrong")
        throw new Refusal("unauthenticated", "the code is wrong, used, or older than five minutes; `hallpass pair` makes another");
      return admit(name, "code");
    },
  };
}
