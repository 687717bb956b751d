// Files that are secret only while a credential stands in them, and how to tell by their text. Asked by name, wherever one is read,
// searched or shown to a command; a backup of such a file is asked like the file.

import { undecorated } from "./backup-names.ts";

/** Does this text hold a credential? */
export type ContentTest = (text: string) => boolean;

/** Tests by a file's own name, folded. INVARIANT: asked with the name of a backup they answer for what it is a backup of. */
export interface ContentTests {
  /** The names themselves, without their backups. */
  keys(): Iterable<string>;
  has(folded: string): boolean;
  get(folded: string): ContentTest | undefined;
}

// A key that is called so, a name and password in an address, or a token by its known beginning. Made where it is used, as the next one:
// few files have such a name.
const credential = (): RegExp =>
  /_auth|auth_?token|password|passwd|secret|api_?key|npmauth|token\s*[=:]|:\/\/[^/\s@]+@|\b(?:npm|ghp|gho|ghs|glpat|pypi)[-_][A-Za-z0-9]/i;

// In git's own files a name before an address is no credential (`ssh://git@host`): there must be a password behind it, a token in its
// place, or something too long to be a name. A value taken from the environment (`password=$TOKEN`) is none.
const gitCredential = (): RegExp =>
  /:\/\/[^/\n@:]*:[^/\n@]+@|:\/\/(?:gh[a-z]_|github_pat_|gl[a-z]+-|at(?:bb|att|ctt)|[\w-]{32,}@)|\bextraheader\s*=\s*\S|\b(?:password|smtppass|(?:oauth)?token)\s*=["'\s]*[^"'\s$]/i;

const holdsCredential: ContentTest = (text) => credential().test(text);
// A value goes on after a backslash at the end of its line.
const holdsGitCredential: ContentTest = (text) => gitCredential().test(text.replaceAll(/\\\r?\n/g, ""));

const tests: ReadonlyMap<string, ContentTest> = new Map([
  [".npmrc", (text: string) => !text.split(/\r?\n/).every(isPlainSetting)],
  [".yarnrc", holdsCredential],
  [".yarnrc.yml", holdsCredential],
  ["bunfig.toml", holdsCredential],
  ["pip.conf", holdsCredential],
  ["nuget.config", holdsCredential],
  // `.git/config`, those of bare repositories and submodules, and the user's own.
  ["config", holdsGitCredential],
  ["config.worktree", holdsGitCredential],
  [".gitconfig", holdsGitCredential],
  [".gitmodules", holdsGitCredential],
]);

function testOf(folded: string): ContentTest | undefined {
  const own = tests.get(folded);
  if (own !== undefined) return own;
  for (const plain of undecorated(folded)) {
    const behind = tests.get(plain);
    if (behind !== undefined) return behind;
  }
  return undefined;
}

/** Files that hold a credential only sometimes: does this text? What cannot be read as ordinary settings counts as one. */
export const secretByContent: ContentTests = {
  keys: () => tests.keys(),
  has: (folded) => testOf(folded) !== undefined,
  get: testOf,
};

/** A comment, a section, or one setting that is no credential. A value taken from the environment (`${TOKEN}`) is none. */
function isPlainSetting(line: string): boolean {
  const plain = line.replaceAll(/\$\{\w+\}/g, "").trim();
  if (plain === "" || plain.startsWith("#") || plain.startsWith(";")) return true;
  return /^[@\w:/.[\]-]+\s*=/.test(plain) && (!credential().test(plain) || /=\s*$/.test(plain));
}
