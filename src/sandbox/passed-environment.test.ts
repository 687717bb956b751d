import { expect, test } from "vitest";
import { passedOn } from "./passed-environment.ts";

const passes = {
  NODE_ENV: "test",
  EDITOR: "vi",
  JAVA_HOME: "/usr/lib/jvm",
  RUSTUP_HOME: "/home/a/.rustup",
  LC_ALL: "C",
  PYENV_ROOT: "/home/a/.pyenv",
  CI: "1",
};
const stays = {
  AWS_SECRET_ACCESS_KEY: "x",
  NPM_TOKEN: "x",
  GITHUB_TOKEN: "x",
  DATABASE_URL: "postgres://u:p@h/d",
  SSH_AUTH_SOCK: "/run/x",
  VAULT_ROOT: "x",
  SIGNING_HOME: "x",
  PROXY_HOME: "http://user:word@proxy",
  HALLPASS_HOME: "/x",
  BASH_ENV: "/x",
  LD_PRELOAD: "/x",
  NODE_OPTIONS: "--require /x",
  HOME: "/root",
  PATH: "/x",
  XDG_RUNTIME_DIR: "/run/user/0",
  SOMETHING: "else",
  JAVA_VERSION: "a\nb",
};

test("a command is told how tools are to behave, and nothing that looks like a credential or gives orders to a shell", () => {
  expect(passedOn({ ...passes, ...stays })).toEqual(passes);
});
