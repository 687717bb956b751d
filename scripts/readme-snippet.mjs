// Copies into README.md what must not grow old there: the heart of the first example, and what `hallpass explain` prints. `--check`
// says whether the README is current and writes nothing.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { demo } from "./pictures.mjs";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** What stands in the example between its marks. */
function snippet() {
  const text = readFileSync(at("examples/01-guarded-read.mjs"), "utf8");
  const found = /^\/\/ readme: begin\n(.*?)^\/\/ readme: end$/ms.exec(text)?.[1];
  if (found === undefined) throw new Error("examples/01-guarded-read.mjs has no `// readme: begin` and `// readme: end`");
  return `\`\`\`js\n${found}\`\`\``;
}

async function explanations() {
  const runs = await demo(
    [
      ["explain", "notes.txt"],
      ["explain", "--grant", "../library", "--operation", "replace", "../library/go.mod"],
      ["explain", "--operation", "create", ".git/hooks/post-commit"],
    ],
    { color: false },
  );
  return `\`\`\`text\n${runs.map(({ words, text }) => `~/code/app $ hallpass ${words.join(" ")}\n${text}`).join("\n\n")}\n\`\`\``;
}

/** The text between `<!-- name -->` and `<!-- /name -->`, exchanged. */
function exchanged(text, name, block) {
  const [from, to] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, end] = [text.indexOf(from), text.indexOf(to)];
  if (start === -1 || end < start) throw new Error(`README.md has no ${from} followed by ${to}`);
  return `${text.slice(0, start + from.length)}\n${block}\n${text.slice(end)}`;
}

const words = process.argv.slice(2);
if (words.some((word) => word !== "--check")) throw new Error("readme-snippet.mjs takes --check or nothing");
const before = readFileSync(at("README.md"), "utf8");
const after = exchanged(exchanged(before, "guarded-read", snippet()), "explain", await explanations());
if (words.includes("--check")) {
  if (before !== after) process.exitCode = 1;
  console.log(before === after ? "README.md is current" : "README.md is not current; run node scripts/readme-snippet.mjs");
} else {
  writeFileSync(at("README.md"), after);
  console.log(`README.md ${before === after ? "is as it was" : "written"}`);
}
