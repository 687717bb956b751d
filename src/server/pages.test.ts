import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, expect, test } from "vitest";
import { createPages } from "./pages.ts";

test("a file goes out as the browser takes it: the shortest form there is, and as it is where there is none", async () => {
  const dir = mkdtempSync(join(tmpdir(), "hallpass-pages-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, "assets"));
  for (const ending of ["", ".br", ".gz"]) writeFileSync(join(dir, "assets", `a-12345678.js${ending}`), `plain${ending}`);
  writeFileSync(join(dir, "index.html"), "page");
  const pages = createPages(dir, new Map());
  const sent = async (path: string, accepted: string | null): Promise<unknown> => {
    const response = pages(path, accepted);
    expect(response.headers.get("vary")).toBe("accept-encoding");
    return [await response.text(), response.headers.get("content-encoding"), response.headers.get("content-type")];
  };
  const script = "text/javascript; charset=utf-8";
  expect(await sent("/assets/a-12345678.js", "gzip, deflate, br")).toEqual(["plain.br", "br", script]);
  expect(await sent("/assets/a-12345678.js", "gzip")).toEqual(["plain.gz", "gzip", script]);
  expect(await sent("/assets/a-12345678.js", "identity")).toEqual(["plain", null, script]);
  expect(await sent("/assets/a-12345678.js", null)).toEqual(["plain", null, script]);
  expect(await sent("/somewhere", "br, gzip")).toEqual(["page", null, "text/html; charset=utf-8"]);
});
