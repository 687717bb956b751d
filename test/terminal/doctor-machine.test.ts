// The doctor on machines with something missing: no /proc, no bubblewrap, no user namespaces, an older bubblewrap, no ripgrep, an old Node.
// Where bubblewrap works here, the machines are real: made with it, and the whole program is run on them.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { checkNode, checkProc, checkRipgrep, checkSandbox } from "../../src/cli/doctor/machine-checks.ts";
import { examine } from "./examine.ts";
import { makePlace, type Place } from "./terminal.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
const place = (): Place => {
  const made = makePlace();
  cleanups.push(() => made.remove());
  return made;
};
const quick = ["--no-canary"];

const BWRAP = "/usr/bin/bwrap";
/** This machine, all of it, within bubblewrap. */
const same = [BWRAP, "--bind", "/", "/", "--dev-bind", "/dev", "/dev"];
const works = existsSync(BWRAP) && canRun([...same, "--proc", "/proc", "true"]);

function canRun([file = "", ...words]: readonly string[]): boolean {
  try {
    execFileSync(file, words, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe.runIf(works)("on a machine", () => {
  test("without /proc: nothing else is blamed for it", async () => {
    const { part, code, findings } = await examine(place(), { words: quick, within: [...same, "--tmpfs", "/proc"] });
    expect(part("/proc")).toMatchObject({ state: "wrong", says: "is not mounted, and everything is opened through /proc/self/fd" });
    expect(part("/proc")?.remedy).toContain("mount /proc");
    expect(part("bubblewrap")).toMatchObject({ state: "note", says: "cannot be examined without /proc" });
    expect(findings.filter(({ state }) => state === "wrong")).toHaveLength(1);
    expect(code).toBe(1);
  });

  test("without bubblewrap", async () => {
    const { part, code } = await examine(place(), { words: quick, within: [...same, "--proc", "/proc", "--ro-bind", "/dev/null", BWRAP] });
    expect(part("bubblewrap")).toMatchObject({ state: "wrong", says: "is not installed" });
    expect(part("bubblewrap")?.remedy).toMatch(/apt install bubblewrap.*commands are asked about each time/u);
    expect(part("/proc")?.state).toBe("well");
    // Nothing is confined, so nothing waits either.
    expect(part("a command that reaches out")).toBeUndefined();
    expect(code).toBe(1);
  });

  test.each([
    ["without /dev/fuse", ["--dev", "/dev"], "/dev/fuse cannot be opened"],
    // It can be opened, and is not what it is taken for.
    ["where FUSE cannot be mounted", ["--bind", "FILE", "/dev/fuse"], "they could not be made to"],
  ])("%s programs are not said to wait", async (_where, device, says) => {
    const at = place();
    const words = device.map((word) => (word === "FILE" ? at.file("fuse", "") : word));
    const within = [...same, "--bind", "/proc", "/proc", ...words];
    if (!canRun([...within, "true"])) return;
    const { part, code } = await examine(at, { words: quick, within });
    expect(part("a command that reaches out")).toMatchObject({ state: "note" });
    expect(part("a command that reaches out")?.says).toContain(`finds nothing there, and its agent is told afterwards how to ask`);
    expect(part("a command that reaches out")?.says).toContain(says);
    expect(code).toBe(0);
  });

  test("without user namespaces", async () => {
    const within = [...same, "--proc", "/proc", "--unshare-user", "--disable-userns"];
    if (!canRun([...within, "true"])) return;
    const { part, code } = await examine(place(), { words: quick, within });
    expect(part("user namespaces")).toMatchObject({ state: "wrong" });
    expect(part("user namespaces")?.says).toMatch(/bubblewrap does not work here \(.*namespace/u);
    expect(part("user namespaces")?.remedy).toContain("allow user namespaces");
    expect(part("bubblewrap")).toBeUndefined();
    expect(code).toBe(1);
  });
});

describe("the machine's parts", () => {
  test("an old Node", () => {
    expect(checkNode("v18.20.0")).toMatchObject({ state: "wrong", says: "v18.20.0 is too old" });
    expect(checkNode("v18.20.0").remedy).toContain("install Node 20.19 or newer");
    expect(checkNode("v20.18.3").state).toBe("wrong");
    expect(checkNode("v20.19.0").state).toBe("well");
    expect(checkNode("v24.1.0").state).toBe("well");
  });

  test("a kernel that does not keep the boundary's word", () => {
    expect(checkProc(() => "a link out of a workspace is followed")).toMatchObject({
      state: "wrong",
      says: "a link out of a workspace is followed",
    });
    expect(checkProc().state).toBe("well");
  });

  test.runIf(process.platform === "linux")("a bubblewrap that anybody may change, and one that is not allowed to do its work", async () => {
    const at = place();
    const loose = at.file("loose/bwrap", "#!/bin/sh\n");
    chmodSync(loose, 0o777);
    const [open] = await checkSandbox({ bwrap: loose });
    expect(open).toMatchObject({ part: "bubblewrap", state: "wrong" });
    expect(open?.says).toContain("is not a program that only its owner can change");
    const broken = at.file("bwrap", '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n');
    chmodSync(broken, 0o755);
    const [finding] = await checkSandbox({ bwrap: broken });
    expect(finding).toMatchObject({ part: "user namespaces", state: "wrong" });
    expect(finding?.says).toContain("Permission denied");
    expect(finding?.remedy).toContain("user namespaces");
  });

  test("ripgrep, there and not there, is worth no more than a word", async () => {
    expect(await checkRipgrep("/nowhere/rg")).toMatchObject({ state: "note", remedy: null });
    const at = place();
    chmodSync(at.file("bin/rg", "#!/bin/sh\necho ripgrep 14.1.0\n"), 0o755);
    const path = [join(at.root, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":");
    const { part } = await examine(at, { words: quick, path });
    expect(part("ripgrep")).toMatchObject({ state: "well", says: "14.1.0" });
    // One in the project is not started; one in the home directory is nobody else's.
    const own = ["home/code/app/bin/rg", "home/.cargo/bin/rg"].map((file, number) =>
      at.file(file, `#!/bin/sh\necho ripgrep 15.0.${number}\n`),
    );
    for (const file of own) chmodSync(file, 0o755);
    const [brought = "", installed = ""] = own.map((file) => dirname(file));
    const inProject = await examine(at, { words: quick, path: [brought, path].join(":") });
    expect(inProject.part("ripgrep")).toMatchObject({ state: "well", says: "14.1.0" });
    const inHome = await examine({ ...at, workspace: at.home }, { words: quick, path: [installed, path].join(":") });
    expect(inHome.part("ripgrep")).toMatchObject({ state: "well", says: "15.0.1" });
  });
});
