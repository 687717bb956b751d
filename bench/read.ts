// A guarded read against the unguarded ones, 4 KB to 1 MB, file six folders below the root.
// Gated on ASCII; UTF-8 and the MCP-shaped read (realpath, then a promise) are for reading.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { guardedRead } from "./lib/product.ts";
import { runSuite } from "./lib/suite.ts";
import type { Suite } from "./lib/suite.ts";

const KB = 1024;
const WARM_MILLISECONDS = 500;
const FOLDERS = join("packages", "shop", "src", "server", "routes", "cart");
const ASCII_LINE = "export const total = items.reduce((sum, item) => sum + item.price, 0);\n";
const UTF8_LINE = "// Größe der Anzeige: naïve Schätzung, 東京\n";

interface Case {
  readonly label: string;
  readonly bytes: number;
  readonly line: string;
  readonly limit: number | "ungated";
}

const CASES: readonly Case[] = [
  { label: "4 KB", bytes: 4 * KB, line: ASCII_LINE, limit: 3 },
  // The pin alone (open, look, name, open again) takes half of what readFileSync takes for 64 KB; docs/decisions/0011 does the sum.
  { label: "64 KB", bytes: 64 * KB, line: ASCII_LINE, limit: 1.2 },
  { label: "1 MB", bytes: KB * KB, line: ASCII_LINE, limit: 0.8 },
  { label: "64 KB of UTF-8", bytes: 64 * KB, line: UTF8_LINE, limit: "ungated" },
  { label: "1 MB of UTF-8", bytes: KB * KB, line: UTF8_LINE, limit: "ungated" },
];

await runSuite("read", async (suite) => {
  const outer = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-bench-read-")));
  try {
    const root = join(outer, "root");
    mkdirSync(join(root, FOLDERS), { recursive: true });
    const guarded = guardedRead(root);
    await requireRefusals(outer, root, guarded);
    for (const each of CASES) {
      if (suite.pace === "quick" && each.limit === "ungated") continue;
      await measureCase(suite, each, { root, guarded });
    }
  } finally {
    rmSync(outer, { recursive: true, force: true });
  }
});

interface Session {
  readonly root: string;
  readonly guarded: (path: string) => Promise<string>;
}

async function measureCase(suite: Suite, each: Case, session: Session): Promise<void> {
  const path = join(session.root, FOLDERS, `text-${each.label.replaceAll(" ", "-")}.ts`);
  const bytes = Buffer.from(each.line.repeat(Math.ceil(each.bytes / each.line.length))).subarray(0, each.bytes);
  // The cut may split a character; a newline in its place keeps the text valid and the size exact.
  const whole = bytes.lastIndexOf(0x0a);
  bytes.fill(0x0a, whole);
  writeFileSync(path, bytes);

  const mcp = (): Promise<string> => mcpShapedRead(session.root, path);
  const expected = readFileSync(path, "utf8");
  if ((await session.guarded(path)) !== expected) throw new Error(`the guarded read of ${each.label} gives another text`);
  if ((await mcp()) !== expected) throw new Error("the MCP-shaped read gives another text");

  await warm(() => session.guarded(path));
  await warm(async () => readFileSync(path, "utf8"));
  const guarded = "guarded read";
  const sync = "readFileSync";
  const later = "promises.readFile";
  await suite.run({
    title: each.label,
    anchor: sync,
    operations: 1,
    // A megabyte a call: in 8 ms memory is now fresh, now used again, and A/A spreads by 20 %;
    // in 32 ms by 5 %. A lone read of 1 MB gains less than what is seen here.
    by: each.bytes < KB * KB ? "slices" : "long-slices",
    variants: [
      { name: guarded, kind: "async", run: () => session.guarded(path) },
      { name: sync, kind: "sync", run: () => readFileSync(path, "utf8") },
      { name: later, kind: "async", run: () => readFile(path, "utf8") },
      { name: "realpath, readFile (MCP-shaped)", kind: "async", run: mcp },
    ],
    goals:
      each.limit === "ungated"
        ? []
        : [
            {
              name: `read ${each.label} of readFileSync`,
              limit: each.limit,
              variant: guarded,
              against: sync,
            },
            {
              name: `read ${each.label} of promises.readFile`,
              limit: 1,
              variant: guarded,
              against: later,
            },
          ],
  });
}

/** Both sides called until V8 has compiled them for good; the harness alone begins to measure while it still compiles. */
async function warm(read: () => Promise<string>): Promise<void> {
  const end = performance.now() + WARM_MILLISECONDS;
  while (performance.now() < end) await read();
}

/** The work of the reference MCP server's read, in its shape: resolve, look at the root, read. */
async function mcpShapedRead(root: string, path: string): Promise<string> {
  const real = await realpath(path);
  if (!real.startsWith(root + sep)) throw new Error("outside");
  return readFile(real, "utf8");
}

/** A read that refuses nothing would be no guarded read. */
async function requireRefusals(outer: string, root: string, guarded: Session["guarded"]): Promise<void> {
  const secret = join(root, ".env");
  const outside = join(outer, "outside.txt");
  const link = join(root, "link.txt");
  writeFileSync(secret, "VALUE=not-a-secret\n");
  writeFileSync(outside, "outside\n");
  symlinkSync(outside, link);
  for (const path of [secret, outside, link]) {
    const refused = await guarded(path).then(
      () => false,
      () => true,
    );
    if (!refused) throw new Error(`the guarded read of ${path} was not refused`);
  }
}
