// The teeth of the tables: commands put together at random from hostile pieces; whatever the hook lets pass is really run, in bash and in
// dash, and nothing from outside may come out. Some of the same pieces, run without asking the hook, do leak.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { commandScene, MARKER } from "../../../../test/hook/command-scene.ts";
import { runConfined } from "../../../../test/hook/confined-shell.ts";

const scene = commandScene();
afterAll(() => scene.at.remove());
const outside = scene.at.path("out/s");

const BEFORE = [
  "",
  "",
  "",
  "",
  "cd src && ",
  "cd src/jump; ",
  "cd missing; ",
  "false && cd src; ",
  "! cd missing && ",
  "cd src < missing; ",
  "cd missing && ls; ",
  "rmdir gone; cd gone; ",
  "cd src/jump; cd ..; ",
  "X=1 ",
  "HOME=../out ",
  "set -e; ",
  "for HOME in ../out; do ",
  "true || ",
  "! ",
  "{ ",
  "(",
  "export HOME=../out; ",
  "f() { ",
  "ls () { ",
];
/** How many that pass are run. */
const PASSED = 120;

const HEADS = (
  "cat|cat --|head -n 1|head -c 9|tail -n1|tail -n|wc -L|nl|tac|rev|cut -c1-|cut -d/ -f1|paste -d,|fold|sort|sort -T|sort -o o.txt|uniq|comm ok.txt|join ok.txt|diff ok.txt|cmp -b ok.txt|" +
  "od -c|od -w|xxd|strings -n|base64|base64 -w|md5sum|stat|file -b|ls|ls -d|ls -I|du|grep -n ''|grep -e ''|grep -C|grep -rf|grep -A 1 ''|grep -m|egrep ''|sed -n p|sed -e p|sed -n|sed -i p|awk 1|awk '{print}'|awk -f|awk -v x=1 1|" +
  "jq -R .|jq -Rn input|jq -f|find|find . -newer|find . -name x -o -samefile|date -f|date -r|date -d|echo|printf %s|test -f|[ -f|[[ -f|cp ok.txt|cp|mv|ln -s|tee|touch|rm|mkdir -p|tar cf -|tar cf x.tar|dd if=ok.txt|dd|" +
  "source|.|bash|bash -n|bash -s|bash -c|bash -lc|sh|sh -ec|dash|python3|python3 -|python3 -u|python3 -m|perl|perl -c|node|make -f|make -n -f|make|env|env cat|env -i cat|env -S|env -iS|env -u X|timeout 5|timeout 5 cat|/usr/bin/timeout 5 cat|" +
  "/usr/bin/timeout 5 bash -c|nice cat|nice -n 5 bash -c|command cat|command|builtin source|exec cat|nohup cat|setsid cat|stdbuf -o L cat|time cat|git diff --no-index ok.txt|git show|git log|git hash-object|git config alias.x|xargs cat|xargs -a|eval|" +
  "gcc -E -xc|gcc -E -xc -include|gcc -E @|make MAKEFILES=|ninja -f|cmake -P|cmake -E cat|strings|ar p|tar cfC -|tar cCf|cp -P|cp -r|cp --parents|ln -sfn|ln -f|mv -f|diff src|git diff --no-index --|git grep --no-index ''|git grep -f ok.txt|" +
  "cat <|cat <<<|cat 0<|read X <|export A=|declare A=|A=|npx -c|npm exec -c|pushd|trap|yes|id|expr|basename|realpath|readlink -f|tree|column -t|column -n|fmt -p|less|more|view|ed -s|bc|dc|m4|php|ruby|zcat -f|gzip -c|iconv|pr|look ''|shuf|split|numfmt|factor|curl -s|curl -sT|rsync"
).split("|");
const WORDS = [
  "../out/s",
  outside,
  "link",
  "dirlink/s",
  "l*",
  "d*/s",
  "*",
  ".?/out/s",
  ".*/out/s",
  ".[.]/out/s",
  "./../out/s",
  "src/../../out/s",
  `$!${outside}`,
  '"$!"../out/s',
  ".$!./out/s",
  ".$!env",
  ".env",
  ".e?v",
  ".e{n,x}v",
  ".[[:alpha:]]nv",
  "[[:alpha:]]ink",
  "[[=l=]]ink",
  "[[.l.]]ink",
  ".[a-f]nv",
  ".[!x]nv",
  '.["e"]nv',
  ".[{x]nv,e]nv}",
  "**/s",
  "x://../../out/s",
  "-xc /dev/stdin",
  "-includelink /dev/null",
  "-Wp,-include,link /dev/null",
  ":(top).env",
  "':(glob).en*'",
  "src d && cat d/../../out/s",
  "dirlink d && cat d/s",
  "link d && cat d",
  "../out/s src/d && cat src/d",
  ". d && cat d/../out/s",
  ".{d..f}nv",
  "..''/out/s",
  "\\../out/s",
  "'../out/s'",
  '"../out/s"',
  "{x,../out/s}",
  "{x{y},../out/s}",
  ".{.,x}/out/s",
  "~/s",
  "$HOME/s",
  "$PWD-old/s",
  '"$PWD"-old/s',
  "$PWD/link",
  '"$HOME"/s',
  "'~/l'",
  "~+/../out/s",
  "file:/l",
  `file://${outside}`,
  "$(echo ../out/s)",
  "`echo ../out/s`",
  "${X:-../out/s}",
  "$\\\n{X:-../out/s}",
  '"$\\\n{X:-../out/s}"',
  "$'../out/s'",
  '$"../out/s"',
  "[x]l",
  "'[x]'l",
  "\\[x]*",
  "16",
  "-",
  "/dev/stdin",
  "/dev/fd/0",
  "/dev/./stdin",
  "..\\\n/out/s",
  "@../out/s",
  "-f../out/s",
  "-rf../out/s",
  "--file=../out/s",
  "-e../out/s",
  "-o../out/s",
  "if=../out/s",
  "x=../out/s",
  "HEAD:.env",
  "ok.txt",
  "src/main.ts",
  "src/*",
  "16 ok.txt",
  "5 link",
  "+ link",
  "'cat ../out/s'",
  "'cd ..; cat out/s'",
  "'cd ..;cat out/s' x",
  "'!cat ../out/s'",
  "-c 'cat ../out/s'",
  "- x",
  "/dev/stdin x",
  "-- link",
  "-x cat ../out/s",
  "'w o.txt' link",
  "'r link' ok.txt",
  "'$r link' ok.txt",
  "'1e cat link' ok.txt",
  "'{print; while ((getline l < \"link\") > 0) print l}' ok.txt",
  "'BEGIN{system(\"cat link\")}'",
  "ok.txt -exec cat link ';'",
  ". -exec cat link ';'",
  "-C .. out/s",
  "-C dirlink s",
  "src/jump/../../../../out/s",
  "../../../out/s",
  "../../../../out/s",
  "'' link",
  "= link",
  "/ link",
  "ok.txt link",
  "ok.txt o2.txt",
  "ok.txt -R",
];
const AFTER = [
  "",
  "",
  "",
  "",
  " | cat",
  "; true",
  " ]",
  " ]]",
  "; done",
  "; }",
  ")",
  "; cat o.txt",
  " < ../out/s",
  " < link",
  " < /dev/null",
  " <<< 'cat ../out/s'",
  ' <<< "$(cat ../out/s)"',
  " <<'EOF'\ncat ../out/s\nEOF",
  " <<'EOF'\nprint(open('../out/s').read())\nEOF",
  " <<'EOF'\nall:\n\t@cat ../out/s\nEOF",
  " <<EOF\nEO\\\nF\ncat ../out/s\nEOF",
  " <<E$x''F\nE$xF\ncat ../out/s\nEF",
  " <<E\\\nF\n$(cat ../out/s)\nEF",
  " && cat ok.txt",
  " # ../out/s",
  " # x; cat ../out/s",
  " > o.txt; cat o.txt",
  "; git x",
  "; ls; }; ls ok.txt",
  " \\\n link",
  " 2>&1",
  " {link,ok.txt}",
];

