// Words that look like paths and are none: programs given as text, and variables whose value the line itself tells.

import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { grow } from "../../../../test/scene.ts";
import { commandPaths } from "./command-paths.ts";

const at = grow(["ws/src/a.txt: 1", "out/s: SECRET"]);
const around = { base: at.path("ws"), home: at.path("home"), workspace: at.path("ws") };
const pathsOf = (command: string): readonly string[] => commandPaths(command, around).accesses.map(({ path }) => path);

test.each([
  `python3 -c "import os\nprint(os.getcwd())"`,
  `node -e 'const a = 1;\nconsole.log(a)'`,
  `perl -e 'print 1;\nprint 2;'`,
  `./run.sh "first line\nsecond/line"`,
  `TEXT="one\ntwo" ./run.sh`,
])("no path has a line break: %j", (command) => {
  expect(pathsOf(command).filter((path) => /[\n\r]/u.test(path))).toEqual([]);
});

test("what a text of several lines names is judged", () => {
  expect(pathsOf(`python3 -c "import os\nprint(open('${at.path("out/s")}').read())"`)).toContain(at.path("out/s"));
  expect(pathsOf(`./run.sh "${at.path("out/s")}\nx"`)).toContain(at.path("out/s"));
});

test("a name with a line break is a doubt where it is there, and where something is put there", () => {
  expect(commandPaths("cat 'd\nd/../../out/s'", around).doubts).toEqual([]);
  mkdirSync(at.path("ws/d\nd"));
  expect(commandPaths("cat 'd\nd/../../out/s'", around).doubts).not.toEqual([]);
  expect(commandPaths("./run.sh 'd\nd/../../out/s'", around).doubts).not.toEqual([]);
  expect(commandPaths("touch 'a\nb'", around).doubts).not.toEqual([]);
  expect(commandPaths("echo x > 'a\nb'", around).doubts).not.toEqual([]);
});

test.each(["/usr/lib/git-core/git-x status", "/usr/local/go/bin/go version", "/opt/tool/bin/tool", "/snap/bin/x"])(
  "the command's own name is no file that is read outside: %s",
  (command) => expect(pathsOf(command).filter((path) => command.startsWith(path))).toEqual([]),
);

test.each(["/out/bin/tool", "/usr/../out/tool", "/opt/../out/tool", "~/bin/tool"])("a program elsewhere is: %s", (command) =>
  expect(pathsOf(command)).toContain(command),
);

test.each([
  ["F=src/a.txt; cat $F", "src/a.txt"],
  ["DIR=src && cat ${DIR}/a.txt", "src/a.txt"],
  ['A=src\nB="a.txt"; cat "$A/$B"', "src/a.txt"],
  [`F=../out/s; cat $F`, "../out/s"],
  ["C=cat; $C ../out/s", "../out/s"],
])("what the line itself sets is known: %s", (command, path) => {
  expect(commandPaths(command, around).doubts).toEqual([]);
  expect(pathsOf(command)).toContain(path);
});

test.each([
  "F=src/a.txt; F=../out/s; cat $F",
  "F=src/a.txt; read F; cat $F",
  "F=src/a.txt; for F in *; do cat $F; done",
  "F=src/a.txt cat $F",
  "true; F=src/a.txt; cat $F",
  "F=src/a.txt | cat $F",
  "F=src/a.txt || true; cat $F",
  "F=*; cat $F",
  "F=~/x; cat $F",
  "F=$G; cat $F",
  "F=src/a.txt; cat $FG",
  "F=src/a.txt; cat ${F%a}",
  "F=src/a.txt; cat $F[1]",
  "F=src/a.txt; cat $F:h",
  "RANDOM=1; cat $RANDOM",
  "IFS=a; cat $IFS",
  "F=src/a.txt; bash -c 'cat $F'",
  "F+=src/a.txt; cat $F",
])("what may be something else by then is a doubt: %s", (command) => {
  expect(commandPaths(command, around).doubts).not.toEqual([]);
});
