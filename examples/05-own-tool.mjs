// Guard a tool of your own: count_words never opens a path; Hallpass decides, and reads for it. The model gets a sentence, whatever happens.

import assert from "node:assert/strict";
import { open } from "hallpass";
import { makeHome } from "./files.mjs";

const home = makeHome({ "app/notes.md": "one two three\n", "app/.env": "TOKEN=1\n", "library/go.mod": "module library\n" });
const hallpass = await open({ workspace: `${home}/app`, home });
console.log(hallpass.found); // The workspace, the policy files that hold, and what is wrong with them.

/** Your dialog. This person says yes. */
const askPerson = async (ask) => ({ verdict: "allow", until: "session", by: `ada, asked about ${ask.requested}` });

async function countWords(path) {
  const file = await hallpass.read(path);
  if (file.verdict === "allow") return `${file.text().split(/\s+/).filter(Boolean).length} words`;
  if (file.verdict === "deny") return file.hint;
  const answered = await hallpass.answer(file.ask, await askPerson(file.ask));
  return answered.ok ? countWords(path) : answered.message;
}

for (const [path, expected] of [
  ["notes.md", /^3 words$/],
  ["missing.md", /does not exist/],
  [".env", /on the list of secrets/],
  ["../library/go.mod", /^2 words$/], // outside: asked, granted, read
])
  assert.match(await countWords(path), expected);
