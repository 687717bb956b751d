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
      onTestFinished(() => context.close());
      await page.goto(server.page(place));
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

/** Buttons that grant are inert at first; this waits until they are not, as a person does by reading. */
export async function whenArmed(page: Page): Promise<void> {
  await page.locator('[data-state="open"] button[data-grants][aria-disabled="false"]').first().waitFor();
}
