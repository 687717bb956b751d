// A shell command as text → its words, operators and redirections, as a POSIX shell or bash would cut it. It reads and never
// evaluates: what only running would tell (variables, substitutions, arithmetic) makes a word that is not literal.

import { readExpansion } from "./expansions.ts";
import { setBefore } from "./variables.ts";

export interface Word {
  readonly kind: "word";
  /** The text without its quotes. Where `literal` is false, only its fixed parts. */
  readonly text: string;
  readonly literal: boolean;
  /** Does it hold an unquoted `*`, `?`, `[` or `{`? */
  readonly open: boolean;
  /** Was any of it quoted? A quoted word is never a keyword. */
  readonly quoted: boolean;
  /** Where it is not literal only by numbers (`$?`, `$#`, `$$`, `$!`, `$(nproc)`): their first signs, `!` for `$!`. Empty otherwise. */
  readonly counts: string;
}

export type ShellToken =
  | Word
  | { readonly kind: "operator"; readonly text: string }
  | { readonly kind: "redirect"; readonly text: string }
  /** A here-document; `literal` is false where something in it is substituted. */
  | { readonly kind: "document"; text: string; literal: boolean }
  /** A comment behind a command: a shell at a prompt may take it for more words of it. */
  | { readonly kind: "remark"; readonly text: string }
  /** Something in a form that is not read; what stands around it still is. */
  | { readonly kind: "unread"; readonly why: string };

type DocumentToken = Extract<ShellToken, { readonly kind: "document" }>;

export type TokenizeResult = { readonly ok: true; readonly tokens: readonly ShellToken[] } | { readonly ok: false; readonly why: string };

/** Longer commands are not read. */
export const COMMAND_LENGTH = 32_768;

/**
 * A word in the making. `fixed`: was a sign of patterns quoted, or anything after an open bracket? Then the word, if open, is no pattern
 * that could be told.
 */
interface Draft {
  text: string;
  literal: boolean;
  open: boolean;
  quoted: boolean;
  counts: string;
  fixed: boolean;
  bracket: boolean;
}

/** Signs of which a quoted one next to an open one cannot be told apart later. */
const SIGNS = /[*?[\]{},\\]/u;

/** `plainPlaces`: do home and the current directory hold neither blanks nor signs, so that they stay one word without quotes? */
export function cutCommand(text: string, plainPlaces = true): TokenizeResult {
  if (text.length > COMMAND_LENGTH) return { ok: false, why: "the command is longer than is read" };
  if (/[\0\r]/u.test(text)) return { ok: false, why: "the command holds characters that shells read differently" };
  const cutter = new Cutter(text, plainPlaces, setBefore(text));
  return cutter.run();
}

class Cutter {
  readonly #text: string;
  readonly #plainPlaces: boolean;
  /** What variables stand for. */
  readonly #values: ReadonlyMap<string, string>;
  #at = 0;
  readonly #tokens: ShellToken[] = [];
  readonly #documents: { readonly end: string; readonly quoted: boolean; readonly tabs: boolean; readonly token: DocumentToken }[] = [];

  constructor(text: string, plainPlaces: boolean, values: ReadonlyMap<string, string>) {
    this.#values = values;
    this.#plainPlaces = plainPlaces;
    this.#text = text;
  }

