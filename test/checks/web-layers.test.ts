// What the pages may import: the wire, the words of core, themselves, and the packages they are built with. Nothing that touches a disk
// or holds authority can reach a browser.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const top = resolve(import.meta.dirname, "../..");
const web = join(top, "web/src");

/** Files of ours outside web/ that the pages run; everything else of core they may only take types from. */
const RUN = [
  /^src\/(?:slash|wire)\/[a-z-]+\.ts$/,
  /^src\/core\/guard\/(?:explain|card|card-ask|settled-words)\.ts$/,
  /^src\/core\/path\/show\.ts$/,
  /^src\/core\/record\.ts$/,
];
const TYPES = [...RUN, /^src\/core\//];
const PACKAGES = [
  /^react(-dom)?(\/.*)?$/,
  /^wouter(\/use-hash-location)?$/,
  /^virtua$/,
  /^streamdown$/,
  /^rehype-harden$/,
  /^lowlight$/,
  /^radix-ui$/,
  /^lucide-react\/icons\/[a-z0-9-]+$/,
  /^clsx$/,
  /^qr$/,
  /^uplot(\/dist\/uPlot\.min\.css)?$/,
  /^zod$/,
];

const files = readdirSync(web, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/.test(file) && !/\.(test|d)\.tsx?$/.test(file));

for (const file of files) {
  test(`web/src/${file} imports what the pages may`, () => {
    const crossed = importsOf(readFileSync(join(web, file), "utf8")).filter(({ from, isType }) => {
      if (!from.startsWith(".")) return !PACKAGES.some((allowed) => allowed.test(from));
      const target = relative(top, resolve(web, dirname(file), from)).replaceAll("\\", "/");
      return !target.startsWith("web/src/") && !(isType ? TYPES : RUN).some((allowed) => allowed.test(target));
    });
    expect(crossed.map(({ from }) => from)).toEqual([]);
  });
}

test("markdown, the colours of code, the plot and every page but the inbox are loaded when they are needed", () => {
  const eager = files
    .filter((file) => !["chat/markdown.tsx", "parts/code-tokens.ts", "audit/plot.tsx", "browsers/pairing.tsx"].includes(file))
    .flatMap((file) => importsOf(readFileSync(join(web, file), "utf8")));
  expect(eager.map(({ from }) => from).filter((from) => /^(streamdown|rehype-harden|lowlight|uplot|qr$)/.test(from))).toEqual([]);
});

test("no page puts text into the document as HTML", () => {
  const found = files.filter((file) =>
    /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/.test(
      readFileSync(join(web, file), "utf8"),
    ),
  );
  expect(found).toEqual([]);
});

function importsOf(text: string): readonly { readonly from: string; readonly isType: boolean }[] {
  const found: { from: string; isType: boolean }[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s+)?[^;"']*?\s*from\s*["']([^"']+)["']/gm))
    found.push({ from: match[2] ?? "", isType: match[1] !== undefined });
  for (const match of text.matchAll(/^import\s+["']([^"']+)["']/gm)) found.push({ from: match[1] ?? "", isType: false });
  return found;
}
