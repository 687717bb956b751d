// Nothing is decided by what a sentence says, or by what an id looks like: state is data. No hint and no message is compared with, or searched
// for, words, and no id is taken apart.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const top = resolve(import.meta.dirname, "../..");
const COMPARED =
  /\.(?:hint|message)\s*[!=]==|[!=]==\s*[\w.?]*\.(?:hint|message)\b|\.(?:hint|message)\.(?:includes|startsWith|endsWith|match|search|indexOf)\(|\.(?:test|exec)\([\w.?]*\.(?:hint|message)\)/u;
/** An id, or a thing by its id: `chat`, `call`. */
const TAKEN_APART =
  /\b(?:id|ask|call|chat|session|grant|rule)\??\.(?:startsWith|endsWith|includes|match|search|indexOf|split)\(|\.(?:test|exec)\((?:[\w.?]*\.)?(?:id|ask|call|chat|session|grant)\)/u;

/** Where it is none of that. */
const fine: Readonly<Record<string, string>> = {
  "src/server/hub.ts": "the id of the message that a frame is about",
  "src/server/others.ts": "the id of the message that a frame is about",
  "src/agent/models/faults.ts": "Node's own errors of a connection, which have no code",
  "src/agent/models/offline/doing.ts": "the offline agent reads what every model is told",
};
const fineIds: Readonly<Record<string, string>> = {
  "src/slash/slash-commands.ts": "the beginning of an id, as a person types it",
  "src/cli/chat-connection.ts": "the beginning of an id, as a person types it",
  "src/cli/records.ts": "the beginning of an id, as a person types it",
  "src/cli/commands/grants.ts": "the beginning of an id, as a person types it",
  "src/agent/models/messages.ts": "which ids a service takes",
  "src/agent/models/call-ids.ts": "which ids a service takes",
  "src/sandbox/leftovers.ts": "device and inode of a file as one text",
  "src/adapters/hook/in-process.ts": "a grant as a host's environment carries it",
  "src/adapters/acp/dialogs.ts": "which requests of a shared line are ours is told by the ids we gave them",
};

function files(dir: string): readonly string[] {
  return readdirSync(join(top, dir), { recursive: true, encoding: "utf8" })
    .map((file) => `${dir}/${file.replaceAll("\\", "/")}`)
    .filter((file) => /\.tsx?$/u.test(file) && !/\.test\.tsx?$/u.test(file));
}

const linesWith = (bad: RegExp) =>
  [...files("src"), ...files("web/src")].flatMap((file) =>
    readFileSync(join(top, file), "utf8")
      .split("\n")
      .flatMap((line, at) =>
        // The `message` of a frame is the id of one.
        bad.test(line.replaceAll(/\bframe\.message\b(?!\.)/gu, "id")) ? [{ file, line: at + 1, text: line.trim() }] : [],
      ),
  );

describe.each([
  ["no hint or message is compared", COMPARED, fine],
  ["no id is taken apart", TAKEN_APART, fineIds],
])("%s", (_name, bad, allowed) => {
  const found = linesWith(bad);
  test("but where it is fine", () => expect(found.filter(({ file }) => !(file in allowed))).toEqual([]));
  test("what is named as fine is still there", () =>
    expect(Object.keys(allowed).filter((file) => !found.some((one) => one.file === file))).toEqual([]));
});

test("the check sees such a comparison", () => {
  for (const bad of ["outcome.hint.endsWith(STOPPED)", "error.message === SENTENCE", '"x" !== result.hint', "/x/.test(outcome.hint)"])
    expect(COMPARED.test(bad)).toBe(true);
  for (const bad of ['chat.id.startsWith("agent-")', '({ id }) => id.includes("-")', "/^stop /.test(signal.chat)"])
    expect(TAKEN_APART.test(bad)).toBe(true);
});
