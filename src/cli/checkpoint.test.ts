import { readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { tree } from "../../test/tree.ts";
import { checkpointFile, readCheckpoint, writeCheckpoint } from "./checkpoint.ts";

test("a checkpoint is read back as it was signed; changed, of another token or cut short it is forged", () => {
  const at = tree(["data/"]);
  onTestFinished(() => at.remove());
  const place = { dir: at.path("data"), token: at.path("data/token") };
  const checkpoint = { sequence: 7, hash: "ab".repeat(32), at: 1 };
  expect([readCheckpoint(place, {}), writeCheckpoint(place, {}, checkpoint)]).toEqual(["none", false]);
  writeFileSync(place.token, `${"T".repeat(43)}\n`);
  expect(writeCheckpoint(place, {}, checkpoint)).toBe(true);
  expect(readCheckpoint(place, {})).toEqual(checkpoint);
  const file = checkpointFile(place);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, "utf8");
  for (const other of [text.replace('"sequence":7', '"sequence":8'), text.replace("abab", "acab"), text.slice(0, 20), ""]) {
    writeFileSync(file, other);
    expect(readCheckpoint(place, {})).toBe("forged");
  }
  writeFileSync(file, text);
  expect(readCheckpoint(place, { HALLPASS_TOKEN: "U".repeat(43) })).toBe("forged");
});
