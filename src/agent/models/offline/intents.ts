// Everything the built-in agent understands, as a table. One row is one intent: the tool it needs (`!`: it changes something, `!!`: and a
// slot of it may hold any words), what it does (a name of deeds.ts, or `$` and a command), perhaps an example, and then how people say
// it (in English: see translate.ts). The first row that makes sense of a clause has it.
//
// In a phrase `[the|my]` may be left out, `[the|my]*` may come several times, `{file}` is a slot, `<in>` any word that leads to a place.
// The rest is a regular expression over a whole clause whose paths, quotations and commands are taken out (`@` is one; see message.ts).

import { DEEDS, shell, type Slots } from "./deeds.ts";
import { MARK } from "./message.ts";
import { type Clause, IN } from "./names.ts";
import type { Deed } from "./outcome.ts";

/** What is said to the agent rather than asked of it. */
const TALKS = [
  "help",
  "greeting",
  "thanks",
  "yes",
  "no",
  "again",
  "no-network",
  "how-to-write",
  "how-to-allow",
  "undo",
  "own-changes",
] as const;
export type Talk = (typeof TALKS)[number];
type IntentAction = (slots: Slots, clause: Clause) => readonly Deed[] | Talk;

export interface Intent {
  /** The tool it cannot do without. */
  readonly tool: string;
  readonly example: string | null;
  /** It changes something or runs what it is given: done only where it is plainly asked for. */
  readonly changes: boolean;
  /** A slot of it may hold any words, also such as would begin another clause. */
  readonly wide: boolean;
  readonly does: IntentAction;
  readonly phrases: readonly RegExp[];
}

/** Words that a look may begin with, and words that change nothing in it. */
const OPENER =
  "show|list|give|tell|print|display|see|view|get|pull|bring|what|what's|which|who|who's|where|are there|is there|do we have|how many|any|current|recent|latest|last";
const SMALL = `(?:${OPENER}|me|us|i|we|you|up|is|are|am|was|were|do|does|did|have|has|there|the|all|our|on|in|of|my|this|these|newest|most|active|git|npm|main|direct|project|project's|repo|repo's|repository|codebase|here|now|so far|for|used|using|use|made|name|and|exist|other|one|url|called|defined|set up|so far|summary|overview|contents?)`;

const MACROS: Readonly<Record<string, string>> = {
  any: `(?:(?:${OPENER}) (?:${SMALL} ){0,10})?`,
  rest: `(?: ${SMALL}){0,10}`,
  show: "(?:(?:show|list|give|print|tell|see|view|display|get)(?: me| us)?)",
  the: "(?:(?:the|all|our|my|your|its|this|a|an|any|every|of|some|whole|entire|full|complete|other) ){0,5}",
  what: "(?:what|which)",
  is: "(?: is|'s| are| was| were)",
  last: "(?:recent|last|latest|newest|most recent|previous|past)",
  project: "(?:(?:of|in|for) )?(?:this|the) (?:project|repo|repository|package|app|codebase|code)",
  in: `(?:${IN}|across|throughout|through)`,
  afile:
    "(?:(?:a|an|the|another|my|new|text|empty|blank|small|existing) )*(?:(?:file|document|note|script) )?(?:(?:called|named|at|in|under) )?(?:the )?(?:file )?",
  saying:
    "(?:,? ?(?:containing|that (?:says|contains|reads)|saying|which (?:says|contains)|with (?:the |this |following )*(?:text|contents?|lines?|words?)|=|:):? ?)",
  with: "(?:,? (?:with|and (?:put|write|add|save)|mit|con|avec):? )",
};
const KNOWN = "readme|licen[cs]e|changelog|makefile|dockerfile|tsconfig|gitignore";
const SLOTS: Readonly<Record<string, string>> = {
  file: `${MARK}|${KNOWN}`,
  path: String.raw`${MARK}|[\p{L}\p{N}_.@+-]+`,
  mark: MARK,
  many: String.raw`\d{1,3}|few|couple of|two|three|four|five|six|seven|eight|nine|ten`,
  when: "today|yesterday|this week|last week|last month",
  program: "node|npm|pnpm|yarn|python3?|git|cargo|java|docker|ruby|php",
  old: `${MARK}|\\S+`,
  new: `${MARK}|\\S+`,
  known: KNOWN,
};

/** The alternatives of a phrase, each by itself. */
function alternatives(phrase: string): readonly string[] {
  let depth = 0;
  const cuts = phrase.split("").flatMap((letter, at) => {
    depth += "([{".includes(letter) ? 1 : ")]}".includes(letter) ? -1 : 0;
    return letter === "|" && depth === 0 ? [at] : [];
  });
  return [-1, ...cuts].map((from, at) => phrase.slice(from + 1, cuts[at]));
}

