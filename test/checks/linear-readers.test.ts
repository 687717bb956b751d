// No text makes a reader slow: every exported function that reads a text, a pattern or settings is given long rows of what its language is
// made of. Processor time is what counts, and how it grows, so that a busy machine fails nothing.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { readHead } from "../../src/adapters/hook/socket-protocol.ts";
import { parseHookSocket } from "../../src/adapters/hook/socket-file.ts";
import { framedIn, wordsOf } from "../../src/adapters/hook/shell-frame.ts";
import {
  alternatives,
  climbs,
  fixedPart,
  isPathShaped,
  patchPaths,
  pathOfAddress,
  patternReadings,
  trimEndOf,
} from "../../src/adapters/hook/file-pattern.ts";
import { parseRecord } from "../../src/adapters/hook/host-call.ts";
import { commandPaths } from "../../src/adapters/hook/shell/command-paths.ts";
import { isPlainExpression } from "../../src/adapters/hook/shell/expressions.ts";
import { withoutShut } from "../../src/adapters/hook/found-lines.ts";
import { mentionsIn } from "../../src/adapters/hook/mentions.ts";
import { patchWrites } from "../../src/adapters/hook/planned.ts";
import { mayBeSecret } from "../../src/adapters/hook/secret-pattern.ts";
import { asWritten } from "../../src/adapters/hook/judge-call.ts";
import { jsonClaims, tomlClaims } from "../../src/adapters/hook/server-claims.ts";
import { readPathspec } from "../../src/adapters/hook/shell/git-reach.ts";
import { literalsIn } from "../../src/adapters/hook/shell/literals.ts";
import { expandWord } from "../../src/adapters/hook/shell/open-words.ts";
import { setBefore } from "../../src/adapters/hook/shell/variables.ts";
import { COMMAND_LENGTH, cutCommand } from "../../src/adapters/hook/shell/words.ts";
import { firstTooDeep, positions, readJsonc } from "../../src/config/jsonc.ts";
import { parseStrictJson } from "../../src/config/strict-json.ts";
import { quoteJson } from "../../src/core/guard/hint.ts";
import { fold } from "../../src/core/path/fold.ts";
import { parsePath } from "../../src/core/path/parse.ts";
import { hasForeignLetters, show } from "../../src/core/path/show.ts";
import { gitDirectoryNamedIn, hooksPathsIn } from "../../src/core/policy/git-directory.ts";
import { bytesOf, parseRules } from "../../src/core/policy/gitignore-pattern.ts";
import { rootIgnores } from "../../src/core/policy/gitignore.ts";
import { isAnywhere, isDefault, matchName, parseGlob, plainPieceOf } from "../../src/core/policy/glob.ts";
import { parseJson } from "../../src/core/record.ts";
import { secretByContent } from "../../src/core/policy/secret-content.ts";
import { firstLine } from "../../src/sandbox/ability.ts";
import { bytesOf as rawBytesOf } from "../../src/sandbox/disk.ts";
import { identityIn } from "../../src/sandbox/git-identity.ts";
import { searchGlob } from "../../src/tools/find-files.ts";
import { decodeText, windowOf } from "../../src/tools/text.ts";
import { tooSlowAt } from "../support/growth.ts";

const src = resolve(import.meta.dirname, "../../src");
const LARGE = 1_048_576;
/** The longest path, and the longest pattern that a tool takes. */
const PATH = 4096;

