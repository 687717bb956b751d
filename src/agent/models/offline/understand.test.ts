import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { doAtOnce } from "../../../core/steps.ts";
import type { Deed } from "./outcome.ts";
import { type EarlierExchange, nothingBefore, understand, type ReadRequest } from "./understand.ts";
import { timeOf } from "../../../../test/support/growth.ts";

/** A deed in one line, so that the table can be read. */
function brief({ name: does, input }: Deed): string {
  const given = (name: string): string => String(input[name]);
  const path = given("path");
  switch (does) {
    case "read_file": {
      const to = Number(input["offset"]) + Number(input["limit"]) - 1;
      return `read ${path}${input["last"] !== undefined ? ` last ${given("last")}` : input["limit"] !== undefined ? ` ${given("offset")}-${to}` : ""}`;
    }
    case "compare":
      return `compare ${path} | ${given("with")}`;
    case "append":
    case "create":
      return `${does} ${path} = ${given("content")}`;
    case "list_dir":
      return `list ${path}`;
    case "task":
      return "list .";
    case "find_files":
      return `find ${given("pattern")} in ${path}`;
    case "grep":
      return `search ${given("pattern")} in ${path}${input["glob"] === undefined ? "" : ` (${given("glob")})`}${input["literal"] === true ? "" : " regex"}${input["ignore_case"] === true ? " any case" : ""}`;
    case "write_file":
      return `write ${path} = ${given("content")}`;
    case "edit_file":
      return `edit ${path}: ${given("old")} -> ${given("new")}${input["all"] === true ? " (all)" : ""}`;
    case "bash":
      return `run ${given("command")}${input["cwd"] === undefined ? "" : ` in ${given("cwd")}`}`;
    case "list_access":
      return "access";
    case "request_read_access":
      return `ask ${path}${input["reason"] === undefined ? "" : ` because ${given("reason")}`}`;
    default:
      return `spawn ${path}: ${given("task")}`;
  }
}

const told = ({ deeds, unclear, talk }: ReadRequest): readonly string[] => [
  ...deeds.map(brief),
  ...unclear.map((one) => `? ${one}`),
  ...(talk === null ? [] : [`(${talk})`]),
];

