// For tests of the installer: a home and a project in a temporary directory, the program's own command line, and the whole disk as text.

import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { run } from "../../src/cli/main.ts";

export interface Said {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** `hallpass …` as a person would type it in `cwd`, with nobody at the terminal. */
export async function hallpass(
  words: readonly string[],
  { cwd, home, env: more = {} }: { readonly cwd: string; readonly home: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Said> {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const texts = { out: "", err: "" };
  output.on("data", (part: Buffer) => (texts.out += part.toString()));
  errors.on("data", (part: Buffer) => (texts.err += part.toString()));
  // Not the PATH of whoever runs the tests: what they have installed would show in what is written.
  const env = { PATH: "/usr/bin:/bin", HOME: home, ...more };
  const exit = await run(words, { cwd, home, env, platform: process.platform, input: new PassThrough(), output, errors });
  await new Promise((done) => setImmediate(done));
  return { exit, ...texts };
}

/** Everything below a directory, our own data aside: names, kinds, modes and bytes. */
export function diskOf(dir: string, at = ""): readonly string[] {
  return readdirSync(join(dir, at))
    .toSorted()
    .flatMap((name) => {
      const path = join(at, name);
      if (/(^|\/)(?:\.local|hallpass)$/u.test(path)) return [];
      const facts = lstatSync(join(dir, path));
      const mode = (facts.mode & 0o777).toString(8);
      if (facts.isDirectory()) return [`${path}/ ${mode}`, ...diskOf(dir, path)];
      if (facts.isSymbolicLink()) return [`${path} => ${readlinkSync(join(dir, path))}`];
      return [`${path} ${mode} ${readFileSync(join(dir, path)).toString("base64")}`];
    });
}