  run(): TokenizeResult {
    while (this.#at < this.#text.length) {
      const rest = this.#text.slice(this.#at, this.#at + 3);
      const first = rest.charAt(0);
      if (first === " " || first === "\t") this.#at += 1;
      else if (rest.startsWith("\\\n")) this.#at += 2;
      else if (first === "#") this.#remark();
      else if (first === "\n") {
        this.#operator("\n");
        const why = this.#readDocuments();
        if (why !== null) return { ok: false, why };
      } else if (rest.startsWith("<(") || rest.startsWith(">(")) return { ok: false, why: "the command uses process substitution" };
      else {
        const redirect = /^\d*(?:<<<|<<-|<<|<>|<&|>>|>\||>&|&>>|&>|<|>)/u.exec(this.#text.slice(this.#at, this.#at + 8))?.[0];
        const operator = /^(?:&&|\|\||\|&|;;&|;;|;&|[;&|()])/u.exec(rest)?.[0];
        if (redirect !== undefined) {
          const next = this.#at + redirect.length;
          const touches = this.#text.charAt(this.#at - 1) === "}" ? this.#tokens.at(-1) : undefined;
          const why = readDifferently(redirect, this.#text.slice(next, next + 24), touches?.kind === "word" ? touches.text : "");
          if (why !== null) this.#tokens.push({ kind: "unread", why });
          if (!this.#redirect(redirect)) return { ok: false, why: "a here-document in the command ends where only a shell would tell" };
        } else if (operator !== undefined) {
          // `name () …` makes a function, `((` counts: both give words another meaning.
          const before = this.#tokens.at(-1);
          if (operator === "(" && (before?.kind === "word" || rest.startsWith("((")))
            this.#tokens.push({ kind: "unread", why: "functions and arithmetic are not read here" });
          this.#operator(operator);
        } else {
          const word = this.#word();
          if (word === null) return { ok: false, why: "a quote or bracket in the command is never closed" };
          this.#tokens.push(word);
        }
      }
    }
    return this.#documents.length > 0
      ? { ok: false, why: "a here-document in the command is never closed" }
      : { ok: true, tokens: this.#tokens };
  }

  #remark(): void {
    const end = this.#text.indexOf("\n", this.#at);
    const text = this.#text.slice(this.#at + 1, end === -1 ? undefined : end);
    this.#at += text.length + 1;
    if (isRunBySome(text)) this.#tokens.push({ kind: "unread", why: "a comment in the command holds what some shells would run" });
    else if (["word", "document"].includes(this.#tokens.at(-1)?.kind ?? "")) this.#tokens.push({ kind: "remark", text });
  }

  #operator(text: string): void {
    this.#tokens.push({ kind: "operator", text });
    this.#at += text.length;
  }

  /** False where a here-document's end is not plain: its quotes alone are taken away by a shell, and nothing is expanded in it. */
  #redirect(text: string): boolean {
    this.#at += text.length;
    const sign = text.replace(/^\d+/u, "");
    if (sign !== "<<" && sign !== "<<-") {
      this.#tokens.push({ kind: "redirect", text: sign });
      return true;
    }
    while (this.#text.charAt(this.#at) === " " || this.#text.charAt(this.#at) === "\t") this.#at += 1;
    const word = this.#word();
    if (word === null || !word.literal || !/^[\w.@%+:,-]+$/u.test(word.text)) return false;
    const token: DocumentToken = { kind: "document", text: "", literal: true };
    this.#tokens.push(token);
    this.#documents.push({ end: word.text, quoted: word.quoted, tabs: sign === "<<-", token });
    return true;
  }

  /** Null where all of them close; else why they cannot be read. */
  #readDocuments(): string | null {
    for (const { end, quoted, tabs, token } of this.#documents.splice(0)) {
      const lines: string[] = [];
      for (;;) {
        if (this.#at >= this.#text.length) return "a here-document in the command is never closed";
        const next = this.#text.indexOf("\n", this.#at);
        const line = this.#text.slice(this.#at, next === -1 ? undefined : next);
        this.#at = next === -1 ? this.#text.length : next + 1;
        if ((tabs ? line.replace(/^\t+/u, "") : line) === end) break;
        // Joined with the next line this one might be the end, so that a shell would run what follows.
        if (!quoted && line.endsWith("\\")) return "a here-document in the command joins its lines";
        lines.push(line);
      }
      token.text = lines.join("\n");
      token.literal = quoted || !/[$`]/u.test(token.text);
    }
    return null;
  }

  /** One word, from here to the next blank or operator; null where a quote never closes. */
  #word(): Word | null {
    const word: Draft = { text: "", literal: true, open: false, quoted: false, counts: "", fixed: false, bracket: false };
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      // Only these end a word; what other alphabets call blank is a letter to a shell.
      if (/[ \t\n;&|<>]/u.test(char)) break;
      if (char === "(" || char === ")") {
        // `name(` begins a function or an extended pattern: neither is read.
        if (char === "(" && word.text !== "") word.literal = false;
        break;
      }
      this.#at += 1;
      if (char === "\\") {
        // A line that is joined with the next one quotes nothing.
        if (this.#text.charAt(this.#at) !== "\n") this.#quote(word, this.#text.charAt(this.#at));
        this.#at += 1;
      } else if (char === "'") {
        const end = this.#text.indexOf("'", this.#at);
        if (end === -1) return null;
        this.#quote(word, this.#text.slice(this.#at, end));
        this.#at = end + 1;
      } else if (char === '"') {
        word.quoted = true;
        if (!this.#doubleQuoted(word)) return null;
      } else if (char === "$" || char === "`") {
        if (!this.#expansion(char, word, false)) return null;
      } else {
        if (/[*?[{]/u.test(char)) word.open = true;
        if (char === "[") word.bracket = true;
        word.text += char;
      }
    }
    const { text, literal, open, quoted, counts, fixed } = word;
    const isNumber = counts !== "" && literal && !open;
    return { kind: "word", text, literal: literal && counts === "" && !(open && fixed), open, quoted, counts: isNumber ? counts : "" };
  }

  #quote(word: Draft, text: string): void {
    word.text += text;
    word.quoted = true;
    // In brackets a quoted `-`, `!` or `:` is another sign than one without quotes.
    word.fixed ||= word.bracket || SIGNS.test(text);
  }

  #doubleQuoted(word: Draft): boolean {
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      this.#at += 1;
      if (char === '"') return true;
      if (char === "\\") {
        const next = this.#text.charAt(this.#at);
        this.#at += 1;
        if (next !== "\n") this.#quote(word, /["\\$`]/u.test(next) ? next : `\\${next}`);
      } else if (char === "$" || char === "`") {
        if (!this.#expansion(char, word, true)) return false;
      } else this.#quote(word, char);
    }
    return false;
  }

  /** False where it never closes. */
  #expansion(sign: string, word: Draft, inQuotes: boolean): boolean {
    const [name, braced, bare] = sign === "$" ? (/^(?:\{(\w+)\}|(\w+))(?![[:])/u.exec(this.#text.slice(this.#at)) ?? []) : [];
    const value = this.#values.get(braced ?? bare ?? "");
    if (name !== undefined && value !== undefined) {
      this.#at += name.length;
      this.#quote(word, value);
      return true;
    }
    const where = { inQuotes, first: word.text === "", plainPlaces: this.#plainPlaces };
    const expansion = readExpansion(sign, this.#text.slice(this.#at), where);
    if (expansion.kind === "open") return false;
    if (expansion.kind === "counted") word.counts += this.#text.charAt(this.#at);
    this.#at += expansion.length;
    if (expansion.kind === "counted") return true;
    if (expansion.kind === "unknown") word.literal = false;
    else if (expansion.quoted) this.#quote(word, expansion.text);
    else word.text += expansion.text;
    return true;
  }
}

// Forms that one shell takes for something else than the others do. It is not known which one a host starts, so they are not read.

/** Why a redirection cannot be read; null where it can. `after` is what follows its sign, `touching` a word that it touches. */
function readDifferently(redirect: string, after: string, touching: string): string | null {
  // `>!`, `>>|`: the same as `>|` in zsh, so that the next word is the file.
  if (/>[>&]?$/u.test(redirect) && /^[!|]/u.test(after)) return "a redirection in the command is read differently by shells";
  // `<1-9>`: numbers in a name, in zsh.
  if (redirect.endsWith("<") && /^\d*-\d*>/u.test(after)) return "the command uses a pattern of numbers, as only some shells do";
  // `{name}>file` sets a variable, in bash and zsh.
  return /^\{\w+\}$/u.test(touching) ? "a redirection in the command sets a variable" : null;
}

/** Does a comment hold something that zsh at a prompt, which knows no comments, would run? */
const isRunBySome = (comment: string): boolean => /[;&|`]|\$\(|[<>]\(/u.test(comment);