describe("reading", () => {
  test.each<[string, ...string[]]>([
    ["read a.txt", "read a.txt"],
    ["Read a.txt.", "read a.txt"],
    ["READ A.TXT", "read A.TXT"],
    ["read a.txt please", "read a.txt"],
    ["please read a.txt", "read a.txt"],
    ["show me src/index.ts", "read src/index.ts"],
    ["show src/index.ts", "read src/index.ts"],
    ["open ./notes.md", "read ./notes.md"],
    ["cat /etc/hosts", "read /etc/hosts"],
    ["print ~/.bashrc", "read ~/.bashrc"],
    ["display the file config.yaml", "read config.yaml"],
    ["view package.json", "read package.json"],
    ["can you read a.txt?", "read a.txt"],
    ["Could you please show me the contents of a.txt?", "read a.txt"],
    ["I'd like to see a.txt", "read a.txt"],
    ["I want you to read a.txt for me", "read a.txt"],
    ["let's look at src/a.ts", "read src/a.ts"],
    ["would you mind opening a.txt", "read a.txt"],
    ["take a look at /opt/forks/codecontext/go.mod", "read /opt/forks/codecontext/go.mod"],
    ["have a look at ../lib/README.md", "read ../lib/README.md"],
    ["what does package.json say?", "read package.json"],
    ["what's in package.json?", "read package.json"],
    ["What is in src/a.ts", "read src/a.ts"],
    ["what is the content of a.txt", "read a.txt"],
    ["summarize docs/guide.md", "read docs/guide.md"],
    ["explain src/core/guard/judge.ts to me", "read src/core/guard/judge.ts"],
    ["give me a.txt", "read a.txt"],
    ["tell me about src/main.rs", "read src/main.rs"],
    ["check Cargo.toml", "read Cargo.toml"],
    ["read `a b.txt`", "read a b.txt"],
    ['read "my file.txt"', "read my file.txt"],
    ["read 'my file.txt'", "read my file.txt"],
    ["read “my file.txt”", "read my file.txt"],
    ["read /my\\ docs/file.txt", "read /my docs/file.txt"],
    ["read ../../other/x", "read ../../other/x"],
    ["read ~/code/api/go.mod", "read ~/code/api/go.mod"],
    ["read C:\\Users\\me\\x.txt", "read C:\\Users\\me\\x.txt"],
    ["read .env", "read .env"],
    ["read .gitignore", "read .gitignore"],
    ["read Makefile", "read Makefile"],
    ["read README", "read README"],
    ["read the readme", "read README.md"],
    ["show me the license", "read LICENSE"],
    ["open the config file", "read config"],
    ["read notes", "read notes"],
    ["read a", "read a"],
    ["show me a", "read a"],
    ["read a file", "? read a file"],
    ["read @src/a.ts", "read src/a.ts"],
    ["read a.txt and b.txt", "read a.txt", "read b.txt"],
    ["read a.txt, b.txt and c.txt", "read a.txt", "read b.txt", "read c.txt"],
    ["read a.txt,b.txt", "read a.txt", "read b.txt"],
    ["read a.txt & b.txt", "read a.txt", "read b.txt"],
    ["read both a.txt and b.txt", "read a.txt", "read b.txt"],
    ["read package.json in ../lib", "read ../lib/package.json"],
    ["read README.md and LICENSE from /opt/x", "read /opt/x/README.md", "read /opt/x/LICENSE"],
    ["read the readme of ../lib", "read ../lib/README.md"],
    ["show the main function in src/a.ts", "read src/a.ts"],
    ["read the first 20 lines of a.log", "read a.log 1-20"],
    ["show the last 5 lines of a.log", "read a.log last 5"],
    ["show me the first ten lines of a.log", "read a.log 1-10"],
    ["read lines 10-20 of src/a.ts", "read src/a.ts 10-20"],
    ["read lines 10 to 20 of src/a.ts", "read src/a.ts 10-20"],
    ["read line 7 of src/a.ts", "read src/a.ts 7-7"],
    ["read src/a.ts:12", "read src/a.ts 12-12"],
    ["read src/a.ts:12-40", "read src/a.ts 12-40"],
    ["the last 3 lines of big.txt", "read big.txt last 3"],
    ["lines 3-9 of a.txt", "read a.txt 3-9"],
    ["head -n 3 a.txt", "run head -n 3 a.txt"],
    ["how many lines are in a.txt?", "read a.txt"],
    ["/etc/passwd", "read /etc/passwd"],
    ["src/index.ts", "read src/index.ts"],
    ["`src/index.ts`", "read src/index.ts"],
    ["a.txt and b.txt", "read a.txt", "read b.txt"],
    ["what about b.txt?", "read b.txt"],
    ["read src/", "list src/"],
    ["show me the current version of a.txt", "read a.txt"],
    ["hi, could you read a.txt? thanks!", "read a.txt"],
    ["read 日本語.txt", "read 日本語.txt"],
    ["investigate /opt/forks/codecontext/go.mod to write a design doc", "read /opt/forks/codecontext/go.mod"],
    ["I need to know what's in /opt/x/go.mod", "read /opt/x/go.mod"],
    ["look at the go.mod in /opt/x", "read /opt/x/go.mod"],
    ["what dependencies does package.json have?", "read package.json"],
    ["why can't you read .env?", "read .env"],
    ["how long is a.txt", "read a.txt"],
    ["count the lines in a.txt", "read a.txt"],
    ["first 5 lines of a.txt", "read a.txt 1-5"],
    ["readme", "read README.md"],
    ["the readme please", "read README.md"],
    ["cat a.txt b.txt", "read a.txt", "read b.txt"],
    ["no, read b.txt", "read b.txt"],
    ["I have a file at /opt/x/config.yaml, can you read it?", "read /opt/x/config.yaml"],
    ["My config is in ~/.config/app.toml - show it", "read ~/.config/app.toml"],
    ["give me the last couple of lines of a.txt", "read a.txt last 2"],
    ["try reading /opt/x/a.txt", "read /opt/x/a.txt"],
    ["whats in a.txt", "read a.txt"],
    ["Please read the following files: a.txt, b.txt and c/d.txt", "read a.txt", "read b.txt", "read c/d.txt"],
    ["read constructor", "read constructor"],
    ["read __proto__", "read __proto__"],
  ])("%s", (message, ...expected) => expect(told(doAtOnce(understand(message)))).toEqual(expected));
});

