// The service, with a manager in the place of systemd's that notes what it is told and, asked to, fails.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../main.ts";
import { serviceOn } from "../service-files.ts";

/** `daemon`: when one answers, by its own word; `systemctl enable` starts it, as `disable` ends it. */
async function stage({
  platform = "linux",
  daemon = "when started",
}: { platform?: NodeJS.Platform; daemon?: "when started" | "always" | "never" } = {}) {
  const on = mkdtempSync(join(tmpdir(), "hallpass-service-"));
  onTestFinished(() => rmSync(on, { recursive: true, force: true }));
  const [home, bin, notes, data] = [join(on, "home"), join(on, "bin"), join(on, "notes"), join(on, "data")];
  for (const dir of [home, bin, data]) mkdirSync(dir);
  const server = createServer((_request, response) => response.end("{}"));
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const [file, running] = [join(on, "daemon.json"), join(data, "daemon.json")];
  writeFileSync(join(data, "token"), "t".repeat(43), { mode: 0o600 });
  const about = { address: `http://127.0.0.1:${port}`, socket: null, pid: 4711, version: "0", started: 0 };
  writeFileSync(daemon === "always" ? running : file, JSON.stringify(about), { mode: 0o600 });
  const manage = (fails: string): void => {
    const starts = daemon === "when started" ? `*enable*) cp '${file}' '${running}';;` : "";
    writeFileSync(
      join(bin, "systemctl"),
      `#!/bin/sh
PATH=/usr/bin:/bin
echo "$*" >>'${notes}'
case "$*" in ${fails}) echo 'no bus' >&2; exit 1;; esac
case "$*" in *disable*) rm -f '${running}';; ${starts} *is-active*) test -e '${running}';; esac
`,
    );
    chmodSync(join(bin, "systemctl"), 0o755);
  };
  manage("'*nothing*'");
  const said = async (...words: readonly string[]) => {
    const streams = { output: new PassThrough(), errors: new PassThrough() };
    const env = { PATH: bin, HALLPASS_DATA: data };
    const code = await run(["service", ...words], { cwd: home, home, env, platform, input: new PassThrough(), ...streams });
    return { code, output: String(streams.output.read() ?? ""), errors: String(streams.errors.read() ?? "") };
  };
  const noted = (): readonly string[] => (existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n") : []);
  return { home, bin, data, said, noted, manage, running, file: join(home, ".config/systemd/user/hallpass.service") };
}

test("install writes the file and starts it, status asks the manager, uninstall leaves nothing", async () => {
  const { said, noted, file, data, running } = await stage();
  expect(await said("install", "--", "--model", "a 100% $HOME")).toMatchObject({ code: 0, output: expect.stringContaining("runs now") });
  expect(readFileSync(file, "utf8")).toMatch(/^ExecStart="\/.*hallpass\.cjs" "serve" "--no-open" "--model" "a 100%% \$\$HOME"$/m);
  // Without it the service would keep its data elsewhere than `hallpass status` looks.
  expect(readFileSync(file, "utf8")).toContain(`\nEnvironment="HALLPASS_DATA=${data}"\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(noted()).toEqual(["--user daemon-reload", "--user enable --now hallpass.service"]);
  expect(await said("status")).toMatchObject({ code: 0, output: expect.stringMatching(/it runs\na daemon answers at .*4711\)\n$/) });
  rmSync(running);
  expect(await said("status")).toMatchObject({ code: 1, output: expect.stringMatching(/is not running; .*\nno daemon answers/) });
  expect((await said("uninstall")).code).toBe(0);
  expect(noted().at(-1)).toBe("--user disable --now hallpass.service");
  expect(existsSync(file)).toBe(false);
  expect(await said("uninstall")).toMatchObject({ code: 0, output: "no service is installed\n" });
  expect(await said("status")).toMatchObject({ code: 1, output: expect.stringContaining("no service is installed") });
});

test("beside a daemon that runs already it installs nothing, and says what to do", async () => {
  const { said, noted, file } = await stage({ daemon: "always" });
  expect(await said("install")).toMatchObject({
    code: 1,
    output: "",
    errors: expect.stringMatching(/a daemon is already running at http:.*process 4711.*`hallpass stop`.*Nothing was changed/),
  });
  expect([existsSync(file), noted()]).toEqual([false, []]);
  expect(await said("status")).toMatchObject({
    code: 1,
    output: expect.stringContaining("it is not the service's: hallpass stop ends it"),
  });
});

test("a service that runs is started anew with other flags", async () => {
  const { said, noted, file } = await stage();
  expect((await said("install")).code).toBe(0);
  expect((await said("install", "--", "--port", "7000")).code).toBe(0);
  expect(readFileSync(file, "utf8")).toContain('"--port" "7000"');
  expect(noted().slice(-3)).toEqual([
    "--user disable --now hallpass.service",
    "--user daemon-reload",
    "--user enable --now hallpass.service",
  ]);
});

test("a service that ends at once is not said to run, and leaves nothing", async () => {
  const { said, noted, home } = await stage({ daemon: "never" });
  expect(await said("install")).toMatchObject({
    code: 1,
    output: "",
    errors: expect.stringMatching(/it ended; journalctl --user -u hallpass\.service says why\nNothing was changed/),
  });
  expect(readdirSync(home)).toEqual([]);
  expect(noted().at(-1)).toBe("--user disable --now hallpass.service");
});

test.each(["without the file", "with an older file"])("where the manager cannot start it everything is as it was, %s", async (before) => {
  const { said, manage, file } = await stage();
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
  const { said, bin, file } = await stage();
  rmSync(join(bin, "systemctl"));
  writeFileSync(join(bin, "systemctl"), "not a program");
  expect(await said("install")).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/systemctl cannot be run here.*\n.*hallpass serve/),
  });
  expect(existsSync(file)).toBe(false);
  expect(await (await stage({ platform: "win32" })).said("install")).toMatchObject({
    code: 1,
    errors: expect.stringContaining("hallpass serve"),
  });
});

test("--dry-run shows the file and changes nothing", async () => {
  const { said, noted, file } = await stage();
  expect((await said("install", "--dry-run")).output).toContain("[Service]\nEnvironment=");
  expect([existsSync(file), noted()]).toEqual([false, []]);
});

test.each([[[]], [["start"]], [["install", "twice"]], [["status", "--", "--port", "1"]], [["install", "--", "--prot", "1"]]])(
  "service %j is a mistake",
  async (words) => {
    expect((await (await stage()).said(...words)).code).toBe(2);
  },
);

test("on macOS it is a property list, its words escaped", () => {
  const service = serviceOn("darwin", {
    home: "/Users/me",
    config: "",
    uid: 501,
    command: ["/n", "a <b> & c"],
    env: { XDG_DATA_HOME: "/a&b" },
  });
  expect(service?.file).toBe("/Users/me/Library/LaunchAgents/dev.hallpass.daemon.plist");
  expect(service?.text).toContain("<string>a &lt;b&gt; &amp; c</string>");
  expect(service?.text).toContain("<key>XDG_DATA_HOME</key>\n    <string>/a&amp;b</string>");
  expect(service?.start).toEqual([["launchctl", "bootstrap", "gui/501", service?.file]]);
});