/** What is read with each, and the longest text that gets there. */
const readers: readonly (readonly [string, (text: string) => unknown, number])[] = [
  ["core/guard/hint.ts quoteJson", quoteJson, LARGE],
  ["core/path/fold.ts fold", fold, LARGE],
  ["core/path/show.ts hasForeignLetters", hasForeignLetters, LARGE],
  ["core/path/show.ts show", show, LARGE],
  ["core/policy/git-directory.ts gitDirectoryNamedIn", gitDirectoryNamedIn, LARGE],
  ["core/policy/git-directory.ts hooksPathsIn", hooksPathsIn, LARGE],
  ["core/policy/gitignore-pattern.ts bytesOf", bytesOf, LARGE],
  ["core/policy/gitignore-pattern.ts parseRules", (text) => parseRules(text, 0), 262_144],
  ["core/policy/gitignore.ts rootIgnores", (text) => rootIgnores(text).enter("a", null).ignores("a".repeat(255), false), 65_536],
  ["core/policy/glob.ts isAnywhere", isAnywhere, LARGE],
  ["core/policy/glob.ts isDefault", isDefault, LARGE],
  ["core/policy/glob.ts matchName", (text) => matchName(text, "a".repeat(255)), PATH],
  ["core/policy/glob.ts parseGlob", (text) => parseGlob(text, "/home"), LARGE],
  ["core/policy/glob.ts plainPieceOf", plainPieceOf, LARGE],
  ["core/record.ts parseJson", parseJson, LARGE],
  ["sandbox/ability.ts firstLine", firstLine, LARGE],
  ["sandbox/disk.ts bytesOf", rawBytesOf, LARGE],
  ["config/jsonc.ts firstTooDeep", (text) => firstTooDeep(text, 32), LARGE],
  ["config/jsonc.ts positions", (text) => positions(text, "f")(text.length), LARGE],
  ["config/jsonc.ts readJsonc", (text) => readJsonc(text, "f"), LARGE],
  ["config/strict-json.ts parseStrictJson", parseStrictJson, LARGE],
  ["sandbox/git-identity.ts identityIn", identityIn, 262_144],
  ["tools/find-files.ts searchGlob", searchGlob, PATH],
  ["tools/text.ts windowOf", (text) => windowOf(text, 1, 1000), LARGE],
  ["adapters/hook/socket-file.ts parseHookSocket", parseHookSocket, LARGE],
  ["adapters/hook/file-pattern.ts alternatives", alternatives, COMMAND_LENGTH],
  ["adapters/hook/file-pattern.ts climbs", climbs, LARGE],
  ["adapters/hook/file-pattern.ts fixedPart", fixedPart, LARGE],
  ["adapters/hook/file-pattern.ts isPathShaped", isPathShaped, LARGE],
  ["adapters/hook/file-pattern.ts patchPaths", patchPaths, LARGE],
  ["adapters/hook/file-pattern.ts pathOfAddress", pathOfAddress, LARGE],
  ["adapters/hook/file-pattern.ts patternReadings", patternReadings, LARGE],
  ["adapters/hook/host-call.ts parseRecord", parseRecord, LARGE],
  [
    "adapters/hook/shell/command-paths.ts commandPaths",
    (text) => commandPaths(text, { base: "/nowhere", home: "/nowhere" }),
    COMMAND_LENGTH,
  ],
  [
    "adapters/hook/found-lines.ts withoutShut",
    (text) => withoutShut(text, { isShut: (path) => path.length % 2 === 1, isThere: (path) => path.length % 3 === 1 }, ""),
    LARGE,
  ],
  ["adapters/hook/mentions.ts mentionsIn", (text) => mentionsIn(text, "/nowhere"), LARGE],
  ["adapters/hook/judge-call.ts asWritten", (text) => asWritten(text, "/a", "a"), LARGE],
  ["adapters/hook/secret-pattern.ts mayBeSecret", mayBeSecret, LARGE],
  ["adapters/hook/server-claims.ts jsonClaims", jsonClaims, LARGE],
  ["adapters/hook/server-claims.ts tomlClaims", tomlClaims, LARGE],
  ["adapters/hook/shell/git-reach.ts readPathspec", readPathspec, COMMAND_LENGTH],
  ["adapters/hook/shell/literals.ts literalsIn", (text) => literalsIn(text, () => false), COMMAND_LENGTH],
  ["adapters/hook/shell/open-words.ts expandWord", (text) => expandWord(text, "/nowhere", "/nowhere"), COMMAND_LENGTH],
  ["adapters/hook/shell/variables.ts setBefore", setBefore, COMMAND_LENGTH],
  ["adapters/hook/shell/words.ts cutCommand", cutCommand, COMMAND_LENGTH],
  ["adapters/hook/shell-frame.ts wordsOf", wordsOf, LARGE],
  ["adapters/hook/file-pattern.ts trimEndOf", (text) => trimEndOf(text, " /"), LARGE],
];

