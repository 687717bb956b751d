// Bundles what draws a terminal: Ink, and what a chat's first picture needs of the program, in one file (terminal-body.cjs) with the
// code V8 made of it beside it. As modules, read one by one and compiled anew, they would take three times as long.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { addLoader, buildBody } from "./kept-bundle.mjs";

const project = fileURLToPath(new URL("../", import.meta.url));

/** Build it into `outdir` (absolute). */
export async function buildTerminal(outdir) {
  await buildBody("terminal", "src/cli/chat-picture.ts", outdir, {
    define: { "process.env.NODE_ENV": '"production"', "import.meta.url": '""' },
    plugins: [leanInk],
  });
  const { status, stderr } = addLoader("terminal", outdir, drawing);
  if (status !== 0 && status !== null) throw new Error(`the terminal's bundle cannot draw: ${stderr}`);
}

/** The main bundle's part: who asks for the screen gets it from the file above, so that there is one Ink in a process. */
export const screenElsewhere = {
  name: "screen-elsewhere",
  setup(building) {
    building.onLoad({ filter: /\/src\/repl\/screen\.ts$/ }, () => ({
      contents: `import { createRequire } from "node:module";
export const { openScreen } = createRequire(import.meta.url)("./terminal.cjs");`,
    }));
  },
};

/** Text with its one `part` changed; a package that no longer has it fails the build. */
function changed(file, text, part, to) {
  const after = text.replace(part, to);
  if (after === text) throw new Error(`${file} is not what it was: ${part} is missing`);
  return after;
}

// Of Ink, the developer's tools are left out, and so is its guess that nobody watches where CI is set. What lays out its boxes comes as
// WebAssembly within a data URL, which it would fetch: that alone loads all of Node's HTTP. Here it is made of its bytes, at once.
const leanInk = {
  name: "lean-ink",
  setup(building) {
    building.onResolve({ filter: /^is-in-ci$/ }, ({ path }) => ({ path, namespace: "left-out" }));
    building.onLoad({ filter: /.*/, namespace: "left-out" }, () => ({ contents: "export default false;" }));
    // One rule for how wide a letter is, ours: Ink's own takes longer to make ready than all the rest of a picture.
    building.onResolve({ filter: /^string-width$/ }, ({ path }) => ({ path, namespace: "our-width" }));
    building.onLoad({ filter: /.*/, namespace: "our-width" }, () => ({
      contents: `import { columns } from "./src/repl/columns.ts";
export default (text) => columns(text.replace(/\\u001b\\[[0-9;]*m/g, ""));`,
      resolveDir: project,
    }));
    building.onLoad({ filter: /\/ink\/build\/reconciler\.js$/ }, async ({ path }) => {
      const text = changed(path, await readFile(path, "utf8"), "await import('./devtools.js');", "");
      return { contents: changed(path, text, "await loadPackageJson()", "{}") };
    });
    building.onLoad({ filter: /\/yoga-wasm-base64-esm\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const data = /"data:application\/octet-stream;base64,([A-Za-z0-9+/=]+)"/u;
      const bytes = data.exec(text)?.[1];
      return { contents: `${changed(path, text, data, '""')}\nexport const bytes = "${bytes}";` };
    });
    building.onLoad({ filter: /\/yoga-layout\/dist\/src\/index\.js$/ }, async ({ path }) => {
      const text = changed(path, await readFile(path, "utf8"), "import loadYoga from", "import loadYoga, { bytes } from");
      const atOnce = `const made = {
  instantiateWasm(imports, receive) {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(bytes, "base64")), imports);
    receive({ exports });
    return exports;
  },
};
loadYoga(made);
const Yoga = wrapAssembly(made);`;
      return { contents: changed(path, text, "const Yoga = wrapAssembly(await loadYoga());", atOnce) };
    });
  },
};

/** A program that draws a chat's first picture into nowhere. */
const drawing = (loader) => `const { openScreen, drawChat } = require(${loader});
const { Writable } = require("node:stream");
const nowhere = Object.assign(new Writable({ write: (_text, _encoding, done) => done() }), { isTTY: true, columns: 80, rows: 24 });
const streams = { input: { isTTY: true, setRawMode() {} }, output: nowhere, errors: nowhere, colour: true };
const screen = drawChat([], streams, process.cwd());
setTimeout(() => screen.close(), 50);`;
