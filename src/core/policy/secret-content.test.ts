// Files that are secret only while a credential stands in them, told by their text; and their backups.

import { describe, expect, test } from "vitest";
import { secretByContent } from "./secret-content.ts";

describe("files that hold a credential only sometimes", () => {
  const holds = (name: string, text: string): boolean | undefined => secretByContent.get(name)?.(text);

  test.each([
    [".npmrc", "//registry.npmjs.org/:_authToken=npm_x"],
    [".npmrc", "_auth=abc"],
    [".npmrc", "save-exact=true\n_password = abc"],
    [".npmrc", "//r/:_AUTHTOKEN=x"],
    [".npmrc", "# mine\n_auth=abc"],
    [".npmrc", "# mine\r\n_auth=abc"],
    [".npmrc", "save-exact=true\r\n//r/:_authToken=x\r\n"],
    [".npmrc", "//r/:_authToken=${NPM_TOKEN}x"],
    [".npmrc", "//r/:_authToken=${NPM"],
    [".npmrc", "a line that is no setting"],
    [".npmrc", "save exact=true"],
    [".npmrc", "registry=https://ada:pw@r.example.org/"],
    [".npmrc", "x=npm_abcdef"],
    [".yarnrc", '"//r/:_authToken" x'],
    [".yarnrc", "_auth x"],
    [".yarnrc", "_PASSWORD x"],
    [".yarnrc", "passwd x"],
    [".yarnrc.yml", "npmAuthToken: x"],
    [".yarnrc.yml", "npmAuthIdent: x"],
    ["bunfig.toml", 'token = "x"'],
    ["bunfig.toml", "token: x"],
    ["bunfig.toml", "token=x"],
    ["bunfig.toml", 'Password = "x"'],
    ["bunfig.toml", 'client_secret = "x"'],
    ["pip.conf", "index-url = https://ada:pw@pypi.example.org/simple"],
    ["pip.conf", "index-url = https://:pw@pypi.example.org/simple"],
    ["pip.conf", "index-url = https://ada:@pypi.example.org/simple"],
    ["pip.conf", "x = pypi-AgEIcHlwaS5vcmc"],
    ["pip.conf", "x = ghp_abc, gho_abc"],
    ["pip.conf", "x = ghs_abc"],
    ["pip.conf", "x = gho_abc"],
    ["pip.conf", "x = glpat-abc"],
    ["nuget.config", '<add key="ClearTextPassword" value="x" />'],
    ["nuget.config", "<apikeys>"],
    ["nuget.config", "api_key"],
    ["nuget.config", "auth_token"],
    ["nuget.config", "AUTHTOKEN"],
    ["config", '[remote "origin"]\n\turl = https://ada:ghp_abc@github.com/a/b.git'],
    ["config", '[remote "origin"]\n\turl = https://x-access-token:abc@github.com/a/b.git'],
    ["config", "url = https://:abc@example.org/a"],
    ["config", "url = https://ghp_abc@github.com/a/b.git"],
    ["config", "url = https://github_pat_abc@github.com/a/b.git"],
    ["config", "url = https://glpat-abc@gitlab.com/a/b.git"],
    ["config", `url = https://${"a1".repeat(20)}@dev.azure.com/a`],
    ["config", 'url = "https://ada:pw@example.org/a"'],
    ["config", "url = https://ada:p\\\nw@example.org/a"],
    ["config", "url = https://ada\\\r\n:pw@example.org/a"],
    ["config", '[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic abc'],
    ["config", "[http] extraHeader=X-Token: abc"],
    ["config", '[url "https://ada:pw@example.org/"]\n\tinsteadOf = x:'],
    ["config", "[github]\n\ttoken = abc"],
    ["config", "[hub]\n\toauthtoken = abc"],
    ["config", '[credential]\n\thelper = "!f() { echo username=a; echo password=abc; }; f"'],
    ["config.worktree", "url = https://ada:pw@example.org/a"],
    [".gitconfig", "[sendemail]\n\tsmtpPass = abc"],
    [".gitmodules", "url = https://ada:pw@example.org/a"],
  ])("%s with `%s` is one", (name, text) => {
    expect(holds(name, text)).toBe(true);
  });

  test.each([
    [".npmrc", ""],
    [".npmrc", "registry=https://registry.npmjs.org/\nsave-exact=true"],
    [".npmrc", "# _authToken=x\n; _password=y\n\n  \n"],
    [".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}"],
    [".npmrc", "//r/:_authToken = ${NPM_TOKEN}  "],
    [".npmrc", "  @scope:registry = https://r.example.org/"],
    [".npmrc", "omit[]=dev\r\nloglevel=warn\r\n"],
    [".yarnrc", 'registry "https://r/"'],
    [".yarnrc.yml", "nodeLinker: node-modules"],
    ["bunfig.toml", "[install]\nexact = true"],
    ["bunfig.toml", "tokens are not here"],
    ["pip.conf", "index-url = https://pypi.example.org/simple"],
    ["pip.conf", "index-url = https://pypi.example.org/simple # ask ada@example.org"],
    ["pip.conf", "a://b c:d@e"],
    ["pip.conf", "a://b/c:d@e"],
    ["pip.conf", "xghp_abc npm- glpat_"],
    ["nuget.config", '<add key="nuget.org" value="https://api.nuget.org/v3/index.json" />'],
    ["config", ""],
    ["config", "[core]\n\trepositoryformatversion = 0\n\tbare = false"],
    ["config", '[remote "origin"]\n\turl = https://github.com/a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*'],
    ["config", "url = https://ada@bitbucket.org/a/b.git"],
    ["config", "url = https://my-organisation@dev.azure.com/my-organisation/a"],
    ["config", "url = git@github.com:a/b.git"],
    ["config", "url = ssh://git@github.com:22/a/b.git"],
    ["config", "url = http://localhost:8080/a@b"],
    ["config", "[http]\n\textraheader ="],
    ["config", '[credential]\n\thelper = "!f() { echo username=a; echo password=$TOKEN; }; f"'],
    ["config", "[user]\n\temail = ada@example.org\n[credential]\n\thelper = store"],
    [".gitmodules", '[submodule "a"]\n\tpath = a\n\turl = ../a.git'],
  ])("%s with `%s` is none", (name, text) => {
    expect(holds(name, text)).toBe(false);
  });

  test("their names are folded, so that they can be looked up", () => {
    expect([...secretByContent.keys()]).toEqual([
      ".npmrc",
      ".yarnrc",
      ".yarnrc.yml",
      "bunfig.toml",
      "pip.conf",
      "nuget.config",
      "config",
      "config.worktree",
      ".gitconfig",
      ".gitmodules",
    ]);
  });

  test("a backup of one is asked like the file itself", () => {
    for (const name of secretByContent.keys()) {
      for (const backup of [
        `${name}.bak`,
        `${name}~`,
        `${name}.orig`,
        `${name}.old`,
        `${name}.1`,
        `${name}.bak~`,
        `#${name}#`,
        `.${name}.swp`,
      ])
        expect([backup, secretByContent.has(backup), secretByContent.get(backup)]).toEqual([backup, true, secretByContent.get(name)]);
    }
    expect(secretByContent.get(".npmrc.swp")).toBe(secretByContent.get(".npmrc"));
  });

  test("other names are not asked at all", () => {
    for (const name of ["npmrc", ".npmrc.md", "config.ts", "config.json", ".config", "pip.conf.d", "a.bak", "~", ".bak", ""])
      expect([name, secretByContent.has(name), secretByContent.get(name)]).toEqual([name, false, undefined]);
  });

  test("a long text is looked through in time linear to it", () => {
    const start = performance.now();
    for (const piece of ["://", "://a:", ":", "a", "a:", "token ", 'password="', "extraheader ", " ", "\\\n", "://a@"]) {
      for (const before of ["", "://", "token", "extraheader"]) {
        const text = before + piece.repeat(Math.floor(65_536 / piece.length));
        for (const name of secretByContent.keys()) secretByContent.get(name)?.(text);
      }
    }
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
