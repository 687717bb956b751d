import { describe, expect, test } from "vitest";
import { policyLocations, type ConfigContext } from "./locations.ts";

const linux: ConfigContext = { home: "/home/ada", env: {}, workspace: "/work/repo", platform: "linux" };
const operator = (changes: Partial<ConfigContext>) => policyLocations({ ...linux, ...changes }).find(({ author }) => author === "operator");

describe("where policies are", () => {
  test("administrator, operator, project, in that order", () => {
    expect(policyLocations(linux)).toEqual([
      { author: "administrator", files: ["/etc/hallpass/policy.json"], named: false, place: "/etc/hallpass" },
      {
        author: "operator",
        files: ["/home/ada/.config/hallpass/policy.json", "/home/ada/.config/hallpass/policy.jsonc"],
        named: false,
        place: "/home/ada/.config/hallpass",
      },
      {
        author: "project",
        files: ["/work/repo/.hallpass/policy.json", "/work/repo/.hallpass/policy.jsonc"],
        named: false,
        place: "/work/repo/.hallpass",
      },
    ]);
  });

  test("without a workspace there is no project's", () => {
    expect(policyLocations({ ...linux, workspace: null }).map(({ author }) => author)).toEqual(["administrator", "operator"]);
  });

  test.each<[string, Partial<ConfigContext>, string]>([
    ["XDG_CONFIG_HOME", { env: { XDG_CONFIG_HOME: "/cfg/" } }, "/cfg/hallpass"],
    ["a relative XDG_CONFIG_HOME, which is passed over", { env: { XDG_CONFIG_HOME: "cfg" } }, "/home/ada/.config/hallpass"],
    ["an empty XDG_CONFIG_HOME", { env: { XDG_CONFIG_HOME: "" } }, "/home/ada/.config/hallpass"],
    ["macOS", { platform: "darwin", home: "/Users/ada" }, "/Users/ada/Library/Application Support/hallpass"],
    ["macOS with XDG_CONFIG_HOME", { platform: "darwin", env: { XDG_CONFIG_HOME: "/cfg" } }, "/cfg/hallpass"],
    ["Windows", { platform: "win32", home: "C:\\Users\\ada", env: { APPDATA: "C:\\Roaming" } }, "C:\\Roaming\\hallpass"],
    ["Windows without APPDATA", { platform: "win32", home: "C:\\Users\\ada" }, "C:\\Users\\ada\\AppData\\Roaming\\hallpass"],
    [
      "Windows with a relative APPDATA",
      { platform: "win32", home: "C:\\Users\\ada", env: { APPDATA: "x" } },
      "C:\\Users\\ada\\AppData\\Roaming\\hallpass",
    ],
  ])("the operator's with %s", (_title, changes, place) => {
    expect(operator(changes)?.place).toBe(place);
  });

  test("a file named by hand stands in the operator's place and must exist", () => {
    expect(operator({ operatorFile: "/tmp/mine.json", env: { XDG_CONFIG_HOME: "/cfg" } })).toEqual({
      author: "operator",
      files: ["/tmp/mine.json"],
      named: true,
      place: "/tmp/mine.json",
    });
  });

  test("on Windows there is no administrator's", () => {
    const locations = policyLocations({ home: "C:\\Users\\ada", env: {}, workspace: "C:\\repo", platform: "win32" });
    expect(locations.map(({ files }) => files)).toEqual([
      ["C:\\Users\\ada\\AppData\\Roaming\\hallpass\\policy.json", "C:\\Users\\ada\\AppData\\Roaming\\hallpass\\policy.jsonc"],
      ["C:\\repo\\.hallpass\\policy.json", "C:\\repo\\.hallpass\\policy.jsonc"],
    ]);
  });
});
