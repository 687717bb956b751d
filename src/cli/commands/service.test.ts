// The service, with a manager in the place of systemd's that notes what it is told and, asked to, fails.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../main.ts";
import { serviceOn } from "../service-files.ts";

function stage(platform: NodeJS.Platform = "linux") {
  const on = mkdtempSync(join(tmpdir(), "hallpass-service-"));
  onTestFinished(() => rmSync(on, { recursive: true, force: true }));
  const [home, bin, notes] = [join(on, "home"), join(on, "bin"), join(on, "notes")];
  for (const dir of [home, bin]) mkdirSync(dir);
  const manage = (fails: string): void => {
    writeFileSync(join(bin, "systemctl"), `#!/bin/sh\necho "$*" >>'${notes}'\ncase "$*" in ${fails}) echo 'no bus' >&2; exit 1;; esac\n`);
    chmodSync(join(bin, "systemctl"), 0o755);
  };
  manage("'*nothing*'");
  const said = async (...words: readonly string[]) => {
    const streams = { output: new PassThrough(), errors: new PassThrough() };
    const env = { PATH: bin, HALLPASS_DATA: join(on, "data") };
    const code = await run(["service", ...words], { cwd: home, home, env, platform, input: new PassThrough(), ...streams });
    return { code, output: String(streams.output.read() ?? ""), errors: String(streams.errors.read() ?? "") };
  };
  const noted = (): readonly string[] => (existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n") : []);
  return { home, bin, said, noted, manage, file: join(home, ".config/systemd/user/hallpass.service") };
}

test("install writes the file and starts it, status asks the manager, uninstall leaves nothing", async () => {
  const { said, noted, file } = stage();
  expect((await said("install", "--", "--model", "a 100% $HOME")).code).toBe(0);
  expect(readFileSync(file, "utf8")).toMatch(/^ExecStart="\/.*hallpass\.cjs" "serve" "--no-open" "--model" "a 100%% \$\$HOME"$/m);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(noted()).toEqual(["--user daemon-reload", "--user enable --now hallpass.service"]);
  // Installed and kept, but nothing answers: that is not well.
  expect(await said("status")).toMatchObject({ code: 1, output: expect.stringMatching(/it runs\nno daemon answers/) });
  expect((await said("uninstall")).code).toBe(0);
  expect(noted().at(-1)).toBe("--user disable --now hallpass.service");
  expect(existsSync(file)).toBe(false);
  expect(await said("uninstall")).toMatchObject({ code: 0, output: "no service is installed\n" });
  expect(await said("status")).toMatchObject({ code: 1, output: expect.stringContaining("no service is installed") });
});

test.each(["without the file", "with an older file"])("where the manager cannot start it everything is as it was, %s", async (before) => {
  const { said, manage, file } = stage();
  if (before === "with an older file") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "older\n");
  }
  manage("*enable*");
  expect(await said("install")).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/enable --now hallpass\.service failed: no bus\nNothing/),
  });
  expect(existsSync(file) ? readFileSync(file, "utf8") : null).toBe(before === "with an older file" ? "older\n" : null);
});

test("where there is no manager it says so, and what to do instead", async () => {
  const { said, bin, file } = stage();
  rmSync(join(bin, "systemctl"));
  writeFileSync(join(bin, "systemctl"), "not a program");
  expect(await said("install")).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/systemctl cannot be run here.*\n.*hallpass serve/),
  });
  expect(existsSync(file)).toBe(false);
  expect(await stage("win32").said("install")).toMatchObject({ code: 1, errors: expect.stringContaining("hallpass serve") });
});

test("--dry-run shows the file and changes nothing", async () => {
  const { said, noted, file } = stage();
  expect((await said("install", "--dry-run")).output).toContain("[Service]\nExecStart=");
  expect([existsSync(file), noted()]).toEqual([false, []]);
});

test.each([[[]], [["start"]], [["install", "twice"]], [["status", "--", "--port", "1"]]])("service %j is a mistake", async (words) => {
  expect((await stage().said(...words)).code).toBe(2);
});

test("on macOS it is a property list, its words escaped", () => {
  const service = serviceOn("darwin", { home: "/Users/me", config: "", uid: 501, command: ["/n", "a <b> & c"] });
  expect(service?.file).toBe("/Users/me/Library/LaunchAgents/dev.hallpass.daemon.plist");
  expect(service?.text).toContain("<string>a &lt;b&gt; &amp; c</string>");
  expect(service?.start).toEqual([["launchctl", "bootstrap", "gui/501", service?.file]]);
});