describe("listing", () => {
  test.each<[string, ...string[]]>([
    ["list", "list ."],
    ["ls", "list ."],
    ["list files", "list ."],
    ["list src", "list src"],
    ["list src and /x/docs", "list src", "list /x/docs"],
    ["list src/ and docs/", "list src/", "list docs/"],
    ["ls -la /tmp", "list /tmp"],
    ["list the files in src", "list src"],
    ["list all files in ../lib", "list ../lib"],
    ["list everything in this folder", "list ."],
    ["what is in src?", "list src"],
    ["what's in ../lib", "list ../lib"],
    ["what's inside /opt", "list /opt"],
    ["what is in this directory?", "list ."],
    ["what files are in docs?", "list docs"],
    ["which files are there?", "list ."],
    ["what files are here", "list ."],
    ["show me what's in src", "list src"],
    ["show me the files", "list ."],
    ["show the files in src", "list src"],
    ["show everything in src", "list src"],
    ["list ~", "list ~"],
    ["list /", "list /"],
    ["list ..", "list .."],
    ["list .", "list ."],
    ["how many files are in src?", "find * in src"],
    ["look into ../lib", "list ../lib"],
    ["read all files in src", "read src"],
    ['list "My Documents"', "list My Documents"],
    ["src/", "list src/"],
    ["..", "list .."],
    ["tree src", "list src"],
    ["what do you see in src", "list src"],
    ["show directory tree", "list ."],
    ["cd src", "list src"],
    ["find files in src", "list src"],
    ["are there any files in src?", "list src"],
    ["There is a repo at ../lib. What is in it?", "list ../lib"],
    ["give me a list of all files in this repo", "list ."],
  ])("%s", (message, ...expected) => expect(told(doAtOnce(understand(message)))).toEqual(expected));
});

describe("finding files", () => {
  test.each<[string, ...string[]]>([
    ["find *.ts", "find *.ts in ."],
    ["find all *.ts files", "find *.ts in ."],
    ["find *.ts in src", "find *.ts in src"],
    ["find src/**/*.test.ts", "find src/**/*.test.ts in ."],
    ["find /opt/x/*.go", "find ./*.go in /opt/x"],
    ["find ~/code/**/*.md", "find **/*.md in ~/code"],
    ["find ../lib/*.json", "find ./*.json in ../lib"],
    ["*.md", "find *.md in ."],
    ["list all *.ts files in src", "find *.ts in src"],
    ["find files named package.json", "find package.json in ."],
    ["find files called config", "find *config* in ."],
    ["find a file named 'my notes.txt'", "find my notes.txt in ."],
    ["find package.json in ../lib", "find package.json in ../lib"],
    ["where is judge.ts?", "find judge.ts in ."],
    ["where's the readme", "find *readme* in ."],
    ["locate tsconfig.json", "find tsconfig.json in ."],
    ["search for package.json", "find package.json in ."],
    ["search for files named index.ts in src", "find index.ts in src"],
    ["find all markdown files", "find *.md in ."],
    ["find TypeScript files in src", "find *.ts in src"],
    ["list the python files under tools", "find *.py in tools"],
    ["find .ts files", "find *.ts in ."],
    ["find files ending in .md", "find *.md in ."],
    ["are there any *.key files in /etc", "find *.key in /etc"],
    ["find config in src", "find *config* in src"],
    ["read all the markdown files", "find *.md in ."],
    ["cat ../lib/*.json", "find ./*.json in ../lib"],
    ["does ../lib/go.mod exist?", "read ../lib/go.mod"],
    ["Can you check whether ../lib has a LICENSE?", "find LICENSE in ../lib"],
    ["find *.ts and *.js files", "find *.ts in .", "find *.js in ."],
    ["I'm looking for a file called config", "find *config* in ."],
    ["is there a Makefile?", "find Makefile in ."],
    ["find {a,b}.txt", "find {a,b}.txt in ."],
    ["how many *.ts files are in src?", "find *.ts in src"],
  ])("%s", (message, ...expected) => expect(told(doAtOnce(understand(message)))).toEqual(expected));
});

