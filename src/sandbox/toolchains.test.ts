// Programs in the home directory: which of them are shown.

import { describe, expect, test } from "vitest";
import { nothingStaysPinned, scene, type ScenePlan } from "../../test/scene.ts";
import { openToolchains } from "./toolchains.ts";

nothingStaysPinned();

const SPEC = [
  "home/ws/node_modules/.bin/",
  "home/.cargo/bin/cargo: x",
  "home/.cargo/credentials.toml: TOKEN",
  "home/.rustup/toolchains/stable/bin/",
  "home/.pyenv/shims/",
  "home/.nvm/versions/node/v20/bin/",
  "home/.nvm/versions/node/v20/lib/",
  "home/.nvm/versions/node/v20/etc/npmrc: TOKEN",
  "home/.local/bin/",
  "home/.local/share/uv/tools/",
  "home/.local/share/uv/credentials/",
  "home/bin/deploy: x",
  "home/bin/.env: TOKEN",
  "home/go/bin/",
  "home/.ssh/bin/",
  "home/.aws/",
  "home/linked => .ssh",
];

function shown(path: (at: (name: string) => string) => readonly string[], plan: ScenePlan = {}): readonly string[] {
  const it = scene(SPEC, { workspace: "home/ws", home: "home", ...plan });
  const home = it.path("home");
  const tools = openToolchains(it.session, path((name) => `${home}/${name}`).join(":"));
  try {
    expect(tools.mounts.every(({ make }) => make === "read-only")).toBe(true);
    return tools.mounts.map(({ pin }) => pin.real.slice(home.length + 1));
  } finally {
    tools.close();
  }
}

describe("programs on the PATH in the home directory", () => {
  test("are shown with what they need, and without the files beside them that hold credentials", () => {
    const found = shown((at) => [
      "/usr/bin",
      at(".cargo/bin"),
      at(".pyenv/shims"),
      at(".nvm/versions/node/v20/bin"),
      at(".local/bin/"),
      at("go/bin"),
    ]);
    expect(new Set(found)).toEqual(
      new Set([
        ".cargo/bin",
        ".rustup",
        ".pyenv",
        ".nvm/versions/node/v20/bin",
        ".nvm/versions/node/v20/lib",
        ".local/bin",
        ".local/share/uv/tools",
        "go/bin",
      ]),
    );
  });

  test("are not shown where a secret, a link, the home directory, a root or nothing is in the place", () => {
    expect(
      shown((at) => [at(".ssh"), at(".ssh/bin"), at(".aws"), at("linked"), at(""), at("."), at("x/.."), at("../home"), at("missing")]),
    ).toEqual([]);
    expect(shown((at) => [at("ws"), at("ws/node_modules/.bin"), "bin", "", "~/bin"])).toEqual([]);
  });

  test("nor is a directory that is not known to hold programs alone: a secret may lie beside them", () => {
    expect(shown((at) => [at("bin"), at("code/scripts")])).toEqual([]);
  });

  test("nor where the policy says no", () => {
    const only = (policy: object) => shown((at) => [at("go/bin")], { policy });
    expect(only({ read: { "~/other/**": "deny", "/data/*.pem": "ask", "~/notes": "deny" } })).toEqual(["go/bin"]);
    for (const pattern of ["~/go/bin/**", "~/go/bin", "~/go/bin/deploy", "~/g*", "~/**", "**/*.pem", "*.pem", "/**"])
      for (const verdict of ["deny", "ask"]) expect([pattern, only({ read: { [pattern]: verdict } })]).toEqual([pattern, []]);
    expect(only({ secrets: { add: ["**/deploy"] } })).toEqual([]);
  });
});