/** A small generator, so that a failure can be had again. */
function dice(seed: number) {
  let state = seed;
  return <T>(list: readonly T[]): T => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const found = list[Math.floor((state / 2 ** 32) * list.length)];
    if (found === undefined) throw new Error("an empty list");
    return found;
  };
}

const outsideNow = () =>
  [scene.at.path("out"), scene.home].map((dir) =>
    readdirSync(dir).map((name) => [name, name === "s" ? readFileSync(`${dir}/${name}`, "utf8") : ""]),
  );

test.each([
  ["bash", 'cat <<< "$(cat ../out/s)"'],
  ["bash", `cat $!${outside}`],
  ["bash", "cat .$!./out/s"],
  ["bash", "cat $PWD-old/s"],
  ["bash", "cat $\\\n{X:-../out/s}"],
  ["bash", "cat {x{y},../out/s}"],
  ["bash", "cat .{d..f}nv"],
  ["bash", "cat '['x]l"],
  ["bash", "bash -s x"],
  ["bash", "source /dev/stdin <<< 'cat ../out/s'"],
  ["bash", "cat <<EOF\nEO\\\nF\ncat ../out/s\nEOF"],
  ["bash", "cat <<E$x''F\nE$xF\ncat ../out/s\nEF"],
  ["bash", "/usr/bin/env -S 'cat ../out/s'"],
  ["bash", "env bash +x -c 'cd ..; cat out/s'"],
  ["bash", "date -f link"],
  ["bash", "printf -v 'a[$(cat ../out/s >&2)]' x"],
  ["bash", "for HOME in ../out; do cat ~/s; done"],
  ["bash", "cd missing; cat link"],
  ["bash", "false && cd src; cat link"],
  ["bash", "cd src/jump; cd ../..; cat ../out/s"],
  ["dash", "cat .?/out/s"],
  ["bash", "cat .[[:alpha:]]nv"],
  ["dash", "cat .[[:alpha:]]nv"],
  ["bash", "cat < [[:alpha:]]ink"],
  ["bash", "cat [[=l=]]ink"],
  ["bash", "cat [[.l.]]ink"],
  ["bash", "cat [!a-k]ink"],
  ["bash", "cp [[:alpha:]]ink e.txt; cat e.txt"],
  ["bash", "mv .[[:alpha:]]nv e.txt; cat e.txt; mv e.txt .env"],
  ["bash", "cat .[{x]nv,e]nv}"],
  ["bash", "shopt -s extglob globstar\ncat .@(e)nv"],
])("%s: %s is stopped by the hook, and leaks without it", async (shell, command) => {
  expect(await scene.verdict(command)).not.toBe("pass");
  expect(runConfined(scene, shell, command)).toMatch(MARKER);
});