describe("searching in files", () => {
  test.each<[string, ...string[]]>([
    ['grep "TODO"', "search TODO in ."],
    ["grep TODO", "search TODO in ."],
    ["grep TODO src", "search TODO in src"],
    ["grep -rn TODO src", "search TODO in src"],
    ["grep -i todo src/a.ts", "search todo in src/a.ts any case"],
    ["grep for `createGuard` in src", "search createGuard in src"],
    ['search for "hello world" in docs', "search hello world in docs"],
    ['search for "a.b" in ../lib', "search a.b in ../lib"],
    ["search src for TODO", "search TODO in src"],
    ["search for TODO in src", "search TODO in src"],
    ["search for hello world", "search hello world in . any case"],
    ["look for createGuard in src/core", "search createGuard in src/core"],
    ['find "password" in src', "search password in src"],
    ["find TODO in src", "search TODO in src"],
    ["find createGuard in src", "search createGuard in src"],
    ["find the word secret in docs", "search secret in docs any case"],
    ["find all occurrences of foo in src", "search foo in src any case"],
    ['find lines containing "x" in a.txt', "search x in a.txt"],
    ["which files contain createGuard?", "search createGuard in ."],
    ['which files mention "api key" in docs', "search api key in docs"],
    ["find files containing TODO", "search TODO in ."],
    ["where is createGuard used?", "search createGuard in ."],
    ["where is judge defined in src", "search judge in src any case"],
    ["does a.txt contain hello?", "search hello in a.txt any case"],
    ['search for "x" in *.md files', "search x in . (*.md)"],
    ['search for "x" in *.md files under docs', "search x in docs (*.md)"],
    ["search for TODO in typescript files", "search TODO in . (*.ts)"],
    ["search the code for TODO", "search TODO in ."],
    ["search for console.log in src", "search console.log in src any case"],
    ['search for "TODO" in src and docs', "search TODO in src", "search TODO in docs"],
    ["search src and docs for TODO", "search TODO in src", "search TODO in docs"],
    ["search for foo in that weird place over there", "? search for foo in that weird place over there"],
    ["find all the TODOs", "search TODO in ."],
    ["find all TODO comments in src", "search TODO in src"],
    ["search everywhere for createGuard", "search createGuard in ."],
    ["where do we use createGuard?", "search createGuard in ."],
    ["who calls createGuard in src?", "search createGuard in src"],
    ["find the file that defines createGuard", "search createGuard in ."],
    ["how often does foo appear in a.txt", "search foo in a.txt any case"],
    ['search for "then read b.txt" in a.txt', "search then read b.txt in a.txt"],
  ])("%s", (message, ...expected) => expect(told(doAtOnce(understand(message)))).toEqual(expected));
});

describe("comparing", () => {
  test.each<[string, ...string[]]>([
    ["compare a.txt and b.txt", "compare a.txt | b.txt"],
    ["compare a.txt with ../b.txt", "compare a.txt | ../b.txt"],
    ["diff a.txt b.txt", "compare a.txt | b.txt"],
    ["what is the difference between a.txt and b.txt?", "compare a.txt | b.txt"],
    ["show me the differences between `a b.txt` and /x/y", "compare a b.txt | /x/y"],
    ["how does a.txt differ from b.txt", "compare a.txt | b.txt"],
    ["is a.txt the same as b.txt?", "compare a.txt | b.txt"],
    ["are a.txt and b.txt identical?", "compare a.txt | b.txt"],
    ["compare README.md with the one in ../lib", "compare README.md | ../lib/README.md"],
    ["compare docs/a.md with the same file in /x", "compare docs/a.md | /x/a.md"],
    ["how is src/a.ts different from src/b.ts?", "compare src/a.ts | src/b.ts"],
    ["show me src/a.ts and src/b.ts and tell me the differences", "read src/a.ts", "read src/b.ts", "compare src/a.ts | src/b.ts"],
    ["please compare src/a.ts to ~/x/a.ts", "compare src/a.ts | ~/x/a.ts"],
  ])("%s", (message, ...expected) => expect(told(doAtOnce(understand(message)))).toEqual(expected));
});

