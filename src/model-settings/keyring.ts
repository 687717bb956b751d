// The system's keyring, through its own program: `secret-tool` on Linux, `security` on macOS. A key is passed through a pipe and never on a
// command line, which others could read.

import { spawn } from "node:child_process";

export interface Keyring {
  /** What people call it. */
  readonly name: string;
  /** False where it was not kept. */
  put(account: string, key: string): Promise<boolean>;
  /** Null where there is none, or it cannot be got. */
  get(account: string): Promise<string | null>;
  remove(account: string): Promise<void>;
}

export interface KeyringPorts {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tells the keys of one data directory from those of another. */
  readonly place: string;
}

/** A keyring may ask the person to unlock it: so long they have, in milliseconds. */
const PATIENCE = 60_000;

/** Null where the system has none that could be spoken to. Nothing is started to find out. */
export function systemKeyring({ platform, env, place }: KeyringPorts): Keyring | null {
  const call = (program: string, args: readonly string[], input = ""): Promise<string | null> => run(program, args, input, env);
  if (platform === "linux" && (env["DBUS_SESSION_BUS_ADDRESS"] ?? "") !== "") {
    const attributesOf = (account: string): readonly string[] => ["service", "hallpass", "place", place, "account", account];
    return verifyingPut({
      name: "the keyring of your desktop",
      put: async (account, key) =>
        (await call("secret-tool", ["store", `--label=Hallpass: ${account}`, ...attributesOf(account)], key)) !== null,
      get: async (account) => nonEmpty(await call("secret-tool", ["lookup", ...attributesOf(account)])),
      remove: async (account) => void (await call("secret-tool", ["clear", ...attributesOf(account)])),
    });
  }
  if (platform === "darwin") {
    const service = `hallpass ${place}`;
    const hex = (text: string): string => Buffer.from(text, "utf8").toString("hex");
    const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
    return verifyingPut({
      name: "your keychain",
      // Its command line takes commands from its input too; the key as hexadecimal digits needs no quoting.
      put: async (account, key) =>
        (await call("security", ["-i"], `add-generic-password -U -s ${quoted(service)} -a ${quoted(account)} -X ${hex(key)}\n`)) !== null,
      get: async (account) =>
        nonEmpty((await call("security", ["find-generic-password", "-s", service, "-a", account, "-w"]))?.trimEnd() ?? null),
      remove: async (account) => void (await call("security", ["delete-generic-password", "-s", service, "-a", account])),
    });
  }
  return null;
}

/** A keyring that is locked, or whose program says yes and keeps nothing, has not kept it: what was put in is looked for. */
const verifyingPut = (keyring: Keyring): Keyring => ({
  ...keyring,
  put: async (account, key) => (await keyring.put(account, key)) && (await keyring.get(account)) === key,
});

const nonEmpty = (text: string | null): string | null => (text === null || text === "" ? null : text);

/** What it printed; null where it could not be run, failed or took too long. */
function run(
  program: string,
  args: readonly string[],
  input: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env: { ...env }, stdio: ["pipe", "pipe", "ignore"], timeout: PATIENCE });
    let printed = "";
    child.on("error", () => resolve(null));
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (printed += piece));
    child.on("close", (code) => resolve(code === 0 ? printed : null));
    child.stdin.end(input);
  });
}
