// The tables against the programs themselves: what a table says an option reads is what the program opens, and what a program opens by way
// of a link that leads out is stopped by the hook.

import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, rmSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandScene, MARKER } from "../../../../test/hook/command-scene.ts";
import { runConfined } from "../../../../test/hook/confined-shell.ts";
import { isInstalled } from "../../../../test/installed.ts";
import { commandForms } from "./commands.ts";

const scene = commandScene();
const { workspace } = scene;
const server = createServer((request, answer) => request.resume().on("end", () => answer.end("ok")));
beforeAll(async () => {
  const file = (path: string, text: string) => writeFileSync(`${workspace}/${path}`, text);
  mkdirSync(`${workspace}/inc/usr/include`, { recursive: true });
  mkdirSync(`${workspace}/node_modules`);
  for (const [path, target] of [
    ["inc/flink", "../../out/s"],
    ["inc/usr/include/flink", "../../../../out/s"],
    ["inc/flink.js", "../../out/s"],
    ["inc/pmod.py", "../../out/s"],
    ["slink.js", "../out/s"],
    ["alink.awk", "../out/s"],
    ["pmod2.py", "../out/s"],
  ] as const)
    symlinkSync(target, `${workspace}/${path}`);
  file("a.js", "");
  file("empty.c", "");
  writeFileSync(scene.at.path("out/s"), "OUTSIDE-FILE here\n");
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.close();
  scene.at.remove();
});

const address = (scheme: string): string => `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`;