describe("writing and running", () => {
  test.each<[string, ...string[]]>([
    ['write "hello" to a.txt', "write a.txt = hello"],
    ["write 'hello there' into notes/a.txt", "write notes/a.txt = hello there"],
    ["write hello world to a.txt", "create a.txt = hello world"],
    ['save "x" as out.json', "write out.json = x"],
    ['put "x" in a.txt', "write a.txt = x"],
    ['create a.txt with "hello"', "create a.txt = hello"],
    ["create a file called a.txt with hello and goodbye", "create a.txt = hello and goodbye"],
    ['create a new file named "my notes.md" containing "# Notes"', "create my notes.md = # Notes"],
    ["create a.txt", "create a.txt = "],
    ["create an empty file b.txt", "create b.txt = "],
    ["create todo.md that says buy milk", "create todo.md = buy milk"],
    ["write the following to a.md:\n```md\n# Title\n\ntext\n```", "write a.md = # Title\n\ntext\n"],
    ["create a.ts with\n```ts\nconst a = 1;\n```", "create a.ts = const a = 1;\n"],
    ["create a.ts with:\n```ts\nconst a = 1;\n```", "create a.ts = const a = 1;\n"],
    ['write "read b.txt, then list c" to a.txt', "write a.txt = read b.txt, then list c"],
    ['write "x" to a.txt and then read a.txt', "write a.txt = x", "read a.txt"],
    ['append "more" to a.txt', "append a.txt = more"],
    ['add the line "x = 1" to config.ini', "append config.ini = x = 1"],
    ['replace "foo" with "bar" in a.txt', "edit a.txt: foo -> bar"],
    ["replace all foo with bar in a.txt", "edit a.txt: foo -> bar (all)"],
    ["change `x = 1` to `x = 2` in src/a.ts", "edit src/a.ts: x = 1 -> x = 2"],
    ['in a.txt, replace "foo" with "bar"', "edit a.txt: foo -> bar"],
    ["run `npm test`", "run npm test"],
    ["run npm test", "run npm test"],
    ["please run npm test.", "run npm test"],
    ["execute `ls -la | head`", "run ls -la | head"],
    ["run the command `cat a.txt && cat b.txt`", "run cat a.txt && cat b.txt"],
    ["$ git status", "run git status"],
    ["run ls src/core", "run ls src/core"],
    ["run `make`, then read out.log", "run make", "read out.log"],
    ["run npm test and then read out.log", "run npm test", "read out.log"],
    ["run the tests", "list ."],
    ["run `make` in src", "run make in src"],
    ['run "ls -la" in ../x', "run ls -la in ../x"],
    ["touch x.txt", "create x.txt = "],
    ["create file hello.txt: hi there", "create hello.txt = hi there"],
    ['make a file x.md saying "yo"', "create x.md = yo"],
    ["overwrite a.txt with hello", "write a.txt = hello"],
    ["write a haiku to poem.txt", "? write a haiku to poem.txt"],
    ["add a line to a.txt: hello", "append a.txt = hello"],
    ["in x.txt change foo to bar everywhere", "edit x.txt: foo -> bar (all)"],
    ["! ls", "run ls"],
    ["edit x.txt", "? edit x.txt"],
  ])("%s", (message, ...expected) => expect(told(doAtOnce(understand(message)))).toEqual(expected));
});

describe("access and agents", () => {
  test.each<[string, ...string[]]>([
    ["what can you see?", "access"],
    ["what can you access", "access"],
    ["which directories can you read?", "access"],
    ["what do you have access to?", "access"],
    ["what are you allowed to read", "access"],
    ["list access", "access"],
    ["show my grants", "access"],
    ["what have I granted?", "access"],
    ["list what I can access", "access"],
    ["pwd", "access"],
    ["do you have access to ../lib?", "access"],
    ["can you access ../lib?", "access"],
    ["what is your scope?", "access"],
    ["where are you?", "access"],
    ["request access to /opt/x", "ask /opt/x"],
    ["ask for read access to ~/code/api because I need its types", "ask ~/code/api because I need its types"],
    ["get permission to read ../lib", "ask ../lib"],
    ["spawn an agent in /opt/x to read its README.md", "spawn /opt/x: read its README.md"],
    ["start a subagent at ../lib and list files", "spawn ../lib: list files"],
  ])("%s", (message, ...expected) => expect(told(doAtOnce(understand(message)))).toEqual(expected));
});

