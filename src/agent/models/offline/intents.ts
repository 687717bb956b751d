// Everything the built-in agent understands, as a table. One row is one intent: its name, the tool it needs, an example, what it does, and
// how people say it: English first, then German, Spanish and French. The first row that makes sense of a clause has it.
//
// In a phrase `[the|my]` may be left out, `[the|my]*` may come several times, `{file}` is a slot, `<in>` any word that leads to a place.
// The rest is a regular expression over a whole clause whose paths, quotations and commands are taken out (`@` is one; see message.ts).

import { isCommand } from "./commands.ts";
import * as deeds from "./deeds.ts";
import type { Clause, Slots } from "./deeds.ts";
import { MARK, unmask } from "./message.ts";
import { countOf } from "./names.ts";
import type { Deed } from "./doing.ts";

/** What is said to the agent rather than asked of it. */
export type Talk = "help" | "greeting" | "thanks" | "yes" | "no" | "again" | "no-network" | "how-to-write";
type Does = (slots: Slots, clause: Clause) => readonly Deed[] | Talk | null;

export interface Intent {
  readonly name: string;
  /** The tool it cannot do without. */
  readonly tool: string;
  readonly example: string | null;
  /** It changes something or runs what it is given: done only where it is plainly asked for. */
  readonly changes: boolean;
  /** A slot of it may hold any words, also such as would begin another clause. */
  readonly wide: boolean;
  readonly does: Does;
  readonly phrases: readonly RegExp[];
}

