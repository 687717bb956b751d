// `npm start`: builds what is missing or older than its source, then starts the daemon and opens its page.

import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

function newest(dir) {
  if (!existsSync(dir)) return 0;
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, { parentPath, name }) => Math.max(latest, statSync(`${parentPath}/${name}`).mtimeMs), 0);
}

const built = existsSync(at("dist/cli.js")) ? statSync(at("dist/cli.js")).mtimeMs : 0;
// In an installed package there is nothing to build from.
if (existsSync(at("src")) && (built === 0 || Math.max(newest(at("src")), newest(at("web"))) > built)) await import("./build.mjs");
const { main } = await import("../dist/cli.js");
await main(["serve", ...process.argv.slice(2)]);