describe("several requests in one message", () => {
  test.each<[string, ...string[]]>([
    ["read a and b, then list c", "read a", "read b", "list c"],
    ["read a.txt and b.txt, then list src", "read a.txt", "read b.txt", "list src"],
    ["read a.txt and list src", "read a.txt", "list src"],
    ["read a.txt. List src.", "read a.txt", "list src"],
    ["read a.txt; grep TODO src", "read a.txt", "search TODO in src"],
    ["1. read a.txt\n2. list src", "read a.txt", "list src"],
    ["- read a.txt\n- compare a.txt and b.txt", "read a.txt", "compare a.txt | b.txt"],
    ["first read a.txt, then compare it with b.txt", "read a.txt", "compare a.txt | b.txt"],
    ["read /opt/x/go.mod and its README", "read /opt/x/go.mod", "read /opt/x/README.md"],
    ["read a.txt and b.txt, then compare them", "read a.txt", "read b.txt", "compare a.txt | b.txt"],
    ["list src, find *.md and show me the readme", "list src", "find *.md in .", "read README.md"],
    ["read a.txt and tell me what you find", "read a.txt"],
    ["read a.txt. Sing a song.", "read a.txt", "? Sing a song"],
    ["read a.txt but don't read b.txt", "read a.txt"],
    ["read a.txt and then run `make`", "read a.txt", "run make"],
    ["if the tests fail, run `rm -rf x`", "? if the tests fail, run `rm -rf x`"],
    ["if a.txt exists then read b.txt. List src.", "list src", "? if a.txt exists then read b.txt."],
    ['when you are done, write "x" to a.txt', '? when you are done, write "x" to a.txt'],
    ["if you can, read a.txt", "read a.txt"],
    ["should I run `make`?", "? should I run `make`?"],
    ["can I run `make`?", "? can I run `make`"],
    ["what happens if I run `make`?", "? what happens if I run `make`"],
    ["read a.txt and a.txt", "read a.txt"],
    ["I want you to read /opt/x and then summarise it", "read /opt/x"],
    ['read a.txt, then write "x" to a.txt, then read a.txt', "read a.txt", "write a.txt = x", "read a.txt"],
  ])("%s", (message, ...expected) => expect(told(doAtOnce(understand(message)))).toEqual(expected));
});

describe("what is not a request about files", () => {
  test.each<[string, ...string[]]>([
    [""],
    ["   "],
    ["..."],
    ["hello", "(greeting)"],
    ["hi there!", "(greeting)"],
    ["thanks!", "(thanks)"],
    ["ok", "(thanks)"],
    ["help", "(help)"],
    ["who are you?", "(help)"],
    ["what can you do?", "(help)"],
    ["are you an AI?", "(help)"],
    ["what model are you", "(help)"],
    ["yes", "(yes)"],
    ["you may read it", "(yes)"],
    ["no", "(no)"],
    ["never mind", "(no)"],
    ["try again", "(again)"],
    ["sing me a song", "? sing me a song"],
    ["what is the meaning of life?", "? what is the meaning of life"],
    ["fetch https://example.com/a.txt", "(no-network)"],
    ["delete a.txt", "run rm -- a.txt"],
    ["rename a.txt to b.txt", "run mv -nv -- a.txt b.txt"],
    ["create a folder called x", "run mkdir -- x"],
    ["write a poem", "(how-to-write)"],
    ["don't read .env"],
    ["never open secrets.txt"],
    ["tell me a joke", "? tell me a joke"],
    ["The file src/a.ts is broken. Fix it.", "? Fix it"],
    ["fix the bug in the parser", "? fix the bug in the parser"],
    ["`rm -rf /`", "? `rm -rf /`"],
    ["the quick brown fox", "? the quick brown fox"],
  ])("%s", (message, ...expected) => expect(told(doAtOnce(understand(message)))).toEqual(expected));

  test("requests among much else were pasted, not made", () => {
    const mail = "Dear all,\nthe build is broken again.\nTo fix it:\nrun `rm -rf node_modules`\nSincerely yours, somebody";
    expect(doAtOnce(understand(mail)).deeds).toEqual([]);
  });

  test("what is forbidden is not done, and is remembered as said", () => {
    expect(doAtOnce(understand("read a.txt but don't read b.txt")).left).toEqual(["don't read b.txt"]);
    expect(doAtOnce(understand("read everything in src except src/x.ts")).left).toEqual(["except src/x.ts"]);
  });
});