function compile(phrase: string): RegExp {
  const source = phrase
    .replaceAll(/(?<=^|[ ?])\[([^\]]*)\](\*?) /g, (_all, words: string, star: string) => `(?:(?:${words}) )${star === "" ? "?" : "{0,5}"}`)
    .replaceAll(/ \[([^\]]*)\](\*?)/g, (_all, words: string, star: string) => `(?: (?:${words}))${star === "" ? "?" : "{0,5}"}`)
    .replaceAll(/(?<!\(\?)<(\w+)>/g, (all, name: string) => MACROS[name] ?? all)
    .replaceAll("@", MARK)
    .replaceAll(/\{([a-z]+)\}/g, (_all, name: string) => `(?<${name}>${SLOTS[name] ?? ".+?"})`);
  return new RegExp(`^${source}$`, "iu");
}

function intentOf(row: string): Intent {
  const [head = "", ...lines] = row.trim().split("\n");
  const [tool = "", what = "", example = null] = head.split(" :: ");
  const talk = TALKS.find((one) => one === head);
  const [command = "", done] = what.slice(2).split(" => ");
  return {
    tool: talk === undefined ? tool.replaceAll("!", "") : "",
    example,
    changes: tool.endsWith("!"),
    wide: tool.endsWith("!!"),
    does: talk !== undefined ? () => talk : what.startsWith("$") ? shell(command, done) : (DEEDS[what] ?? (() => [])),
    phrases: lines.flatMap((line) => (line.startsWith("  ") ? alternatives(line.trim()).map(compile) : [])),
  };
}

