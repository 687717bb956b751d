// One exported type name means one thing: a reader who meets it need not ask which one. And it names a thing: `HeldLookup`, not `Held`.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const top = resolve(import.meta.dirname, "../..");

/** Words that end like a participle and are nouns. */
const NOUNS = new Set(
  "Asking Deed Drawing Ending Finding Keyring Meaning Offering Opening Pairing Read Ring Setting Staging Taking Listing Greeting String".split(
    " ",
  ),
);
/** What was done to a thing, without an ending that tells: a name that ends in one of these does not say what the thing is. */
const IRREGULAR = new Set(
  "Bound Built Come Cut Done Drawn Found Given Gone Held Kept Known Laid Left Lost Made Put Ran Run Said Seen Sent Set Shown Shut Sought Taken Told Went Written".split(
    " ",
  ),
);
/** Words that only say how it stands to something else. */
const RELATIONS = new Set("About Again Before Earlier Elsewhere Later Next Other Others Outside Over Through To Wants Was".split(" "));
/** Types whose last word is one of those all the same, and what it is there. */
const EXCEPTIONS = new Set([
  // One run of a program or a chat; a noun.
  "Run",
  // A row of what a person said: `said` is a word of the glossary.
  "StoredSaid",
]);

const productFiles = ["src", "web/src"].flatMap((dir) =>
  readdirSync(join(top, dir), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/u.test(file) && !/\.test\.tsx?$/u.test(file))
    .map((file) => `${dir}/${file}`),
);

function declaredTypes(pattern: RegExp): ReadonlyMap<string, readonly string[]> {
  const declared = new Map<string, string[]>();
  for (const file of productFiles)
    for (const [, name = ""] of readFileSync(join(top, file), "utf8").matchAll(pattern))
      declared.set(name, [...(declared.get(name) ?? []), file]);
  return declared;
}

test("no type name is exported by two files", () => {
  const declared = declaredTypes(/^export (?:abstract )?(?:interface|type|class) (\w+)/gmu);
  expect(declared.size).toBeGreaterThan(500);
  expect([...declared].filter(([, where]) => where.length > 1)).toEqual([]);
});

test("a type is named for what it is, not for what was done to it", () => {
  const declared = declaredTypes(/^(?:export )?(?:abstract )?(?:interface|type|class) (\w+)/gmu);
  expect(declared.size).toBeGreaterThan(1000);
  const isParticiple = (name: string): boolean => {
    const last = /[A-Z][a-z]*$/u.exec(name)?.[0] ?? name;
    if (EXCEPTIONS.has(name) || NOUNS.has(last)) return false;
    return IRREGULAR.has(last) || RELATIONS.has(last) || /(?:ed|ing)$/u.test(last);
  };
  expect(["Held", "KeptAdded", "Looking", "UsedByOther"].every(isParticiple)).toBe(true);
  expect(["HeldLookup", "Setting", "Finding"].some(isParticiple)).toBe(false);
  expect([...declared].filter(([name]) => isParticiple(name))).toEqual([]);
});
