// One browser a file, one context a test. A page that logs an error, throws, or asks another host for anything fails its test.

import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { launchChromium } from "../../scripts/chromium.mjs";
import { routes } from "../../src/wire/http.ts";
import type { WireChat } from "../../src/wire/values.ts";
import { startServer, type TestServer } from "./server.ts";

export interface Stage {
  readonly server: TestServer;
  /** A new window at a place of the pages, with everything that went wrong in it. */
  open(place?: string, options?: BrowserContextOptions): Promise<Window>;
  /** A new session and chat in a workspace, by the wire. */
  chat(workspace?: string): Promise<WireChat>;
}

export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly faults: readonly string[];
  /** Say something to the agent. */
  say(text: string): Promise<void>;
}

export function stage(options: Parameters<typeof startServer>[0] = {}): Stage {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(options), launchChromium()]);
  });
  afterAll(async () => {
    // Either may be missing, if it did not start.
    await (browser as Browser | undefined)?.close();
    await (server as TestServer | undefined)?.close();
  });
  return {
    get server() {
      return server;
    },
    async open(place = "/", contextOptions = {}) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 860 },
        locale: "en-GB",
        timezoneId: "UTC",
        ...contextOptions,
      });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
      page.on("console", (message) => {
        // A request that the daemon refuses is shown to the person; the browser logs it besides.
        if (message.type() === "error" && !/Failed to load resource|WebSocket connection/.test(message.text()))
          faults.push(`console: ${message.text()}`);
      });
      page.on("request", (request) => {
        const { host, protocol } = new URL(request.url());
        if (protocol.startsWith("http") && host !== new URL(server.address).host) faults.push(`asked ${request.url()}`);
      });
      page.setDefaultTimeout(30_000);
      onTestFinished(async () => {
        // A test may end while one of its routes is at work; what that route then finds gone is nobody's fault.
        if (!page.isClosed()) await page.unrouteAll({ behavior: "ignoreErrors" });
        await context.close();
      });
      await page.goto(server.page(place));
      await whenSignedIn(page);
      const say = async (text: string): Promise<void> => {
        const composer = page.getByRole("textbox", { name: "Message to the agent" });
        await composer.fill(text);
        await composer.press("Enter");
      };
      return { page, context, faults, say };
    },
    async chat(workspace = server.tree.path("home/code/shop")) {
      const session = await server.client.send(routes.addSession, { body: { workspace } });
      return server.client.send(routes.addChat, { body: { session: session.id } });
    },
  };
}

/**
 * The token in the address has been exchanged for a credential of this browser's own. Whoever leaves the page before that leaves the exchange
 * behind, and is nobody on the next one.
 */
export async function whenSignedIn(page: Page): Promise<void> {
  await page.waitForFunction(() => localStorage.getItem("hallpass.token") !== null);
}

/** Everything that the page has sent so far has been seen here: what is not there by now was not sent. */
export async function allSent(page: Page): Promise<void> {
  const mark = `/api/health?mark=${Math.random()}`;
  const seen = page.waitForResponse((response) => response.url().endsWith(mark));
  await page.evaluate((url) => fetch(url).then(({ status }) => status), mark);
  await seen;
}

/** Nothing has been drawn or moved for a while: what an event changes, late as it may be on a busy machine, is on the screen. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    (quiet) =>
      new Promise<void>((done) => {
        let timer: ReturnType<typeof setTimeout>;
        const begin = (): void => {
          clearTimeout(timer);
          timer = setTimeout(end, quiet);
        };
        const observer = new MutationObserver(begin);
        const end = (): void => {
          observer.disconnect();
          document.removeEventListener("scroll", begin, true);
          requestAnimationFrame(() => done());
        };
        observer.observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
        document.addEventListener("scroll", begin, true);
        begin();
      }),
    200,
  );
}

/** Takes the clock that the half second is measured by into the test's hands: it stands still, and moves when it is told to. */
export async function holdClock(page: Page): Promise<(milliseconds: number) => Promise<void>> {
  await page.evaluate(() => {
    let now = performance.now();
    Object.defineProperty(performance, "now", { configurable: true, value: () => now });
    Object.assign(window, {
      advanceClock(milliseconds: number) {
        now += milliseconds;
      },
    });
  });
  return async (milliseconds) => {
    await page.evaluate((by) => (Reflect.get(window, "advanceClock") as (by: number) => void)(by), milliseconds);
  };
}

/** Buttons that grant are inert at first; this waits until they are not, as a person does by reading. */
export async function whenArmed(page: Page): Promise<void> {
  await page.locator('[data-state="open"] button[data-grants][aria-disabled="false"]').first().waitFor();
}
