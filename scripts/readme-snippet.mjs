// Copies into the documents what must not grow old there: the heart of the first example and what `hallpass explain` prints into README.md,
// whole programs into the guide for embedders. `--check` says whether they are current and writes nothing.

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

/** A whole example. Programs in a guide are short, or they are not read. */
function program(name) {
  const text = readFileSync(at(`examples/${name}.mjs`), "utf8");
  if (text.split("\n").length - 1 > LONGEST) throw new Error(`examples/${name}.mjs has more than ${LONGEST} lines`);
  return `\`\`\`js\n${text}\`\`\``;
}
const LONGEST = 30;

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

/** The text with each block put between `<!-- name -->` and `<!-- /name -->`. */
function exchanged(file, text, blocks) {
  let after = text;
  for (const [name, block] of Object.entries(blocks)) {
    const [from, to] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [start, end] = [after.indexOf(from), after.indexOf(to)];
    if (start === -1 || end < start) throw new Error(`${file} has no ${from} followed by ${to}`);
    after = `${after.slice(0, start + from.length)}\n${block}\n${after.slice(end)}`;
  }
  return after;
}

const words = process.argv.slice(2);
if (words.some((word) => word !== "--check")) throw new Error("readme-snippet.mjs takes --check or nothing");
const programs = ["05-own-tool", "04-agent-behind-your-ui", "12-mcp-in-your-product"];
const documents = {
  "README.md": { "guarded-read": snippet(), explain: await explanations() },
  "docs/guides/library.md": Object.fromEntries(programs.map((name) => [name, program(name)])),
};
for (const [file, blocks] of Object.entries(documents)) {
  const before = readFileSync(at(file), "utf8");
  const after = exchanged(file, before, blocks);
  if (words.includes("--check")) {
    if (before !== after) process.exitCode = 1;
    console.log(before === after ? `${file} is current` : `${file} is not current; run node scripts/readme-snippet.mjs`);
  } else {
    writeFileSync(at(file), after);
    console.log(`${file} ${before === after ? "is as it was" : "written"}`);
  }
}