const MACROS: Readonly<Record<string, string>> = {
  in: "(?:in|inside|within|under|across|throughout|through|of|from|below|im|en|dans)",
  afile:
    "(?:(?:a|an|the|another|my|new|text|empty|blank|small|existing|eine|die|neue|un|el|nuevo|une|nouveau) )*(?:(?:file|document|note|script|datei|archivo|fichier) )?(?:(?:called|named|at|in|under|namens|llamado|appelé) )?(?:the )?(?:file )?",
  with: "(?:,? ?(?:with|containing|contains|that (?:says|contains|reads|holds)|saying|which (?:says|contains)|and (?:put|write|add|save)|from|=|:|mit|con|avec) ?(?:(?:the|this|following|text|contents?|lines?|words?|in it|into it|dem|inhalt|el|contenido|texto) ?)*:? ?)",
};
const SLOTS: Readonly<Record<string, string>> = {
  path: String.raw`${MARK}|[\p{L}\p{N}_.@+-]+`,
  mark: MARK,
  old: `${MARK}|\\S+`,
  new: `${MARK}|\\S+`,
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

type Row = (phrases: TemplateStringsArray) => Intent;
const row =
  (kind: Partial<Intent>) =>
  (name: string, tool: string, example: string | null, does: Does): Row =>
  ({ raw }) => {
    const phrases = raw
      .join("")
      .split("\n")
      .flatMap((line) => (line.trim() === "" ? [] : alternatives(line.trim()).map(compile)));
    return { name, tool, example, does, phrases, changes: false, wide: false, ...kind };
  };
const looks = row({});
const changes = row({ changes: true });
const changesWide = row({ changes: true, wide: true });
const talks = (talk: Talk): Row => looks(talk, "", null, () => talk);
const git = (command: string) => (): readonly Deed[] => [deeds.run(`git ${command}`)];

export const talk: readonly Intent[] = [
  talks("again")`
    (try|do|run|read|ask|check|show) [it|that|this|them] (again|once more|once again|one more time) [please|now]
    again|retry|redo [it|that]|once more|one more time|repeat [that|it]|try now|same again|try again|nochmal|otra vez|encore
  `,
  talks("help")`
    help|h|man|\?+|hilfe|ayuda|aide|(show|give) [me] [some] (help|examples?|usage|instructions|commands)|examples?|usage|commands
    how do(es)? (you|this|it|i use (you|this|it)) ?(work)?|how can (you help|i use).*
    (what|who|how) (are|r) you [exactly|anyway|really|called|doing|made of|good at|good for|for|today]|wer bist du|qui[eé]n eres|qui es-tu
    what('s| is) your (name|purpose|job)|what is this|what('s| is) hallpass|(what|which) model.*|tell me about yourself|introduce yourself
    what [else] (can|could|do) (you|i) [even|actually] (do|ask|say|type|understand|know|help)( (for me|here|now|with|with you|you|me|me with))*
    was kannst du( tun)?|qu[eé] puedes hacer|que peux-tu faire
    are you [an|a] (ai|a\.i\.|llm|bot|robot|human|real|person|model|language model|gpt|chatgpt|claude|machine|there|alive|sentient)\b.*
  `,
  talks("greeting")`
    (hi|hello|hey|yo|howdy|greetings|good (morning|afternoon|evening|day)) [there|you|guide|hallpass|again|everyone|all]
    hallo|moin|servus|guten (tag|morgen|abend)|hola|buenos días|buenas|bonjour|salut
  `,
  talks("thanks")`
    ((ok|okay|great|perfect|cool|nice|good)[,. ]*)?(thanks|thank you|thx|ty|cheers|much appreciated)( (a lot|very much|so much|again|for .*))?
    danke( schön)?|vielen dank|(muchas )?gracias|merci( beaucoup)?
    ((ok|okay|great|nice|perfect|cool|awesome|good|good job|well done|excellent|k|got it|i see|fine|bye|goodbye|see you|done|wow|vale)[,. ]*){1,3}
    that's all|that is all
  `,
  talks("yes")`
    y|yes|yep|yeah|yup|sure|certainly|of course|go ahead|go on|continue|proceed|please do|do it|do so|ja|sí|si|oui|yes,? (please|do|go ahead|do it)
    (i )?(allow|approve|approved|permit|grant|granted|accept|confirm|confirmed)( (it|that|this|access))?|it's (ok|okay|fine|allowed)
    you (can|may)( (read|see|have|open) (it|that|them))?( now)?|(access|permission) granted
  `,
  talks("no")`
    n|no|nope|nah|nein|non|no,? (thanks|thank you|gracias|danke)|never ?mind|cancel( (it|that))?|forget (it|that)|stop( it)?|abort|quit|exit
    leave it|keep it|wait|just kidding|deny|denied|don't|do not|lass es|déjalo
  `,
  talks(
    "how-to-write",
  )`(write|create|save|make)( (me )?(something|a file|an? (new |empty )?file|a poem|a story|code|text|notes?|some .*))?`,
  talks("no-network")`
    (fetch|open|read|get|download|visit|browse|load|show|curl|wget|look at|go to|search)\b.*\b(web|internet|website|online|url|google)\b.*
  `,
];

export const intents: readonly Intent[] = [
  // ── Changing ──
  changesWide("run", "bash", "run `npm test`", deeds.runCommand)`
    (run|execute|exec|running|executing|do) [the|this|a|following|shell|bash|terminal|commands?|line]*:? {command}|(bash|shell|sh|terminal) ?: {command}
    führe [den|befehl]* {command} aus|(ejecuta|corre) [el|comando]* {command}|(lance|exécute) [la|commande]* {command}
  `,
  changesWide("spawn", "spawn_agent", "spawn an agent in ../lib to list its files", deeds.spawn)`
    (spawn|fork|start|launch|send|open|create)\b.{0,80}?\b(sub-?agents?|agents?|sessions?|child)\b.{0,40}?\b(in|at|for|on|to) [the] [repo|repository|project|folder] {mark}[\s,:]+((to|and|that|which|which is to|with the task( to)?|asking it to) )?{task}
  `,
  changesWide("append", "write_file", 'append "one more line" to notes.txt', deeds.write("append"))`
    (append|add) [a|the|this|another]* (line|text|note|entry) (saying|that says|containing|with) {content} (to|at) [the] ((end|bottom) of )?[the] [file] {path}
    (append|add) [a|the|this|another]* ((line|text|words?|note|entry):? )?{content} (to|onto|at) [the] ((end|bottom) of )?[the] [file] {path}
    (append|add) [a|the|this|another]* [line|text|note|entry] to [the] [file] {path} ?:? {content}
    füge {content} (zu|an) {path} (hinzu|an)|(añade|agrega) {content} (a|al) [archivo] {path}|ajoute {content} (à|au) [fichier] {path}
  `,
  changesWide("write", "write_file", 'write "hello" to notes.txt', deeds.write("write_file"))`
    (write|save|put|store) ((the|this) following|this) [text] (to|into|in|as) <afile>{path} ?:? ?{content}
    (write|save|put|store|echo) [the|this|these] ((text|words?|lines?|content|string):? )?{content} (to|into|in|as|at|>) <afile>{path}
    (in|into|to) <afile>{path},? (write|put|save) {content}|(write|overwrite|fill|save) [me] [to] <afile>{path}<with>{content}
    schreibe? {content} (in|nach) <afile>{path}|(escribe|guarda) {content} en <afile>{path}|écris {content} dans <afile>{path}
  `,
  changes("create a directory", "bash", "make a new directory drafts", deeds.makeDirectory)`
    (create|make|add|mkdir) [me] [a|the|new|empty]* (folder|directory|dir) [called|named] {path}
    (create|make|add) [me] [a|the|new|empty]* {path} (folder|directory|dir)
    (erstelle|lege|mache) [einen|den|ein|das|neuen|neues]* (ordner|verzeichnis) [namens] {path} [an]
    (crea|haz) [una|la|un|el|nueva|nuevo]* (carpeta|directorio) [llamada|llamado] {path}|(crée|fais) [un|le|nouveau]* (dossier|répertoire) [appelé] {path}
  `,
  changesWide("create", "write_file", 'create todo.md with "buy milk"', deeds.write("create"))`
    (create|make|add|generate|start|set up|touch|erstelle|crea|crée) [me] <afile>{path}<with>{content}
    (create|make|add|generate|start|touch|erstelle|crea|crée) [me] <afile>{mark}
  `,
  changesWide("replace", "edit_file", 'replace "foo" with "bar" in notes.txt', deeds.replace)`
    (find and )?(replace|change|swap|substitute|rename) (?<all>(all|every|each) )?((occurrences?|instances?) of )?[the] ((text|word|words|string|line) )?{old} (with|to|by|for|into) {new}(?<everywhere> everywhere)? (in|inside|within) [the] [file] {path}(?<also> everywhere)?
    in [the] [file] {path},? [please] (replace|change|swap|substitute|rename) (?<all>(all|every|each) )?((occurrences?|instances?) of )?{old} (with|to|by|for|into) {new}(?<everywhere> everywhere)?
    ersetze (?<all>alle )?{old} durch {new} in {path}|(reemplaza|cambia) {old} (por|con) {new} en {path}|remplace {old} par {new} dans {path}
  `,
  changes("delete", "bash", "delete notes.txt", deeds.remove)`(delete|remove|erase|lösche?|entferne|borra|elimina|supprime|efface) {from}`,
  changes("move", "bash", "rename notes.txt to ideas.txt", deeds.move("mv -nv", "moved"))`
    (rename|move|verschiebe|renombra|mueve|renomme|déplace) {from} (to|into|as|nach|a|en|à|vers) {to}|benenne {from} (in|zu) {to} um|(rename|move) (?<from>@) (?<to>@)
  `,
  changes("copy", "bash", "copy notes.txt to notes-old.txt", deeds.move("cp -nv", "copied"))`
    (copy|duplicate|kopiere|copia|copie) {from} (to|into|as|nach|a|en|à|vers) {to}
  `,
  changes("task", "bash", "run the tests", deeds.projectTask)`
    (run|execute|start|launch) [all|the|our|my|unit]* (?<test>tests?|test suite|test-suite|specs?)|(?<test>test) (this|it|the project|the code|everything)
    führe [alle|die]* (?<test>tests?) aus|(ejecuta|corre) [todas|todos|las|los]* (?<test>pruebas|tests)|(lance|exécute) [tous|les]* (?<test>tests)
    (run|do) [the|a]* (?<build>build)|(?<build>build|compile)( (the|this|my|our))?( (project|app|code|it|everything|all))?
    (run|execute) [the]* (?<lint>linter|lint|linting)|(?<lint>lint)( (the|this|my|our))?( (project|code|it|everything))?
    install [all|the|our|my|its]* (?<install>dependencies|deps|packages|modules)
  `,
  changes("command", "bash", "git status", ({ line = "" }, { masked }) => {
    const command = unmask(line, masked);
    return line.startsWith("\ue000") || !isCommand(command) ? null : [deeds.run(command)];
  })`{line}`,

  // ── The repository ──
  looks("commits", "bash", "show me the last 5 commits", ({ many }) => [deeds.run(`git log --oneline -n ${countOf(many ?? "ten")}`)])`
    [show|list|give|print|tell|what are|what were] [me] [the|all|our]* (recent|latest|last|newest|previous|past)( (?<many>\d{1,3}|few|two|three|five|ten))? [git] (commits|changes|commit messages) [here|in this repo]
    (show|see|view|print|display|give) [me] [the|a]* (git )?(log|history|commit history|git history)
    zeige? mir die letzten( (?<many>\d{1,3}))? commits|muéstrame los últimos( (?<many>\d{1,3}))? commits
  `,
  looks("since", "bash", null, ({ when = "" }) => [deeds.run(`git log --oneline --since=${when.toLowerCase().replace(" ", ".")}`)])`
    what (has |was )?(changed|happened|was done) since (?<when>yesterday|last week|last month)
  `,
  looks("last commit", "bash", null, git("show --stat HEAD"))`
    (what|which)( files)? (changed|was changed|happened|is) in the (last|latest|most recent|previous) commit
    (show [me]|what's|what is|what was) the (last|latest|most recent) commit
  `,
  looks("author", "bash", null, deeds.lastChange)`
    (who|when) (wrote|made|did|authored|was) the (last|latest|most recent) (commit|change)( made)?|who committed (last|most recently)
    who [last] (changed|edited|modified|touched|wrote) {mark} [last|most recently]|when was {mark} [last] (changed|edited|modified|touched)
    (who|when) (made|was) the (last|latest|most recent) change (to|of|in) {mark}
  `,
  looks("branch", "bash", "what branch am I on?", git("branch --show-current"))`
    (what|which) branch (am i|are we|is this)( (on|in))?|(what's|what is|show [me]|print) the (current|active) branch
    auf welchem branch (bin ich|sind wir)|en qu[eé] rama estoy
  `,
  looks(
    "branches",
    "bash",
    null,
    git("branch --all"),
  )`[list|show|print|what|which|give] [me] [all|the|our|git|other]* branches [are there|exist|do we have|there are]`,
  looks("changes", "bash", null, git("status --short"))`
    what (did|have) (i|we) changed?( so far)?|what('s| has| is) changed|what (files )?(have|has) (been )?changed|[show|what's|what is|check|give] [me] [the] git status
    (are there|do i have|any|show me|show|list) [any|the|my]* (uncommitted|unstaged|local|pending|unsaved) changes|is (the working tree|everything) (clean|committed)
  `,
  looks("diff", "bash", null, (_slots, { places }) => (places.length === 2 ? null : [deeds.run("git diff")]))`
    (show|print|see|display|give) [me] [the|my|a|git|current]* (diff|git diff)
  `,
  looks("installed", "bash", null, ({ program = "" }) => [
    deeds.run(`${program.toLowerCase()} ${program.toLowerCase() === "go" ? "version" : "--version"}`),
  ])`
    (what|which) (version of )?(?<program>node|npm|python3?|go|git|cargo|java|docker|ruby|php)( version)? (is installed|do (i|we|you) have|is (there|this|running)|(am i|are we) (on|using))
    (what's|what is) [the|my|our]* (?<program>node|npm|python3?|git|cargo|ruby|php) version
  `,

  // ── Access ──
  looks("ask", "request_read_access", "ask for access to ../lib", deeds.askFor)`
    [you|i|we]* (request|ask|get|gain|obtain|need|want|give yourself)\b[^\ue000]*?\b(access|permission|leave)\b[^\ue000]*?{mark}([\s,]+(because|since|as|so that|so|in order to|to|for) {reason})?
    (request|ask for|ask me for|get|give yourself) [read|reading]* (access|permission) (to|for|to read) {place}
  `,
  looks("access", "list_access", "what can you see?", () => [deeds.deed("list_access", null)])`
    ((do|can|may|are|could) (you|we) )?(have access to|access|able to (read|see|access)|allowed to (read|see|access)) [the] {mark}
    (?!.*\b(in|inside|under) \S+$)(what|which|where|how much)\b.*\b(can|may|do|are|could) (you|i|we)\b.*\b(see|access|read|reach|touch|open|enter|write|look)\b[^\ue000]*
    (what|which)\b.*\b(are you|am i|have you|is) (allowed|permitted|granted|able)\b[^\ue000]*|what\b.*\b(have|did) (i|we)\b.*\b(grant|allow)(ed)?\b[^\ue000]*
    (list|show|check|print|tell|give|display|what('s| is| are)|which are)\b[^\ue000]*\b(access|grants?|granted|permissions?|scope|roots|mounts?|boundar(y|ies)|workspace|working director(y|ies))\b[^\ue000]*
    access|grants|scope|list[_ ]access|pwd|where are (you|we)|where am i|what do you have access to|your access|was darfst du (sehen|lesen)|qu[eé] puedes ver
  `,

  // ── The project ──
  looks("dependencies", "list_dir", "what dependencies does this project have?", deeds.aboutProject("dependencies"))`
    (what|which)( \w+)? (dependencies|packages|libraries|modules|deps) (does|do|are|is|has)\b.*|dependencies|what (does (this|it|the project|this project)|do we) depend on
    (show|list|tell|give|print) [me] [all|the|its|our|your|project]* (dependencies|deps|packages) [of this project|of the project|here]
    welche abhängigkeiten .*|qu[eé] dependencias .*|quelles (sont les )?dépendances.*|cuáles son las dependencias.*
  `,
  looks("version", "list_dir", "what version is this project?", deeds.aboutProject("version"))`
    (what|which) version of {of} (is|do|does|are)\b.*|(what|which)( \w+)? version (is|of|does|do)\b.*|welche version .*|qu[eé] versión .*
    what('s| is) [the|its|our]* [current] (version|project version)( of (this|the) (project|package|app))?
  `,
  looks("scripts", "list_dir", "what scripts are there?", deeds.aboutProject("scripts"))`
    (what|which)( npm)? (scripts|commands|tasks) (are|do|does|can|exist|is)\b.*|(list|show) [me] [all|the|npm]* scripts
    how (do|can|should|would) (i|we|you) (run|start|build|test|lint|install|compile|launch|use|set up)( (the|this|it|all|my|our|a|unit|project|tests?|test suite|app|server|build|linter|repo|code|dependencies|everything|up|dev))*
  `,
  looks("license", "list_dir", null, deeds.aboutProject("license"))`
    (what|which) (license|licence) .*|(how|under what) is (this|it) licensed
  `,
  looks("overview", "list_dir", "what is this project about?", deeds.overview)`
    (what('s| is| are| does)|tell me|explain|summari[sz]e|describe|show me|give me) [about|what|me|to me|us]* {place} (about|for|do|does|all about|doing)
    (what('s| is)|tell me about|explain|summari[sz]e|describe|give me an overview of|analy[sz]e|walk me through) {place} [to me|for me]
    (give me |show me )?(an |a |the )?((quick|short|brief) )?(overview|summary)( (of|over) {place})?|what am i looking at|what is going on here|how does {place} work
    what('s| is) (this|it) (all )?about|(what|which) [programming] language.*
    worum geht es (in|bei) {place}|erzähl (mir )?(von|über) {place}|was (ist|macht) {place}|fasse {place} zusammen|de qu[eé] (trata|va) {place}|qu[eé] (es|hace) {place}|resume {place}
    de quoi parle {place}|explique {place}
  `,

  // ── Looking ──
  looks("more", "read_file", null, deeds.more)`
    ((read|show|give|tell|print) [me|us] )?(some |the )?(more|next|rest|further|next (lines|page|part)|more (lines|of it|of that))( (lines|please))?
    keep reading|read on|mehr|más
  `,
  looks("compare", "read_file", "compare package.json with ../lib/package.json", deeds.compare)`
    (compar(e|ing)|diff(ing)?|contrast|vergleiche?|compara) .*|.*\bdifferences?\b.*\bbetween\b.*|.*\b(diff between|differs?|different from|same as|identical)\b.*
    ((show|tell|give) [me|us] )?(what('s| is| are) )?the (differences?|diff)|(is|are)\b.*\b(the same|equal|different)\b.*|what('s| has| is)? changed between .*
  `,
  looks("count", "find_files", "how many files are in src?", deeds.countFiles)`
    ((show|tell) me )?(how many|count) [all|the|of the]* files( (are|is|do we have|does))?( there( are)?)?( {where})?|wie viele dateien (sind|gibt es) {where}|cuántos archivos hay {where}
  `,
  looks("lines of code", "bash", null, () => [deeds.run("git ls-files -z | xargs -0 cat | wc -l")])`
    (how many|count) [all|the]* lines of code\b[^\ue000]*|how (big|large) is (this|the) (project|codebase|repo)
  `,
  looks(
    "exists",
    "find_files",
    null,
    deeds.exists,
  )`((check|see|tell me|find out) )?(does|do|is|whether|if) {mark} (exists?|(really )?(there|present))`,
  looks("contains", "grep", null, deeds.contains)`
    ((check|see|tell me|find out) )?(whether|if|does|do|is) [the] {where} (contain|mention|have|has|include|use|say|import|hold)s?( an?| the)? {text}
  `,
  looks("search", "grep", 'search for "TODO" in src', deeds.search)`
    (grep|rg|ack)( for)?(?<text>( -[\w-]+)* (?:@|[\p{L}\p{N}_.+()-]+))( (in )?{where})?
    (search|scan|look)(ing)? [through|in|inside|within] {where} for {text}|(search|look|scan|hunt|check)(ing)? for {text}( <in> {where})?
    (search|searching|busca|cherche) (?!for ){text}( <in> {where})?|suche? (nach )?{text}( <in> {where})?
    (find|show|list)( me)? [all|every|the|any|of]* (occurrences?|mentions?|uses|usages?|references?|lines?|places?|matches|instances)( (of|to|for|with|that|which|where|containing|matching|contains?|mentions?|match|calls?|uses?))+ {text}( (is|are) used)?( <in> {where})?
    (which|what)( \w+)? files?( \w+)? (contains?|mentions?|uses?|has|have|includes?|references?|imports?|defines?) {text}( <in> {where})?
    (find|list|show)( me)? [all|the]* files? (that |which )?(contain(ing|s)?|mention(ing|s)?|using|uses?|with the (text|word|string)|importing|imports?|referencing|defin(ing|es)|declar(ing|es)|implement(ing|s)) {text}( <in> {where})?
    where (is|are|do|does|did)( (we|you|they|i))? {text} (used?|mentioned|defined?|declared?|called?|imported?|referenced?|appear|occur|written|set|implemented)( <in> {where})?
    (find )?where {text} is (used|called|defined|set)( <in> {where})?|is there any (mention|use) of {text}( <in> {where})?
    where (do|does|did) (we|you|they|i|it|anything|anyone) (use|call|define|import|mention|set|reference|declare) {text}( <in> {where})?
    (who|what) (uses|calls|imports|defines|mentions|references|declares) {text}( <in> {where})?|is {text} (set|defined|used)( (anywhere|somewhere|in {where}))?
    what does [the] {text} (function|method|class|type|variable|constant|helper|component|module) do|what does [the] (function|method|class) {text} do
    how (many times|often) (does|do|is|are) {text} (appear|occur|used|mentioned|show up)s?( <in> {where})?
    (find|list|show|are there|do we have|what|which|any|get)( me)? [all|every|any|of|the|our|my|are]* (?<text>(todo|fixme)s?)( (comments?|markers?|notes?|lines?|items?))?( (left|are there|are left|do we have|there))?( <in> {where})?
    wo (ist|wird) {text} (definiert|benutzt|verwendet)|dónde (está|se) (definid[ao]|define|usa) {text}|où est défini {text}
  `,
  looks("find text", "grep", null, deeds.findText)`
    (find|locate)( me)? [all|every|any] [the] (?<named>(text|word|words|string|phrase|term) )?(?<text>@|\S+)( <in> {where})?
  `,
  looks("find", "find_files", "find *.ts in src", ({ words = "" }, clause) => deeds.findFiles(words, clause, true))`
    (find|locate|search(ing)? for|look(ing)? for|where('s| is| are| can i find)|are there|is there|do we have|find me) {words}
    (gibt es|wo ist|finde|hay|dónde está|encuentra|où est|trouve) {words}
  `,
  looks("find kinds", "find_files", null, ({ words = "" }, clause) => deeds.findFiles(words, clause, false))`
    (any|get|list|show( me)?|give me|which are|which|what|count|how many|read|open|cat|print) {words}
  `,
  looks("read all", "list_dir", null, deeds.readAll)`
    (read|show|open|view|cat)( me)? (all|every|each)( single)?( of)?( the)? files? (in|under|inside|from|of) {place}
  `,
  looks("repositories", "list_dir", null, () => [deeds.list("..")])`
    (what|which)( other)? (repos|repositories|projects) (are|is|do|can|exist|lie)\b.*
    (list|show)( me)? [all|the|my|other]* (repos|repositories|projects)( (next door|nearby|here|there are))?
  `,
  looks("list", "list_dir", "list src, or: what is in ../lib?", ({ words = "" }, clause) => deeds.listPlaces(words, clause))`
    (list(ing)?|ls|dir|tree|liste|lista)( -\w+)*( {words})?
    (show|give|tell|print|display)( me| us)?( all)?( of)?( the| a)?( (directory|folder|file|project|hidden))? (files|folders|directories|entries|everything|listing|list|tree|structure|names)( {words})?
    ((show|tell)( me| us)? )?what('s| is| are| do we have| have you got)( there)?( the)?( (files|folders|directories|things|contents?))? (are |is )?(in|inside|under|within|at|of) {words}
    (what|which)( \w+)? (files|folders|directories|things|stuff) (are|is|do (you|we)|does|live|exist|lie)( {words})?|how many (folders|directories|entries)( {words})?
    (look|peek)(ing)? (in|into|inside|around)(?! for) {words}|(read|show|open|view)( me)? everything (in|under|inside|from) {words}
    (see|check)(ing)? what('s| is) (in|inside|under|at) {words}|what (do|can|could|did) (you|we|i) (see|find) (in|inside|under|at) {words}
    (cd|chdir|go) (to |into )?(?<words>@|\w+)|was (ist|liegt) in {words}|welche dateien (sind|gibt es)( in)? {words}|zeige? (mir )?(die|alle) dateien( {words})?
    (montre|montre-moi|affiche|liste) (les|tous les) fichiers( {words})?
    qu[eé] (hay|archivos hay)( en)? {words}|muestra los archivos( {words})?|qu'y a-t-il dans {words}
  `,
  looks("read", "read_file", "read src/index.ts, or: the last 20 lines of build.log", deeds.readFiles)`
    (re-?)?(read|show|open|cat|print|display|view|dump|load|fetch|see|get|output|examine|inspect|review|less|more|type|check|study|investigate|explore|browse)(ing|ting)?( me| us| out| up)? {words}
    (have|take)( a| another)? (look|peek|glance) (at|into|in) {words}|(look|peek|glance)(ing)? (at|into|through|over) {words}|(contents?|text) of {words}
    (?<asks>summari[sz]e|explain|describe|outline|analy[sz]e|quote|recite|go through|go over|walk me through)(ing)? {words}( to me)?
    (?<asks>give|tell|send)(ing)? (me|us)( about| what)? {words}|how (long|big|large) (is|are) {words}|count( the)?( number of)?( lines)?( (in|of))? {words}
    (?<asks>what)('s| is| are| does| do) {words}( (say|says|contain|contains|about|look like|for|hold|holds|do))?
    (?<asks>how) many lines( (are|does|do|is))?( there)?( (in|of|has))? {words}( (have|has|contain))?|(?<shell>head|tail) {words}
    (?<words>(the )?(first|last|top|bottom|final)\b.*\blines?\b.*)|(?<words>lines? \d.*)
    (lies|lese|zeige?|öffne)( mir| uns)?( bitte)? {words}( vor| an)?|(?<asks>was) steht in {words}|{words} (lesen|anzeigen|zeigen|öffnen)
    (lee|abre|muestra|muéstrame|enséñame|ver|leer) {words}|(?<asks>qué) (dice|contiene) {words}|(lis|ouvre|montre|montre-moi|affiche) {words}
  `,
  looks("name", "read_file", null, ({ words = "" }, clause) => deeds.readAlone(words, clause))`
    ((the|and|also|plus|what about|how about|same for|or|in|now) )*{words}( (too|as well|also|then|instead|again))?
  `,
  looks("question", "read_file", null, deeds.readAbout)`(what|which|who|why|when|where|how|does|do|is|are|has|have|can|could|did)\b.*@.*`,
];
