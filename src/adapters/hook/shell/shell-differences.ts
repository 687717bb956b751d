// Forms that one shell takes for something else than the others do. It is not known which one a host starts, so they are not read.

/** Why a redirection cannot be read; null where it can. `after` is what follows its sign, `touching` a word that it touches. */
export function readDifferently(redirect: string, after: string, touching: string): string | null {
  // `>!`, `>>|`: the same as `>|` in zsh, so that the next word is the file.
  if (/>[>&]?$/u.test(redirect) && /^[!|]/u.test(after)) return "a redirection in the command is read differently by shells";
  // `<1-9>`: numbers in a name, in zsh.
  if (redirect.endsWith("<") && /^\d*-\d*>/u.test(after)) return "the command uses a pattern of numbers, as only some shells do";
  // `{name}>file` sets a variable, in bash and zsh.
  return /^\{\w+\}$/u.test(touching) ? "a redirection in the command sets a variable" : null;
}

/** Does a comment hold something that zsh at a prompt, which knows no comments, would run? */
export const isRunBySome = (comment: string): boolean => /[;&|`]|\$\(|[<>]\(/u.test(comment);
