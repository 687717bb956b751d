// Variables a command sets: which of them change what later words mean, or make a program run something of their own.

import { show } from "../../../core/path/show.ts";
import type { PathList } from "./path-list.ts";
import { mayBeCommandLine } from "./programs.ts";
import type { Word } from "./words.ts";

/** `NAME=value`. */
export const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/u;

const NAMES =
  /^(?:IFS|ENV|PWD|OLDPWD|VISUAL|BASH\w*|SHELLOPTS|FUNCNEST|GLOBIGNORE|POSIXLY_CORRECT|ZDOTDIR|FPATH|PS\d|PROMPT\w*|LD_\w+|DYLD_\w+|GIT_\w+|PERL\w*|RUBY\w*|SSH_\w+|LESS\w*|TMPDIR|TERMINFO\w*|TERMCAP|GCONV\w*|NLSPATH|LOCPATH|npm_\w+|NPM_\w+|YARN_\w+|PNPM_\w+|BUN_\w+|DENO_\w+|PIP_\w+|UV_\w+|POETRY_\w+|BUNDLE_\w+|GEM_\w+|XDG_\w+|OPENSSL_\w+|NODE_REPL\w*|NODE_V8_COVERAGE|TS_NODE_\w+|DEPENDENCIES_OUTPUT|SUNPRO_DEPENDENCIES|HISTFILE)$/iu;
/** What make and its like run under these names, and what they read first. */
const OF_MAKE =
  /^(?:MAKE\w*|GNUMAKE\w*|AR|AS|CC|CXX|CPP|FC|F77|PC|M2C|CO|GET|LD|NM|RANLIB|STRIP|OBJCOPY|OBJDUMP|LEX|FLEX|YACC|BISON|LINT|TEX|TEXI2DVI|MAKEINFO|WEAVE|CWEAVE|TANGLE|CTANGLE|RM|CP|MV|INSTALL|SED|AWK|GREP|M4|RUSTC|RUSTDOC|RUSTFMT|PYTHON|NODE|GO|CARGO|DOCKER|SUDO|XARGS)$/iu;
const ENDINGS =
  /(?:PATH|HOME|FLAGS|OPTIONS|OPTS?|ARGS|DEFAULTS|SHELL|PAGER|EDITOR|BROWSER|VIEWER|CMD|COMMAND|PROGRAM|RSH|ASKPASS|RC|RCFILE|CONF|WRAPPER|LAUNCHER|LINKER|RUNNER|STARTUP|INIT|PRELOAD|PLUGINS?|HOOKS?|LESSOPEN|LESSCLOSE)$|CONFIG|EXEC/iu;
/** Directories of code, which is the workspace's where the directory is. Their values are judged as paths. */
const PLACES_OF_CODE = /^(?:PYTHONPATH|NODE_PATH|CARGO_TARGET_DIR)$/u;
const PYTHON_SWITCHES = /^PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|UTF8|HASHSEED|WARNINGS)$/u;
/** Their values are texts that people read, or say where to connect to: a blank or a `&` in them is none of a command's. */
const TEXTS =
  /(?:^|_)(?:MESSAGE|MSG|TITLE|NAME|TEXT|DESCRIPTION|BODY|COMMENT|NOTES?|AUTHOR|EMAIL|DATE|VERSION|LABELS?|COLORS?|QUERY|FORMAT|STATUS|AGENT|DSN|URL|URI|ORIGINS?|LOG)$/iu;

/** A shell gives these values of its own, whatever is assigned. */
const CHANGING =
  /^(?:_|E?UID|E?GID|S?RANDOM|SECONDS|EPOCH\w*|LINENO|PPID|GROUPS|HIST\w*|OPT\w*|COLUMNS|LINES|DIRSTACK|PIPESTATUS|STATUS|ARGV|REPLY|MATCH|SIGNALS|OPTIONS|COMMANDS|FUNCTIONS|ALIASES|PARAMETERS|USERDIRS|NAMEDDIRS|KEYMAP|WATCH\w*|PSVAR|USERNAME|HOSTNAME)$/iu;

/**
 * Variables that the line itself sets before anything else, to plain text: `DIR=src; ls $DIR`. Only where each stands nowhere else but as
 * `$NAME` or `${NAME}`, so that nothing later sets it again.
 */
export function setBefore(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const assignment = /[ \t\n]*([A-Za-z_]\w*)=(["']?)([\w./:@%+,-]+)\2[ \t]*(?:;(?!;)|\n|&&)/uy;
  for (let found = assignment.exec(text); found !== null; found = assignment.exec(text)) {
    const [, name = "", , value = ""] = found;
    if (isPowerful(name) || CHANGING.test(name)) return new Map();
    values.set(name, value);
  }
  const named = new Map<string, number>();
  for (const { 1: name } of text.matchAll(/\$\{\w+\}|\$\w+|(\w+)/gu)) if (name !== undefined) named.set(name, (named.get(name) ?? 0) + 1);
  for (const name of values.keys()) if (named.get(name) !== 1) values.delete(name);
  return values;
}

/** Does setting it change what the rest means? */
export function isPowerful(name: string): boolean {
  if (PLACES_OF_CODE.test(name) || PYTHON_SWITCHES.test(name)) return false;
  return (
    NAMES.test(name) ||
    OF_MAKE.test(name) ||
    ENDINGS.test(name) ||
    /^(?:PYTHON|NODE_OPT|JAVA|JDK|CARGO_|GO(?:ROOT|FLAGS|PRIVATE|ENV|TOOLCHAIN|PROXY)|DOCKER_)/iu.test(name)
  );
}

/**
 * A variable that is set: its name may be a powerful one; under any other name too a program may run a value that is a command line;
 * and its value may be a path, or hold some.
 */
export function assigned({ text }: Word, list: PathList): void {
  const at = text.indexOf("=");
  const name = text.slice(0, at).replace(/\+$/u, "");
  const value = text.slice(at + 1);
  if (isPowerful(name)) list.doubt(`\`${show(name)}\` is set, which changes what the rest of it means`);
  else if (mayBeCommandLine(value) && !TEXTS.test(name)) list.doubt(`\`${show(name)}\` is set to what may be a command`);
  list.pieces(text, false);
  if (list.isElsewhere(value)) return;
  if (PLACES_OF_CODE.test(name))
    for (const directory of value.split(":")) list.searched.push({ variable: name, directory: directory || "." });
  for (const path of new Set([value, ...value.split(":")])) list.push("read", path, true);
}
