// The exported names of each door, pinned. Changing surface.txt is a reviewed act: `UPDATE_SURFACE=1 npx vitest run --project check`.

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const doors = {
  hallpass: "src/library/index.ts",
  "hallpass/tools": "src/tools/index.ts",
  "hallpass/agent": "src/agent/index.ts",
  "hallpass/store": "src/store/index.ts",
  "hallpass/acp": "src/adapters/acp/index.ts",
  "hallpass/ai": "src/adapters/ai/index.ts",
  "hallpass/mcp": "src/adapters/mcp/index.ts",
  "hallpass/server": "src/server/index.ts",
  "hallpass/wire": "src/wire/index.ts",
};

test("the doors export exactly the names in surface.txt", () => {
  const now = Object.entries(doors)
    .map(
      ([door, file]) =>
        `${door}\n${exportedNames(readFileSync(resolve(root, file), "utf8"))
          .map((name) => `  ${name}`)
          .join("\n")}\n`,
    )
    .join("\n");
  const pinned = resolve(root, "test/checks/surface.txt");
  if (process.env["UPDATE_SURFACE"] === "1") writeFileSync(pinned, now);
  expect(now, "the public surface changed; if that is meant, update test/checks/surface.txt").toBe(readFileSync(pinned, "utf8"));
});

test("doors list their names one by one", () => {
  for (const file of Object.values(doors)) expect(readFileSync(resolve(root, file), "utf8")).not.toMatch(/export\s*\*/);
});

function exportedNames(text: string): readonly string[] {
  return [...text.matchAll(/^export\s+(type\s+)?\{([^}]*)\}/gm)]
    .flatMap((match) => (match[2] ?? "").split(",").map((name) => ({ name: name.trim(), type: match[1] !== undefined })))
    .filter(({ name }) => name !== "")
    .map(({ name, type }) => (name.startsWith("type ") ? name : type ? `type ${name}` : name))
    .toSorted();
}
