// A home directory for an example, with these files in it; gone when the example ends.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export function makeHome(files) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-example-")));
  process.once("exit", () => rmSync(home, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  return home;
}