const TABLE = String.raw`
# again
  (try|do|run|read|ask|check|show) [it|that|this|them] (again|once more|once again|one more time) [please|now]|again|retry|redo [it|that]|once more|one more time|repeat [that|it]|try now|same again|try again|nochmal|otra vez|encore
# help
  help|h|man|\?+|hilfe|ayuda|aide|(show|give) [me] [some] (help|examples?|usage|instructions|commands)|examples?|usage|commands|how do(es)? (you|this|it|i use (you|this|it)) ?(work)?|how can (you help|i use).*
  (what|who|how) (are|r) you [exactly|anyway|really|called|doing|made of|good at|good for|for|today]|wer bist du|qui[eé]n eres|qui es-tu|what('s| is) your (name|purpose|job)|what is this|what('s| is) hallpass|(what|which) model.*|tell me about yourself|introduce yourself
  what [else] (can|could|do) (you|i) [even|actually] (do|ask|say|type|understand|know|help)( (for me|here|now|with|with you|you|me|me with))*|was kannst du( tun)?|qu[eé] puedes hacer|que peux-tu faire|are you [an|a] (ai|a\.i\.|llm|bot|robot|human|real|person|model|language model|gpt|chatgpt|claude|machine|there|alive|sentient)\b.*
# greeting
  (hi|hello|hey|yo|howdy|greetings|good (morning|afternoon|evening|day)) [there|you|guide|hallpass|again|everyone|all]|hallo|moin|servus|guten (tag|morgen|abend)|hola|buenos días|buenas|bonjour|salut
# thanks
  ((ok|okay|great|perfect|cool|nice|good)[,. ]*)?(thanks|thank you|thx|ty|cheers|much appreciated)( (a lot|very much|so much|again|for .*))?|danke( schön)?|vielen dank|(muchas )?gracias|merci( beaucoup)?|((ok|okay|great|nice|perfect|cool|awesome|good|good job|well done|excellent|k|got it|i see|fine|bye|goodbye|see you|done|wow|vale)[,. ]*){1,3}|that's all|that is all
# yes
  y|yes|yep|yeah|yup|sure|certainly|of course|go ahead|go on|continue|proceed|please do|do it|do so|ja|sí|si|oui|yes,? (please|do|go ahead|do it)|(i )?(allow|approve|approved|permit|grant|granted|accept|confirm|confirmed)( (it|that|this|access))?|it's (ok|okay|fine|allowed)|you (can|may)( (read|see|have|open) (it|that|them))?( now)?|(access|permission) granted
# no
  n|no|nope|nah|nein|non|no,? (thanks|thank you|gracias|danke)|never ?mind|cancel( (it|that))?|forget (it|that)|stop( it)?|abort|quit|exit|leave it|keep it|wait|just kidding|deny|denied|don't|do not|lass es|déjalo
# how-to-write
  (write|create|save|make)( (me )?(something|a file|an? (new |empty )?file|a poem|a story|code|text|notes?|some .*))?
# how-to-allow
  how (do|can|could|should|would) (i|we) (give|grant|allow|let) (you|the agent|it)\b[^\ue000]*\b(access|permission|folders?|director(y|ies)|repos?|repositor(y|ies)|projects?|files?|see|read)\b[^\ue000]*|how (do|can) (you|i) (get|grant|allow|give) (access|permission)\b[^\ue000]*
# undo
  (undo|revert|take back) (that|it|this|your changes?|(the|your|my) (last|latest|previous) (change|edit|step|action))|undo
# own-changes
  (what|which)( files?)? ((did|have) you|(you|you've|you have)) ((just|so far) )?(change|edit|modif(y|ie)|touch|write|wrote|written|create|do|done)d?( (so far|here|in this chat|until now|just now))?
# no-network
  ((what('s| is)|<show>|check|find) )?the (latest|newest|most recent) (stable |lts |released? )?(version|release) (of|for) (?!(this|the|our|my|it)\b)(?!.*\b(we|i|here|installed|used?|project)\b).+
  (fetch|open|read|get|download|visit|browse|load|show|curl|wget|look at|go to|search)\b.*\b(web|internet|website|online|url|google)\b.*

// Changing
# bash!! :: runCommand :: run ${"`npm test`"}
  (run|re-?run|execute|exec|running|executing|do) [the|this|a|following|shell|bash|terminal|commands?|line]*:? {command}|(bash|shell|sh|terminal) ?: {command}|<show> [the] (output|results?) of {command}
# spawn_agent!! :: spawn :: spawn an agent in ../lib to list its files
  (spawn|fork|start|launch|send|open|create)\b.{0,80}?\b(sub-?agents?|agents?|sessions?|child)\b.{0,40}?\b(in|at|for|on|to) [the] [repo|repository|project|folder] {mark}[\s,:]+((to|and|that|which|which is to|with the task( to)?|asking it to) )?{task}
# write_file!! :: append :: append "one more line" to notes.txt
  (append|add) [a|the|this|another]* (line|text|note|entry) (saying|that says|containing|with) {content} (to|at) [the] ((end|bottom) of )?[the] [file] {path}|(append|add) [a|the|this|another]* (line|text|words?|note|entry):? {content} (to|onto|at) [the] ((end|bottom) of )?[the] [file] {path}
  (append|add) {words} (to|onto|at) [the] ((end|bottom) of )?[the] [file] {path}|(append|add) [a|the|this|another]* [line|text|note|entry] to [the] [file] {path} ?:? {content}|(put|add|insert|write|prepend) [the|this] [text|line|words] {words} (at|to|on|in) the (very )?(?<top>top|beginning|start) of [the] [file] {path}|prepend {words} to [the] [file] (?<top>(?<path>@))
# write_file!! :: write :: write "hello" to notes.txt
  (write|save|put|store) ((the|this) following|this) [text] (to|into|in|as) <afile>{path} ?:? ?{content}|(write|save|put|store|echo) [the|this|these] (text|words?|lines?|content|string):? {content} (to|into|in|as|at|>) <afile>{path}|(write|save|put|store|echo) {words} (to|into|in|as|at|>) <afile>{path}
  (in|into|to) <afile>{path},? (write|put|save) {words}|(write|(?<over>overwrite)|fill|save) [me] [to] <afile>{path}<with>{words}
# bash! :: $ mkdir -- {path} => I made the directory {path}. :: make a new directory drafts
  (create|make|add|mkdir|new) [me] [a|an|the|new|empty|another]* (folder|directory|dir) [called|named] {path}|(create|make|add) [me] [a|an|the|new|empty|another]* {path} (folder|directory|dir)
# write_file!! :: create :: create todo.md with "buy milk"
  (create|make|add|generate|start|set up|touch) [me] <afile>{path}<saying>{content}|(create|make|add|generate|start|set up|touch) [me] <afile>{path}<with>{words}|(create|make|add|generate|start|touch) [me] <afile>{mark}
# edit_file!! :: replace :: replace "foo" with "bar" in notes.txt
  (find and )?(replace|(?<loose>change)|swap|substitute|rename) (?<all>(all|every|each) )?((occurrences?|instances?) of )?((the )?(text|word|words|string|line) )?{old} (with|to|by|for|into) {new}(?<everywhere> everywhere)? (in|inside|within) [the] [file] {path}(?<also> everywhere)?
  in [the] [file] {path},? [please] (replace|(?<loose>change)|swap|substitute|rename) (?<all>(all|every|each) )?((occurrences?|instances?) of )?{old} (with|to|by|for|into) {new}(?<everywhere> everywhere)?
# bash! :: remove :: delete notes.txt
  (delete|remove|erase|get rid of|throw away|trash) {from}
# bash! :: $ mv -nv -- {only} {to} => I moved {only} to {to}. :: rename notes.txt to ideas.txt
  (rename|move|change the name of) {only} ((?<into>into)|to|as) {to}|(rename|move) (?<only>@) (?<to>@)
# bash! :: $ cp -nv -- {only} {to} => I copied {only} to {to}. :: copy notes.txt to notes-old.txt
  (copy|duplicate) {only} ((?<into>into)|to|as) {to}|(make|create) [me] a copy of {only} ((?<into>into|in)|to|as|called|named|at) {to}
# bash! :: $ truncate -s 0 -- {only} => I emptied {only}.
  (clear|empty|wipe|blank)( out)? {only}
# bash! :: projectTask :: run the tests
  (run|re-?run|execute|start|launch|kick off|try) <the>(unit )?(?<test>tests?|test suite|test-suite|specs?|unit tests?)( suite)?|(?<test>test) (this|it|the project|the code|everything)|(run|do) [the|a]* (?<build>build)|(?<build>build|compile)( (the|this|my|our))?( (project|app|code|it|everything|all))?
  (run|execute) [the]* (?<lint>linter|lint|linting)|(?<lint>lint)( (the|this|my|our))?( (project|code|it|everything))?|install <the>(?<install>dependencies|deps|packages|modules|everything|requirements)
  (start|run|launch|serve) [the|this|our|my|a]* (?<dev>(dev|development|local) (server|app|site|website|environment))|(start|run|launch|serve) [the|this|our|my]* (?<start>app|application|server|project|program|site|website|service)|(run|execute) [the] (?<format>formatter|prettier)|(?<format>format) [all|the|this|my|our]* (code|project|files|sources?|it|everything)
  (run|do) [the|a]* (?<check>type ?check|type-check|typecheck)(er|ing)?|(?<check>type ?check|type-check) [the|this|my|our]* (code|project|it|everything)|check the (?<check>types)
# bash :: projectTask
  (check|see|tell me|find out) (if|whether|that) <the>(unit )?(?<test>tests) [all|still|are]* (pass|passing|green|work|run)( .*)?|(do|are|will|does|is) [all|the|our|my|unit]* (?<test>tests|test suite) [all|still|even]* (pass|passing|green|work|working|succeed|run|ok|okay)|does (it|this|the project|the code|the app) [still] (?<build>build|compile)
# bash! :: $ git branch -- {path} => I made the branch {path}. You are still on the one you were on.
  (create|make|add|start|new) [me] [a|the|new|git|another]* branch [called|named] {path}
# bash! :: $ git switch -- {path}
  (switch|change|go|checkout|check out) [over] [to] [the] branch [called|named] {path}|(switch|go) to [the] {path} branch
# bash! :: $ git stash
  stash [all|my|our|the|these|current|local|uncommitted]* (changes|work|edits)
# bash! :: commandByName :: git status
  {line}

// The repository
# bash :: $ git log --oneline -n {many} :: show me the last 5 commits
  [<show>|<what><is>] <the><last>( {many})? [git] (commits|changes|commit messages) [here|in this repo]|[<show>|<what><is>] <the>{many} <last> (commits|changes)|<what> commits are there [recently]|what (was|has been|were|did we)? ?(changed?|done|happened) in the last {many} commits|<show> what (changed|happened) in the last {many} commits
  <show> <the>(recent )?(git )?(log|history|commit history|git history|commits)( <project>)?|[<show>] what('s| has| is)? (changed|new|happened) (recently|lately)|what's new( here| <project>)?|(?!how many )<any>(commits|history|log)<rest>
# bash :: $ git log --oneline --since={when}
  <what> (has |was )?(changed|happened|was done|(did|have) (we|i|you|they) (do|commit|change)d?) (since )?{when}|[<show>|<what>] <the>(commits|changes|work)( (were made|are there|are|were there))?( (since|from|of|in|made))? ?(the )?{when}|[<show>|<what>] [are|were]* {when}'s (commits|changes|work)
# bash :: $ git log --oneline -- {mark}
  [<show>|what<is>] <the>(git )?(commit )?(history|log|commits) (of|for|to|in) [the] [file] {mark}|how has {mark} changed
# bash :: $ git rev-list --count HEAD
  how many commits( .*)?|(count|number of) <the>commits
# bash :: $ git show HEAD
  <show> <the>(diff|patch|changes) (of|in|from) the <last> commit
# bash :: $ git show --stat HEAD
  (what|which)( files)? (changed|was changed|were changed|happened|is|are|did we change|were touched) in the <last> commit|<what>( files)? did the <last> commit (change|touch|modify|do|contain)|[<show>|<what><is>] <the><last> commit( about| do| for)?
# bash :: $ git log -n 1
  (who|when) (wrote|made|did|authored|committed|pushed|was) the <last> (commit|change)( made)?|who committed (last|most recently)|when did (i|we|you) last commit|how (old|long ago) (is|was) the <last> commit|(<show>|who('s| is)|when('s| is| was)|what('s| is| was)) <the>(author|date|time|message|name) of the <last> commit|(<show>|<what><is>) <the><last> commit (message|author|date)
# bash :: $ git log -n 1 -- {file}
  who [last] (changed|edited|modified|touched|wrote) [the] {file} [last|most recently]|when (was|has) [the] {file} [been] [last] (changed|edited|modified|touched|updated)|when did (i|we|you|anyone|anybody|someone) [last] (change|edit|modify|touch|update) [the] {file} [last]|(who|when) (made|was) the <last> change (to|of|in) [the] {file}
# bash :: $ git branch --show-current :: what branch am I on?
  (on )?(what|which) branch (am i|are we|is this)( (on|in))?|(what's|what is|<show>|print) <the>(current|active) (git )?branch|(current|which) branch|(am i|are we|is this) (still )?on (the )?(main|master|develop|trunk|right|a feature)( branch)?|<any>branch<rest>
# bash :: $ git branch --all
  [<show>|<what>] <the>(git |other )?branches [are there|exist|do we have|there are]|<any>branches<rest>
# bash :: $ git status --short
  (what|which)( files)? (did|have) (i|we) (chang|modif|edit|touch)(e|ed|y|ied)?( so far)?|what('s| has| is)? changed|what (files )?(have|has) (been )?changed|[<show>|what's|what is|check] <the>git[ -]status|(did|have) (i|we) (commit|committed) (everything|all)( .*)?
  (are there|do i have|any|<show>) <the>(uncommitted|unstaged|local|pending|unsaved) (changes|work|files|edits)|is <the>(working (tree|copy|directory)|repo|repository|everything) (clean|committed|dirty)
  (<show>|<what>) <the>(modified|changed|edited|new) files|(what|which) files (are|were|got) (modified|changed|edited|new)|is there (anything|something) (left )?to (commit|stage|push)|anything (to commit|uncommitted)|(<show> )?what (i|we) ((have|'ve) )?(changed|modified|edited|touched|did)( so far)?|<show> <the>(changes|files|work) (i|we|that i|that we|i have|we have) (made|changed|did|edited)|<any>(uncommitted|unstaged|modified|changed|edited) (files|changes)<rest>
# bash :: $ git diff -- {mark}
  <show> <the>(git )?(diff|changes|differences) (of|for|in|to) [the] [file] {mark}|(what changed|what did (i|we) change|what has changed) in {mark}|git diff {mark}
# bash :: $ git diff
  <show> <the>(current |git )?(diff|git diff)|what('s| is| has) (different|changed) since the <last> commit
# bash :: $ git tag
  <any>(tags|releases)<rest>
# bash :: $ git shortlog -sn HEAD
  <any>(contributors|authors|committers|maintainers)<rest>
# bash :: $ git remote -v
  <any>(remotes?|origin)<rest>
# bash :: $ git stash list
  <any>stashes<rest>
# bash :: $ git status --short --branch
  (did|have) (i|we) (push|pushed) (everything|all|it)( .*)?|is (everything|it|all) pushed|<any>unpushed (commits|changes)<rest>|(am i|are we|is this) (up to date|ahead|behind|in sync)( .*)?
# bash :: $ {program} --version
  (what|which) (version of )?{program}( version)? (is installed|do (i|we|you) have|is (there|this|running)|(am i|are we) (on|using|running))|(what's|what is) <the>{program} version|(is|do (i|we|you) have) {program}( installed)?

// Access
# request_read_access :: askFor :: ask for access to ../lib
  [you|i|we]* (request|ask|get|gain|obtain|need|want|i'd like|would like|give yourself)\b[^\ue000]*?\b(access|permission|leave)\b[^\ue000]*?{mark}([\s,]+(because|since|as|so that|so|in order to|to|for) {reason})?|(request|ask for|ask me for|get|i need|we need|i want|i('d| would) like|(give|grant) (yourself|me|us)) [read|reading]* (access|permission) (to|for|to read) {place}
# list_access :: access :: what can you see?
  ((do|can|may|are|could) (you|we) )?(have access to|access|able to (read|see|access)|allowed to (read|see|access)) [the] {mark}|(?!.*\b(in|inside|under) \S+$)(what|which|where|how much)\b.*\b(can|may|do|are|could) (you|i|we)\b.*\b(see|access|read|reach|touch|open|enter|write|look)\b[^\ue000]*
  (what|which)\b.*\b(are you|am i|have you|is) (allowed|permitted|granted|able)\b[^\ue000]*|what\b.*\b(have|did) (i|we)\b.*\b(grant|allow)(ed)?\b[^\ue000]*
  (list|show|check|print|tell|give|display|what('s| is| are)|which are)\b[^\ue000]*\b(access|grants?|granted|permissions?|scope|roots|mounts?|boundar(y|ies)|workspace|working director(y|ies))\b[^\ue000]*|access|grants|scope|list[_ ]access|pwd|where are (you|we)|where am i|what do you have access to|your access

// The project
# list_dir :: dependencies :: what dependencies does this project have?
  <what> (dependencies|packages|libraries|libs|modules|deps) (does|do|has|have) {of} (have|has|use|need|depend on|require)|<what>( \w+)? (dependencies|packages|libraries|libs|modules|deps) (does|do|are|is|has)\b.*|(dependencies|deps)|what (does (this|it|the project|this project)|do we) (depend on|need|require)|what (do|must|should) (i|we) (need to |have to )?install
  <show> <the>(packages|libraries|modules|dependencies) (we|this project|it|the project) (depends? on|uses?|needs?|has|have)|<what> \w+ (framework|library|libraries|tools) (is|are|do|does)\b.*
  (<show>|<what><is>) <the>((project|project's|repo's|dev|development|runtime|installed|npm|main|direct|production) )?(dependencies|deps|packages)( used| installed| we use)?( of {of}| here| <project>|,? (with|and|also|including) .*)?|<any>(dependencies|deps|packages|libraries|libs)<rest>
# list_dir :: version :: what version is this project?
  <what> version of {of} (is|do|does|are|we|this|it)\b.*|<what> version (is|does|has) {of}( (have|has|at|on|use|now))?|<what> version (do|are|of)\b.*|version|(what|which) (?<of>\w+) version (is|does|do|are|we|this)\b.*|what('s| is) <the>(?<of>(?!the\b|current\b|latest\b)[\w-]+) version (required|needed|used|we|do)\b.*
  (<show>|check|what('s| is)) <the>(name and )?(current |latest )?(version|project version|version number)( of {of})?|<the>version of {of}|what('s| is) <the>name( <project>)?|what is (this|the) (project|package|app) called
  (does|do) (it|this|the project) (use|need|depend on) (?<of>[\w-]{3,30})|(do|are) we (use|using|depend on) (?<of>[\w-]{3,30})|(is|do we have|have we got) (?<of>[\w-]{3,30}) (installed|(as )?an? (dev |direct |runtime )?dependency|(in|among) <the>(dev )?dependencies)|<any>version<rest>
# list_dir :: scripts :: what scripts are there?
  (what|which)( npm)? (scripts|commands|tasks) (are|do|does|can|exist|is)\b.*|(what|which) (command|script) (runs|starts|builds|tests|lints|installs|do i)\b.*|<show> <the>(npm )?scripts|what does [the] [npm] [\w:-]{2,30} (script|task) (do|run)|what (does|is) npm (run )?\S+( do| for| run| start)?
  how (do|can|should|would) (i|we|you) (run|start|build|test|lint|install|compile|launch|use|set up)( (the|this|it|all|my|our|a|unit|project|tests?|test suite|app|server|build|linter|repo|code|dependencies|everything|up|dev))*
# list_dir :: changelog
  what('s| is| was| has)? [been] (new|changed|different|added) in (the|this) <last> (version|release)|(<show>|<what><is>) <the><last>? ?release notes|<show> what('s| is) new
# list_dir :: license
  <what> (license|licence) .*|(how|under what) is (this|it) licensed
# list_dir :: overview :: what is this project about?
  (what('s| is| are| does)|tell me|explain|summari[sz]e|describe|show me|give me) [about|what|me|to me|us]* {place} (about|for|do|does|all about|doing)
  (what('s| is) the (purpose|goal|point|idea) (of|behind)|what('s| is) behind|what('s| is)|tell me (more |something |a bit )?about|explain|summari[sz]e|describe|give me an overview of|analy[sz]e|walk me through|introduce me to|understand|get me started with) {place} [to me|for me]
  (give me |show me )?(an |a |the )?((quick|short|brief) )?(overview|summary|description|tour|introduction|intro|gist|idea|rundown|walkthrough|explanation|big picture)( (of|over|to|through|around) {place})?|what am i looking at( here)?|where (do|should|can|would) (i|we) (start|begin)( reading| here| with {place})?|how (do|can|should) (i|we) get (started|going)( here| with {place})?|what should (i|we) (read|look at|see|know) first|what is going on here|how does {place} work
  (explain |show me )?what {place} (is|does)( (for|about|all about|good for))?|(what('s| is) (going on|happening) in|describe|explain) {place}|what('s| is) (this|it) (all )?about|what can {place} do|(what|which) [programming] language.*|what (kind|sort|type) of (project|app|thing|repo|program|codebase) is (this|it)|what('s| is)? (the )?(tech )?stack( (of|for) {place}| is (this|it|used)| do we use)?
  what does [the] (?<name>[\w-]{2,30}) (repo |service |project )?do|what the (?<name>[\w-]{2,30}) (repo |service |project )?(is( about| for)?|does)|what('s| is) the (?<name>[\w-]{2,30}) (repo |service |project )?(about|for)|(?!.*\b(function|method|class|type|variable|constant|helper|component|module|command|script|file) do$)what does the (?<name>\w{2,30} \w{2,30}) do
  how is {place} (structured|organi[sz]ed|built|laid out)|(show me |explain )?how {place} is (structured|organi[sz]ed|built|laid out)|what('s| is) {place} (written|built|made) (in|with|of)

// Looking
# read_file :: compare :: compare package.json with ../lib/package.json
  (compar(e|ing)|diff(ing)?|contrast) .*|.*\bdifferences?\b.*\bbetween\b.*|.*\b(diff between|differs?|different from|same as|identical)\b.*|((show|tell|give) [me|us] )?(what('s| is| are) )?the (differences?|diff)|(is|are)\b.*\b(the same|equal|different)\b.*|what('s| has| is)? changed between .*
# find_files :: countFiles :: how many files are in src?
  ((show|tell) me )?(how many|count) [all|the|of the]* files( (are|is|do we have|does))?( there( are)?)?( {where})?
# bash :: $ git ls-files -z | xargs -0 wc -c | sort -rn | head -n 11
  (<show>|find|<what><is>) <the>(biggest|largest|longest) files?( here| <in> (here|<project>)| <project>)?
# bash :: $ git ls-files -z | xargs -0 cat | wc -l
  (how many|count) [all|the]* lines of code\b[^\ue000]*|how (big|large) is (this|the) (project|codebase|repo)
# grep :: contains
  ((check|see|tell me|find out) )?(whether|if|does|do|is) {where} (contain|mention|have|has|include|use|say|import|hold)s?( an?| the)? {text}
# grep :: search :: search for "TODO" in src
  (grep|rg|ack)( for)?(?<text>( -[\w-]+)* (?:@|[\p{L}\p{N}_.+()-]+))( (in )?{where})?|(search|scan|look|check)(ing)? [through|in|inside|within] {where} for {text}|(search|look|scan|hunt|check)(ing)? for {text}( <in> {where})?|(search|searching) (?!for ){text}( <in> {where})?
  (find|show|list)( me)? [all|every|the|any|of]* (occurrences?|mentions?|uses|usages?|references?|lines?|places?|matches|instances|everything|anything|code)( (of|to|for|with|that|which|where|containing|matching|contains?|mentions?|match|calls?|uses?))+ {text}( (is|are) used)?( <in> {where})?|(which|what)( \w+)? files?( \w+)? (contains?|mentions?|uses?|has|have|includes?|references?|imports?|defines?) {text}( <in> {where})?
  (find|list|show)( me)? [all|the]* files? (that |which )?(contain(ing|s)?|mention(ing|s)?|using|uses?|with the (text|word|string)|importing|imports?|referencing|defin(ing|es)|declar(ing|es)|implement(ing|s)) {text}( <in> {where})?|where (is|are|do|does|did)( (we|you|they|i))? {text} (used?|mentioned|defined?|declared?|called?|imported?|referenced?|appear|occur|written|set|implemented|computed|calculated|handled)( <in> {where})?
  (find )?where {text} is (used|called|defined|set)( <in> {where})?|is there (any|some)(thing| mention| use) (of|about|on|with|related to) {text}( <in> {where})?|where is (used|defined) {text}
  where (do|does|did) (we|you|they|i|it|anything|anyone) (use|call|define|import|mention|set|reference|declare) {text}( <in> {where})?|(find |show me )?where (do )?(we|you|they|it|i) (?!find|put|start|begin|get|go|see|are|am|is)\w+ {text}( <in> {where})?
  (who|what|where) (uses|calls|imports|defines|mentions|references|declares) {text}( <in> {where})?|is {text} (set|defined|used|mentioned|imported|called|referenced)( (anywhere|somewhere|here|in {where}))?
  what does [the] {text} (function|method|class|type|variable|constant|helper|component|module) do|what does [the] (function|method|class) {text} do|how (many times|often) (does|do|is|are) {text} (appear|occur|used|mentioned|show up)s?( <in> {where})?
  (<show>|find|search for|are there|do we have|what|which|any)( me)? <the>(are )?(?<text>(todo|fixme)s?)( (comments?|markers?|notes?|lines?|items?))?( (left|are there|are left|do we have|there))?( <in> {where})?
# grep :: findText
  (find|locate|where('s| is| are))( me)? [all|every|any] [the] (?<named>(text|word|words|string|phrase|term) )?(?<text>@|\S+)( <in> {where})?
# find_files :: findFiles :: find *.ts in src
  (find|locate|look up|search(ing)? for|look(ing)? for|where('s| is| are| (can|do|could) (i|we) find)|are there|is there|do we have|find me) {words}|(what|which) (?<words>[\w-]+ files?) (are there|exist|do we have)
# find_files :: findFiles
  (any|get|list|show( me)?|give me|which are|which|what|count|how many|read|open|cat|print) {kinds}|(?<kinds>@)
# list_dir :: repositories
  (what|which)( other)? (repos|repositories|projects) (are|is|do|can|exist|lie)\b.*|(list|show)( me)? [all|the|my|other]* (repos|repositories|projects)( (next door|nearby|here|there are))?
# list_dir :: listPlaces :: list src, or: what is in ../lib?
  (list(ing)?|ls|dir|tree)( -\w+)*( {words})?|(the )?files|(show|give|tell|print|display)( me| us)?( all)?( of)?( the| a)?( (directory|folder|file|project|hidden))? (files|folders|directories|entries|everything|listing|list|tree|structure|names)( {words})?
  ((show|tell)( me| us)? )?what('s| is| are| do we have| have you got)( there)?( the)?( (files|folders|directories|things|contents?))? (are |is )?(in|inside|under|within|at|of) {words}|(what|which)( (other|more|hidden|new|source))? (files|folders|directories|things|stuff) (are|is|do (you|we)|does|live|exist|lie)( there)?( {words})?|how many (folders|directories|entries)( {words})?
  (look|peek)(ing)? (in|into|inside|around)(?! for) {words}|(read|show|open|view)( me)? everything (in|under|inside|from) {words}|(cd|chdir) (?<words>@|\w+)|go (to|into) (?<words>@)|(see|check)(ing)? what('s| is) (in|inside|under|at) {words}|what (do|can|could|did) (you|we|i) (see|find) (in|inside|under|at) {words}|what does (?<words>(this|the) (repo|repository|project|folder|directory|codebase)) (contain|hold|have)
# list_dir :: sshKeys
  (<show>|read|open|cat|what('s| is| are)) <the>((private|public|secret) )?ssh[ -]?(private )?keys?
# read_file :: readFiles :: read src/index.ts, or: the last 20 lines of build.log
  (re-?)?(read|show|open|cat|print|display|view|dump|less)(ing|ting)?( me| us| out| up)? {words}|(?!get rid)(?<asks>load|fetch|pull up|bring up|grab|see|get|output|examine|inspect|review|more|type|check|study|investigate|explore|browse|gimme)(ing|ting)?( me| us| out| up)? {words}
  (have|take)( a| another)? (?<looks>look|peek|glance) (at|into|in) {words}|(?<looks>look|peek|glance)(ing)? (at|into|through|over) {words}|(contents?|text) of {words}|(?<asks>(give me |show me )?(a |the )?((quick|short|brief) )?(summary|overview|gist) of|summari[sz]e|explain|describe|outline|analy[sz]e|quote|recite|go through|go over|walk me through)(ing)? {words}( to me)?
  (?<asks>give|tell|send)(ing)? (me|us)( about| what)? {words}|how (long|big|large) (is|are) {words}|count( the)?( number of)?( lines)?( (in|of))? {words}|(?<asks>what)('s| is| are| does| do) {words}( (say|says|contain|contains|about|look like|for|hold|holds|do))?
  (?<asks>how) many lines( (are|does|do|is))?( there)?( (in|of|has))? {words}( (have|has|contain))?|(?<words>(the )?(first|last|top|bottom|final)\b.*\blines?\b.*)|(?<words>lines? \d.*)|<any>(a )?((quick|short) )?<any>(?<alone>{known})<rest>
# read_file :: readFiles
  [the|and|also|plus|what about|how about|same for|or|in|now|file|files]* (?<alone>@(?::\d[\d-]*)?((,| and| &|, and)( the)? @)*|its \S+|{known})( (too|as well|also|then|instead|again))*
# read_file :: readAbout
  (?!.*\b(delete|remove|write|change|run|move|rename|create|edit|fix|copy|overwrite|safe|install|execute|break)d?\b)(what|which|who|why|when|where|how|does|do|is|are|has|have|can|could|did|whether|if|check if|check whether)\b.*@.*

`;

export const intents: readonly Intent[] = TABLE.split(/^# /m).slice(1).map(intentOf);
