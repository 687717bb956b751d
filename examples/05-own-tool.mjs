// A tool of one's own: count_words. It never sees a path it could open; the guard judges the access and lends it the bytes. Beside
// it the tools that come with the package, run from plain JSON, as a model writes it.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { callId, createGuard, hint, meanings, openSession, randomIds } from "hallpass";
import { createOutputs, createSearcher, defaultLimits, runTool } from "hallpass/tools";

const place = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-example-")));
for (const [path, text] of [
  ["app/notes.md", "one two three\n"],
  ["app/.env", "TOKEN=1\n"],
  ["diary/2026.txt", "dear diary\n"],
]) {
  mkdirSync(join(place, path, ".."), { recursive: true });
  writeFileSync(join(place, path), text);
}
symlinkSync(join(place, "diary/2026.txt"), join(place, "app/todo.md"));

/** The tool: words in a file. Gives a sentence for the model, whatever happens. */
async function countWords(path, { guard, session, call }) {
  const access = { call, tool: "count_words", operation: "read", path };
  const used = await guard.use(access, session, (file) =>
    file.lend(1_048_576, (bytes) => bytes.toString("utf8").split(/\s+/).filter(Boolean).length),
  );
  if (used.verdict !== "allow") return hint(used);
  const counted = used.done.ok ? used.done.value : used.done;
  return counted.ok ? `${counted.value} words` : `\`${path}\` ${meanings[counted.code]}`;
}

const searcher = createSearcher();
try {
  const opened = openSession({ workspace: join(place, "app"), ceilings: [place], home: homedir() });
  assert(opened.ok);
  const surroundings = {
    guard: createGuard(),
    session: opened.session,
    call: callId("call-1"),
    limits: defaultLimits,
    searcher,
    outputs: createOutputs(randomIds),
  };

  const story = [
    ["notes.md", /^3 words$/],
    ["missing.md", /^`missing\.md` does not exist$/],
    [".env", /on the list of secrets/],
    ["todo.md", /no project or repository that could be granted/], // a link that leads to the diary
  ];
  for (const [path, expected] of story) {
    const said = await countWords(path, surroundings);
    console.log(`count_words ${path}: ${said}`);
    assert.match(said, expected);
  }

  const listed = await runTool("list_dir", { path: "." }, surroundings);
  assert(listed.ok);
  assert.deepEqual(
    listed.output.entries.map(({ name }) => name),
    ["notes.md", "todo.md"],
  );
  assert.equal(listed.output.withheld, 1);
  console.log(`list_dir: ${listed.output.entries.length} entries, ${listed.output.withheld} withheld`);

  const mistyped = await runTool("raed_file", {}, surroundings);
  assert.equal(mistyped.code, "unknown-tool");
  console.log(mistyped.hint);
} finally {
  await searcher.close();
  rmSync(place, { recursive: true });
}