/** More of them, whose first parameter has another name. */
const others: readonly (readonly [string, (text: string) => unknown, number])[] = [
  ["adapters/hook/planned.ts patchWrites", (text) => patchWrites(text, null), LARGE],
  ["framedIn", (text) => framedIn("claude-code", text), LARGE],
  ["parsePath", (text) => parsePath(text, "/base", "/home"), LARGE],
  ["decodeText", (text) => decodeText(Buffer.from(text)), LARGE],
  ["readHead", (text) => readHead(Buffer.from(text)), LARGE],
  ["isPlainExpression of sed", (text) => isPlainExpression("sed", text), COMMAND_LENGTH],
  ["isPlainExpression of awk", (text) => isPlainExpression("awk", text), COMMAND_LENGTH],
  ["isPlainExpression of jq", (text) => isPlainExpression("jq", text), COMMAND_LENGTH],
  ...[".npmrc", ".yarnrc", "config"].map(
    (name) => [`a secret in ${name}`, (text: string) => secretByContent.get(name)?.(text), LARGE] as const,
  ),
];

const ROWS = [
  ...Array.from(" \t\n\ra0A_/\\\"'`-.*?=:;,#@!|&<>()[]{}~$%^+é\0"),
  "[core]\n",
  "hookspath=x\n",
  "\\\n",
  '\\"',
  '"a":',
  "[]",
  "{}",
  "{a,",
  "{,}",
  "**/",
  "*a",
  "a*",
  "../",
  "./",
  "!a\n",
  "a/b\n",
  "\\u0061",
  "//",
  "/*",
  "*/",
  "$(",
  "$((",
  "${a",
  "<<E\n",
  "a;",
  "a&&",
  "[a]",
  "[a",
  "s/a/b/;",
  "cd a;",
  "a b",
  "*** Add File: a\n",
  "machine a password b\n",
  "://a:",
  "<password>",
];
/** What begins before the row, the row, and what ends after it. */
const SHAPES: readonly (readonly [string, string, string])[] = [
  ...ROWS.map((row) => ["", row, "]"] as const),
  ["gitdir: x", " ", "x"],
  ["[", "a", ""],
  ["[core] hookspath =", " ", "x"],
  ['"', "\\", ""],
  ['{"', "a", '":1}'],
  ["*** Add File: x", " ", "x"],
  ["a", "/", "b"],
  ["(cat <<'E'\n", "E \n", ""],
];

test.each([...readers, ...others])("%s takes time in proportion to its text", { timeout: 300_000 }, (_name, read, most) => {
  const slow = SHAPES.filter(
    ([head, row, tail]) =>
      tooSlowAt((size) => void read(head + row.repeat(Math.ceil(size / row.length)) + tail), most, [64, 8192]) !== null,
  );
  expect(slow).toEqual([]);
});

test("every exported function that reads a text, a pattern or settings is among them", () => {
  const folders = ["core", "sandbox", "config", "tools", "adapters/hook"];
  const found = folders.flatMap((folder) =>
    readdirSync(join(src, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .flatMap((name) => {
        const path = join(src, folder, name);
        const text = readFileSync(path, "utf8");
        return [...text.matchAll(/^export function (\w+)\((?:text|pattern|config): string/gm)].map(
          ([, word]) => `${relative(src, path)} ${word}`,
        );
      }),
  );
  expect(new Set(found)).toEqual(new Set(readers.map(([name]) => name)));
});
