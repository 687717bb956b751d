// A real Chromium for tests and pictures: the machine's own, or the one inside the npm package, which needs no installation. Nothing is
// downloaded.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
  "--disable-lcd-text",
];

/** Start it; close it when done. */
export async function launchChromium() {
  const named = process.env.HALLPASS_CHROMIUM;
  const own = named ?? PLACES.find((place) => existsSync(place));
  if (own !== undefined) return chromium.launch({ executablePath: own, args: FLAGS, headless: true });
  const { default: packed } = await import("@sparticuz/chromium");
  const args = packed.args.filter(
    (flag) => !/^--(headless|single-process|no-zygote|window-size|start-maximized|hide-scrollbars)/.test(flag),
  );
  return chromium.launch({ executablePath: await packed.executablePath(), args: [...args, ...FLAGS], headless: true });
}
