// Variables a command sets: which of them change what later words mean, or make a program run something of their own.

import { show } from "../../../core/path/show.ts";
import type { PathList } from "./path-list.ts";
import type { Word } from "./words.ts";

/** `NAME=value`. */
export const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/u;

const NAMES =
  /^(?:IFS|ENV|PWD|OLDPWD|VISUAL|CC|CXX|LD|AR|RUSTC|MAKE|BASH\w*|SHELLOPTS|FUNCNEST|GLOBIGNORE|POSIXLY_CORRECT|ZDOTDIR|FPATH|PS\d|PROMPT\w*|LD_\w+|DYLD_\w+|GIT_\w+|PERL\w+|RUBY\w+|SSH_\w+|LESS\w*|TMPDIR|TERMINFO\w*|GCONV\w*|NLSPATH|LOCPATH|npm_\w+|NPM_\w+|YARN_\w+|PIP_\w+|UV_\w+|XDG_\w+)$/iu;
const ENDINGS =
  /(?:PATH|HOME|FLAGS|OPTIONS|OPTS|ARGS|SHELL|PAGER|EDITOR|BROWSER|CMD|COMMAND|PROGRAM|RSH|ASKPASS|RC|RCFILE|CONFIG\w*|WRAPPER|LINKER|RUNNER|STARTUP|INIT|PRELOAD|PLUGINS?|HOOKS?|EXEC\w*)$/iu;
/** Directories of code, which is the workspace's where the directory is. Their values are judged as paths. */
const PLACES_OF_CODE = /^(?:PYTHONPATH|NODE_PATH|CARGO_TARGET_DIR)$/u;
const PYTHON_SWITCHES = /^PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|UTF8|HASHSEED|WARNINGS)$/u;

/** Does setting it change what the rest means? */
export function isPowerful(name: string): boolean {
  if (PLACES_OF_CODE.test(name) || PYTHON_SWITCHES.test(name)) return false;
  return NAMES.test(name) || ENDINGS.test(name) || /^(?:PYTHON|NODE_OPT|JAVA|JDK|CARGO_|GO(?:ROOT|FLAGS|PRIVATE)|DOCKER_)/iu.test(name);
}

/** A variable that is set: its name may be a powerful one, its value may hold paths. */
export function assigned({ text }: Word, list: PathList): void {
  const name = text.slice(0, text.indexOf("=")).replace(/\+$/u, "");
  if (isPowerful(name)) list.doubt(`\`${show(name)}\` is set, which changes what the rest of it means`);
  list.pieces(text, false);
}