/** Does the command open the pipe to read from it? */
async function opensPipe(pipe: string, command: string): Promise<boolean> {
  execFileSync("mkfifo", [pipe]);
  const child = spawn("bash", ["-c", command], { cwd: workspace, stdio: "ignore" });
  const end = new Promise((resolve) => child.on("close", resolve));
  try {
    while (child.exitCode === null && child.signalCode === null) {
      try {
        // Without a reader this fails.
        const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
        writeSync(writer, "X: y\n");
        closeSync(writer);
        return true;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    return false;
  } finally {
    child.kill("SIGKILL");
    await end;
    rmSync(pipe);
  }
}

describe("curl", () => {
  /** For each option that may read a file: values with FILE in them, and whether curl reads it then. */
  const examples: Readonly<Record<string, readonly (readonly [value: string, reads: boolean])[]>> = {
    "-H": [
      ["@FILE", true],
      ["a: @FILE", false],
    ],
    "--header": [["@FILE", true]],
    "-A": [["@FILE", false]],
    "--user-agent": [["@FILE", false]],
    "-e": [["@FILE", false]],
    "--referer": [["@FILE", false]],
    "-d": [
      ["@FILE", true],
      ["a b@FILE", false],
    ],
    "--data": [["@FILE", true]],
    "--data-binary": [["@FILE", true]],
    "--data-ascii": [["@FILE", true]],
    "--json": [["@FILE", true]],
    "--data-urlencode": [
      ["@FILE", true],
      ["a@FILE", true],
      ["a b@FILE", true],
      ["a{@FILE", true],
      ["a[@FILE", true],
      ["a\tb@FILE", true],
      ["a,;@FILE", true],
      ["a=b@FILE", false],
      ["=@FILE", false],
    ],
    "--url-query": [
      ["@FILE", true],
      ["a b@FILE", true],
      ["a=@FILE", false],
    ],
    "-F": [
      ["a=@FILE", true],
      ["a=<FILE", true],
      ["a=@FILE;type=text/plain", true],
      ["a=b;headers=@FILE", true],
      ["a b@FILE", false],
    ],
    "--form": [["a=@FILE", true]],
    "-w": [["@FILE", true]],
    "--write-out": [["@FILE", true]],
    "-b": [["FILE", true]],
    "--cookie": [["FILE", true]],
    "-E": [
      ["FILE", true],
      ["FILE:password", true],
    ],
    "--cert": [["FILE:password", true]],
    "--key": [["FILE", true]],
    "--cacert": [["FILE", true]],
  };
  const tls = /^(?:-E|--cert|--key|--cacert)$/u;
  const line = (option: string, value: string, file: string): string => {
    // A key is read after the certificate it belongs to.
    const more = option === "--key" ? "--cert cert.crt " : "";
    return `curl -s -m 20 ${more}${option} '${value.replace("FILE", file)}' ${address(tls.test(option) ? "https" : "http")}`;
  };

  test("has an example for each of its options that may read a file", () => {
    const table = (commandForms.get("curl")?.options ?? "").split(" ");
    const reading = table.flatMap((item) => /^(--?[\w-]+)[@<]$/u.exec(item)?.[1] ?? []);
    expect(Object.keys(examples).toSorted()).toEqual(reading.toSorted());
  });

  const rows = Object.entries(examples).flatMap(([option, values]) => values.map(([value, reads]) => ({ option, value, reads })));
  test.skipIf(!isInstalled("curl")).each(rows)("$option '$value' reads a file: $reads", async ({ option, value, reads }) => {
    if (option === "--key" && isInstalled("openssl")) execFileSync("openssl", CERTIFICATE, { cwd: workspace, stdio: "ignore" });
    expect(await opensPipe(`${workspace}/pipe`, line(option, value, "pipe"))).toBe(reads && (option !== "--key" || isInstalled("openssl")));
    if (!reads) return;
    expect(await scene.verdict(line(option, value, "link"))).not.toBe("pass");
    expect(await scene.verdict(line(option, value, ".env"))).not.toBe("pass");
    expect(await scene.verdict(line(option, value, "ok.txt"))).toBe("pass");
  });
});

const CERTIFICATE = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=a -keyout made.key -out cert.crt".split(" ");

describe("names that are looked up: stopped by the hook, and leaks without it", () => {
  test.each([
    ["gcc", "gcc -E -x c -Iinc -include flink ok.txt"],
    ["gcc", "gcc -E -x c -I inc -include flink ok.txt"],
    ["gcc", "gcc -E -x c -iquote inc -include flink ok.txt"],
    ["gcc", "gcc -E -x c -isystem inc -include flink ok.txt"],
    ["gcc", "gcc -E -x c -isysteminc -includeflink ok.txt"],
    ["gcc", "gcc -E -x c -idirafter inc -include flink ok.txt"],
    ["gcc", "gcc -E -x c -iprefix in -iwithprefix c -include flink ok.txt"],
    ["gcc", "gcc -E -x c -iprefix in -iwithprefixbefore c -include flink ok.txt"],
    ["gcc", "gcc -E -x c --include-directory=inc --include flink ok.txt"],
    ["gcc", "gcc -E -x c -Wp,-I,inc -include flink ok.txt"],
    ["gcc", "gcc -E -x c -Xpreprocessor -I -Xpreprocessor inc -include flink ok.txt"],
    ["gcc", "gcc -E -x c --sysroot=inc -I=/usr/include -include flink ok.txt"],
    ["gcc", "gcc -E -x c -imacros flink -Iinc ok.txt"],
    ["g++", "g++ -E -x c++ -Iinc -include flink ok.txt"],
    ["cc", "cc -E -x c -Iinc -include flink ok.txt"],
    ["node", "NODE_PATH=inc node -r flink a.js"],
    ["node", "export NODE_PATH=inc; node -r flink a.js"],
    ["node", "env NODE_PATH=inc node --require flink a.js"],
    ["node", "NODE_PATH=inc bash -c 'node -r flink a.js'"],
    ["node", "node -r ./slink a.js"],
    ["node", "node ./slink"],
    ["python3", "PYTHONPATH=inc python3 -m pmod"],
    ["python3", "export PYTHONPATH=inc && python3 -m pmod"],
    ["python3", "python3 -m pmod2"],
    ["gawk", "gawk -f alink ok.txt"],
  ])("%s: %s", async (program, command) => {
    expect(await scene.verdict(command)).not.toBe("pass");
    if (!isInstalled(program)) return;
    const said = runConfined(scene, "bash", command);
    // `-imacros` keeps nothing of what it reads but tells that it read it.
    expect(said).toMatch(command.includes("-imacros") ? /flink|inside/u : MARKER);
  });

  test.each([
    "LD_PRELOAD=./x.so ls",
    "LD_LIBRARY_PATH=inc ls",
    "CDPATH=.. && cd out && cat s",
    "export CDPATH=..; cd out; cat s",
    "PATH=inc:/usr/bin; . flink",
    "perl -Iinc -Mflink a.pl",
    "PERL5LIB=inc perl -Mflink a.pl",
    "ruby -Iinc -rflink a.rb",
    "RUBYLIB=inc ruby a.rb",
    "CPATH=inc gcc -E -x c -include flink ok.txt",
    "AWKPATH=inc gawk -f flink ok.txt",
    "rspec -Iinc -r flink",
    "protoc -Iinc flink --descriptor_set_out=x",
    "gcc main.o -Linc -l:flink",
    "gcc main.o -Linc -T flink",
    "NODE_PATH=inc mocha -r flink",
  ])("%s is asked about or denied", async (command) => {
    expect(await scene.verdict(command)).not.toBe("pass");
  });

  test.each([
    "gcc -Isrc -c src/main.c -o main.o",
    "gcc -Isrc -include config.h -c main.c",
    "node -r dotenv/config src/main.ts",
    "NODE_PATH=src node tool.js",
    "PYTHONPATH=src python3 -m pytest -q",
    "PYTHONPATH=. python3 -m app",
  ])("%s goes on", async (command) => {
    expect(await scene.verdict(command)).toBe("pass");
  });
});

describe("the words of a loop", () => {
  test.each([
    ["for f in ~/.ssh/*; do echo x; done", /x/u],
    ["for f in ../out/*; do echo x; done", /x/u],
    ["for f in ok.txt dirlink/*; do echo x; done", /x\nx/u],
    ["if true; then for f in $HOME/.ssh/*\ndo echo x; done; fi", /x/u],
  ])("%s is stopped, and tells how many there are without the hook", async (command, told) => {
    expect(await scene.verdict(command)).toBe("deny");
    expect(runConfined(scene, "bash", command)).toMatch(told);
  });
  test.each(["for f in ../out/s; do echo x; done", "select f in ~/.ssh/*; do break; done", "for f in [[:alpha:]]*; do echo x; done"])(
    "%s is stopped",
    async (command) => {
      expect(await scene.verdict(command)).not.toBe("pass");
    },
  );
  test.each([
    "for i in 1 2 3; do npm test; done",
    "for i in {1..5}; do npm test; done",
    "for f in src/*.ts; do echo x; done",
    "for p in /api/users /api/posts; do echo x; done",
    "for x; do echo y; done",
  ])("%s goes on", async (command) => {
    expect(await scene.verdict(command)).toBe("pass");
  });
});
