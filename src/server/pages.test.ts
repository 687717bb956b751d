import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
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

test("a build under a running daemon: its first page and scripts are served, and a script that is gone is not found", async () => {
  const top = mkdtempSync(join(tmpdir(), "hallpass-pages-"));
  onTestFinished(() => rmSync(top, { recursive: true }));
  const dir = join(top, "web");
  const build = (script: string): void => {
    const aside = join(top, "aside");
    mkdirSync(join(aside, "assets"), { recursive: true });
    writeFileSync(join(aside, "assets", script), "run()");
    writeFileSync(join(aside, "index.html"), script);
    rmSync(dir, { recursive: true, force: true });
    renameSync(aside, dir);
  };
  build("a-11111111.js");
  const pages = createPages(dir, new Map());
  const text = async (path: string): Promise<string> => pages(path, null).text();
  expect(await text("/")).toBe("a-11111111.js");
  build("a-22222222.js");
  expect(await text("/")).toBe("a-22222222.js");
  expect(await text("/somewhere")).toBe("a-22222222.js");
  expect(await text("/assets/a-22222222.js")).toBe("run()");
  for (const path of ["/assets/a-11111111.js", "/assets/style.css", "/nothing.png"])
    expect(() => pages(path, null), path).toThrow("not found");
  // In the middle of a build there is nothing for a moment.
  rmSync(dir, { recursive: true });
  expect(() => pages("/", null)).toThrow("not found");
});