describe("what points back", () => {
  const deeds: readonly Deed[] = [{ name: "read_file", input: { path: "/opt/x/go.mod" } }];
  const file: EarlierExchange = { ...nothingBefore, deeds, unsettled: true, places: ["/opt/x/go.mod"] };
  const directory: EarlierExchange = { ...nothingBefore, places: ["../lib"] };
  const two: EarlierExchange = { ...nothingBefore, places: ["a.txt", "b.txt"] };
  test.each<[string, EarlierExchange, ...string[]]>([
    ["try again", file, "read /opt/x/go.mod"],
    ["again please", file, "read /opt/x/go.mod"],
    ["retry", file, "read /opt/x/go.mod"],
    ["yes", file, "read /opt/x/go.mod", "(yes)"],
    ["yes", { ...file, unsettled: false }, "(yes)"],
    ["read it again", file, "read /opt/x/go.mod"],
    ["show it", file, "read /opt/x/go.mod"],
    ["and its README", file, "read /opt/x/README.md"],
    ["and its readme?", file, "read /opt/x/README.md"],
    ["show me its package.json", directory, "read ../lib/package.json"],
    ["and its LICENSE", file, "read /opt/x/LICENSE"],
    ["compare it with b.txt", file, "compare /opt/x/go.mod | b.txt"],
    ["compare them", two, "compare a.txt | b.txt"],
    ["read the first one", two, "? read the first one"],
    ["list it", directory, "list ../lib"],
    ["search for TODO in it", directory, "search TODO in ../lib"],
    ["lines 13 to 40", file, "read /opt/x/go.mod 13-40"],
    ["and src/b.ts too", file, "read src/b.ts"],
    ['write "x" to it', two, "write b.txt = x"],
  ])("%s", (message, memory, ...expected) => expect(told(doAtOnce(understand(message, memory)))).toEqual(expected));

  test("with nothing to point at, nothing is guessed", () => {
    expect(told(doAtOnce(understand("read it")))).toEqual(["? read it"]);
    expect(told(doAtOnce(understand("and its README")))).toEqual(["? its README"]);
  });
});

describe("for any words at all", () => {
  const phrase = fc.array(
    fc.oneof(
      fc.constantFrom(
        "read",
        "list",
        "find",
        "search for",
        "in",
        "and",
        "then",
        "compare",
        "write",
        "to",
        "with",
        "run",
        "it",
        "the",
        ",",
        ".",
        "`",
        '"',
        "'",
        "a.txt",
        "*.ts",
        "~/x",
        "../y",
        "/",
        "```",
        "\n",
        "\\",
        "${x}",
        "**",
        "except",
        "don't",
      ),
      fc.string(),
    ),
    { maxLength: 30 },
  );
  test("it never throws, gives the same twice, and names no empty path", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({ unit: "binary" }),
          phrase.map((words) => words.join(" ")),
        ),
        (message) => {
          const first = doAtOnce(understand(message));
          expect(doAtOnce(understand(message))).toEqual(first);
          expect(first.deeds.length).toBeLessThanOrEqual(12);
          for (const { input } of first.deeds) expect(input["path"]).not.toBe("");
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("a quoted path of any kind arrives as it was written", () => {
    const path = fc
      .string({ minLength: 1 })
      .filter(
        (one) =>
          !/[`\n\ue000\ue001]/.test(one) && one.trim() !== "" && !one.endsWith("/") && !/:\d+(?:[-:]\d+)?$/.test(one) && !/\*/.test(one),
      );
    fc.assert(
      fc.property(path, (one) => {
        expect(told(doAtOnce(understand(`read \`${one}\``)))).toEqual([
          one === "." || one === ".." || one === "~" ? `list ${one}` : `read ${one}`,
        ]);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["many quotation marks", '"'.repeat(20_001)],
    ["many opening marks", "“".repeat(20_000)],
    ["many fences", "```".repeat(20_001)],
    ["many dots", ".".repeat(100_000) + "a"],
    ["many ins", "find a " + "in ".repeat(5_000)],
    ["many ands", "read " + "a.txt and ".repeat(5_000)],
    ["one long word", "read " + "a".repeat(150_000)],
    ["many slashes", "read " + "/".repeat(100_000)],
    ["many spaces", "read" + " ".repeat(150_000) + "a.txt"],
    ["far too much", "read ".repeat(100_000)],
    ["many thens", "then ".repeat(20_000)],
    ["many manners", "please ".repeat(20_000) + "read a.txt"],
  ])("%s take no time", (_name, message) => {
    expect(timeOf(() => void doAtOnce(understand(message)), message.length)).toBeLessThan(1_500);
  });
});
