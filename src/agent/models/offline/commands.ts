// Command lines: what is one, so that it can be run as it was typed, and what only speaks of one ("npm test fails").

/** Programs people call by name. Those that wait for a terminal are left out. */
const PROGRAMS = new Set(
  "git npm npx pnpm yarn node deno bun python python3 pip pip3 cargo go rustc make cmake gcc clang java javac mvn gradle docker kubectl terraform ruby bundle rake php composer dotnet swift tsc eslint prettier vitest jest pytest tox ruff mypy ls cat head tail grep rg find sed awk sort uniq wc cut tr xargs echo printf date whoami uname env du df ps kill chmod cp mv rm mkdir rmdir touch ln tar zip unzip gzip curl wget tree pwd cd diff jq sleep true false seq bash sh zsh id hostname uptime printenv export file stat basename dirname tee".split(
    " ",
  ),
);
/** What stands between the commands of a shell's own sentences. */
const KEYWORDS = new Set(["for", "while", "until", "if", "do", "done", "then", "else", "elif", "fi", "case", "esac", "[", "!", "{", "("]);
/** The tools of our own do these as well, and better. */
const OWN = new Set(["ls", "cat", "grep", "rg", "tree", "pwd", "cd", "touch"]);
/** Plain words that may follow a program, and those after which names may follow. */
const WORDS = new Set(
  "status log diff show branch blame stash fetch pull push remote tag add commit checkout switch restore merge rebase reset describe init clone config test t ci install i run start build lint outdated audit ls list ps images up down version help check fmt format clippy doc mod tidy vet get exec dev all clean compose update upgrade remove uninstall info view why pack package verify compile publish prune dedupe cache link whoami task artisan bisect reflog worktree submodule shortlog cherry gc clean grep apply revert -".split(
    " ",
  ),
);
const NAMING =
  /^(?:add|install|i|run|exec|get|checkout|switch|branch|push|pull|merge|remote|remove|uninstall|show|stash|clone|view|info|ls|list|why|update|upgrade|outdated|x|-.*)$/;
const FREE = new Set(["echo", "printf", "mkdir", "rmdir", "rm", "mv", "cp", "kill", "npx", "seq"]);
/** Words of prose: with one of them it is a sentence about a command. */
const PROSE =
  /^(?:is|are|was|were|be|am|the|a|an|and|or|but|if|then|when|while|because|so|that|this|it|its|to|for|with|of|at|me|my|you|your|i|we|not|no|never|why|how|what|does|do|did|don't|doesn't|didn't|can't|won't|isn't|has|have|had|fails?|failed|failing|works?|worked|broke|broken|breaks|says?|said|shows?|showed|gives?|gave|hangs?|crash(?:es|ed)?|errors?|takes?|took|passes|passed|again|command|commands|please|slow|first|before|after|should|would|could|will|complains?|throws?|prints?|printed|returns?|returned|keeps?|stopped|stops|everything|anything|changes)[.,!?]*$/i;
const NO_WORD = /[^\p{L}']/u;

/** Is this one command, called by its name and with arguments only? `spoken`: "run" was said before it. */
function isCommand(text: string, spoken = false): boolean {
  const [program = "", ...words] = text.trim().split(/\s+/);
  if (words.length > 30 || !(PROGRAMS.has(program) || (spoken && /^[.~\w-]*\/[\w./-]+$|^[\w-]+=\S+$/.test(program)))) return false;
  if (words.some((word, at) => PROSE.test(word) && !(at === 0 && WORDS.has(word)))) return false;
  if (spoken) return true;
  if (OWN.has(program) || ((program === "find" || program === "diff") && !words.some((word) => word.startsWith("-")))) return false;
  if (FREE.has(program)) return words.length > 0;
  const isPlain = (word: string): boolean => !NO_WORD.test(word);
  if (words[0] !== undefined && isPlain(words[0]) && !WORDS.has(words[0])) return false;
  return words.every(
    (word, at) => at === 0 || !isPlain(word) || WORDS.has(word) || (at < 3 && (program === "git" || NAMING.test(words[0] ?? ""))),
  );
}

/** The command that is meant, or null. In capitals, as telephones write a first word, it is meant all the same. */
export function commandIn(typed: string, spoken = false): string | null {
  const small = typed.replace(/^[A-Za-z]+(?: [A-Za-z]+)*/, (words) => words.toLowerCase());
  return [typed, small].find((line) => isCommand(line, spoken) || (spoken && isShellLine(line))) ?? null;
}

/** Is this a line for a shell: commands joined by its signs, each called by its name? */
export function isShellLine(line: string): boolean {
  if (line.length > 4_000 || !/[|;&<>]/.test(line)) return false;
  const plain = line.replaceAll(/"[^"]*"|'[^']*'|\$\([^)]*\)/g, "_");
  const pieces = plain.split(/&&|\|\|?|;|&(?=\s|$)/).map((piece) => piece.trim());
  const joined = pieces.length > 1 || /^\S+ .*(?:\s|\d)>{1,2}\s?\S/.test(plain);
  return joined && pieces.every((piece) => piece === "" || isPiece(piece)) && pieces[0] !== "";
}

function isPiece(piece: string): boolean {
  const [first = "", second = "", ...rest] = piece.split(/\s+/);
  if (KEYWORDS.has(first)) return first === "for" || second === "" || isPiece([second, ...rest].join(" "));
  return /^\w+=\S*$/.test(first) || (PROGRAMS.has(first) && ![second, ...rest].some((word) => PROSE.test(word)));
}

/** A name as one word of a shell's. */
export const shellWord = (name: string): string => (/^[\w./~@%+=:,-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`);
