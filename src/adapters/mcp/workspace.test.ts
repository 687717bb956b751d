import { describe, expect, test } from "vitest";
import { HallpassError } from "../../core/errors.ts";
import { findWorkspace, pathOfRoot } from "./workspace.ts";

const places = { given: null, variable: null, cwd: "/start" };
const roots =
  (...uris: string[]) =>
  () =>
    Promise.resolve(uris);

describe("which directory the agent works in", () => {
  test("what the configuration names counts, whatever else is said", async () => {
    const found = await findWorkspace({ given: "/given", variable: "/variable", cwd: "/start" }, roots("file:///client"));
    expect(found).toEqual({ workspace: "/given", ignored: [] });
  });

  test("then the client's first root, then the host's variable, then the place it was started in", async () => {
    expect(await findWorkspace({ ...places, variable: "/start/app" }, roots("file:///client"))).toEqual({
      workspace: "/client",
      ignored: [],
    });
    expect(await findWorkspace({ ...places, variable: "/start/app" }, roots())).toEqual({ workspace: "/start/app", ignored: [] });
    expect(await findWorkspace(places, roots("file:///client"))).toEqual({ workspace: "/client", ignored: [] });
    expect(await findWorkspace(places, roots())).toEqual({ workspace: "/start", ignored: [] });
    expect(await findWorkspace(places, null)).toEqual({ workspace: "/start", ignored: [] });
  });

  test.each(["/", "/other", "/starting"])("a variable that leads out of where it was started opens nothing: %s", async (variable) => {
    expect(await findWorkspace({ ...places, variable }, null)).toEqual({ workspace: "/start", ignored: [variable] });
  });

  test("further roots of the client open nothing", async () => {
    expect(await findWorkspace(places, roots("file:///one", "file:///two", "file:///three"))).toEqual({
      workspace: "/one",
      ignored: ["/two", "/three"],
    });
  });

  test("one root that cannot be understood refuses them all", async () => {
    await expect(findWorkspace(places, roots("file:///one", "file:///opt/%2e%2e/etc"))).rejects.toThrow(HallpassError);
  });
});

describe("a root is read by the letter", () => {
  test.each([
    ["file:///home/me/project", "/home/me/project"],
    ["file:///home/me/project/", "/home/me/project"],
    ["file://localhost/home/me", "/home/me"],
    ["file:///home/me/with%20space", "/home/me/with space"],
    ["file:///home/me/gr%C3%B6%C3%9Fe", "/home/me/größe"],
    ["file:///home/me/..fine/a..b", "/home/me/..fine/a..b"],
    ["file:///", "/"],
    ["file:////", "/"],
  ])("%s is %s", (uri, path) => {
    expect(pathOfRoot(uri)).toBe(path);
  });

  test.each([
    "file:///opt/%2e%2e/etc",
    "file:///opt/%2E%2E/etc",
    "file:///opt/../etc",
    "file:///opt/./x",
    "file:///opt/..",
    "file:///opt%2fetc",
    "file:///opt%2Fetc",
    "file:///opt%5c..%5cetc",
    "file:///opt\\..\\etc",
    "file:///opt%00",
    "file:///opt\0",
    "file:///opt%zz",
    "file:///opt%ff",
    "file://evil.example/opt",
    "file:/opt",
    "file:opt",
    "file:///opt?x",
    "file:///opt#x",
    "https://example.org/",
    "/opt",
    "",
  ])("%j is refused", (uri) => {
    expect(() => pathOfRoot(uri)).toThrow(expect.objectContaining({ code: "invalid-path" }));
  });
});