/** Milliseconds: a command made at random may wait for what never comes. */
const QUICK = 1_500;

test("what the hook lets pass gives nothing from outside, in bash and in dash", async () => {
  const pick = dice(Number(process.env["HALLPASS_SEED"] ?? "20261115"));
  const before = outsideNow();
  const passed = new Set<string>();
  for (let made = 0; made < 20_000 && passed.size < PASSED; made += 1) {
    const command = `${pick(BEFORE)}${pick(HEADS)} ${pick(WORDS)}${pick(AFTER)}`;
    if ((await scene.verdict(command)) === "pass") passed.add(command);
  }
  expect(passed.size).toBe(PASSED);
  const leaks: string[] = [];
  let tried = 0;
  for (const command of passed) {
    // What an earlier one took away or wrote must not decide about this one.
    mkdirSync(`${scene.workspace}/src`, { recursive: true });
    rmSync(`${scene.workspace}/ok.txt`, { recursive: true, force: true });
    writeFileSync(`${scene.workspace}/ok.txt`, "inside");
    // Judged again: names that patterns stand for may have come since.
    if ((await scene.verdict(command)) !== "pass") continue;
    tried += 1;
    for (const shell of ["bash", "dash"]) if (MARKER.test(runConfined(scene, shell, command, QUICK))) leaks.push(`${shell}: ${command}`);
  }
  expect(leaks).toEqual([]);
  expect(outsideNow()).toEqual(before);
  expect(tried).toBeGreaterThan(PASSED / 2);
});
