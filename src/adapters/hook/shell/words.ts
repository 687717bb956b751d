// A shell command as text → its words, operators and redirections, as a POSIX shell or bash would cut it. It reads and never
// evaluates: what only running would tell (variables, substitutions, arithmetic) makes a word that is not literal.

export interface Word {
  readonly kind: "word";
  /** The text without its quotes. Where `literal` is false, only its fixed parts. */
  readonly text: string;
  readonly literal: boolean;
  /** Does it hold an unquoted `*`, `?`, `[` or `{`? */
  readonly open: boolean;
  /** Was any of it quoted? A quoted word is never a keyword. */
  readonly quoted: boolean;
}

export type Token =
  | Word
  | { readonly kind: "operator"; readonly text: string }
  | { readonly kind: "redirect"; readonly text: string }
  /** A here-document; not literal where something in it is substituted. */
  | { readonly kind: "document"; readonly literal: boolean };

export type Cut = { readonly ok: true; readonly tokens: readonly Token[] } | { readonly ok: false; readonly why: string };

/** Longer commands are not read. */
export const COMMAND_LENGTH = 32_768;

export function cutCommand(text: string): Cut {
  if (text.length > COMMAND_LENGTH) return { ok: false, why: "the command is longer than is read" };
  if (/[\0\r]/u.test(text)) return { ok: false, why: "the command holds characters that shells read differently" };
  const cutter = new Cutter(text);
  return cutter.run();
}

class Cutter {
  readonly #text: string;
  #at = 0;
  readonly #tokens: Token[] = [];
  readonly #documents: { readonly end: string; readonly quoted: boolean; readonly tabs: boolean }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  run(): Cut {
    while (this.#at < this.#text.length) {
      const rest = this.#text.slice(this.#at, this.#at + 3);
      const first = rest.charAt(0);
      if (first === " " || first === "\t") this.#at += 1;
      else if (rest.startsWith("\\\n")) this.#at += 2;
      else if (first === "#") this.#skipLine();
      else if (first === "\n") {
        this.#operator("\n");
        if (!this.#readDocuments()) return { ok: false, why: "a here-document in the command is never closed" };
      } else if (rest.startsWith("<(") || rest.startsWith(">(")) return { ok: false, why: "the command uses process substitution" };
      else {
        const redirect = /^\d*(?:<<<|<<-|<<|<>|<&|>>|>\||>&|&>>|&>|<|>)/u.exec(this.#text.slice(this.#at, this.#at + 8))?.[0];
        const operator = /^(?:&&|\|\||\|&|;;&|;;|;&|[;&|()])/u.exec(rest)?.[0];
        if (redirect !== undefined) this.#redirect(redirect);
        else if (operator !== undefined) this.#operator(operator);
        else {
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

  #skipLine(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end === -1 ? this.#text.length : end;
  }

  #operator(text: string): void {
    this.#tokens.push({ kind: "operator", text });
    this.#at += text.length;
  }

  #redirect(text: string): void {
    this.#at += text.length;
    const sign = text.replace(/^\d+/u, "");
    if (sign !== "<<" && sign !== "<<-") return void this.#tokens.push({ kind: "redirect", text: sign });
    while (this.#text.charAt(this.#at) === " " || this.#text.charAt(this.#at) === "\t") this.#at += 1;
    const word = this.#word();
    if (word !== null) this.#documents.push({ end: word.text, quoted: word.quoted, tabs: sign === "<<-" });
  }

  #readDocuments(): boolean {
    for (const { end, quoted, tabs } of this.#documents.splice(0)) {
      const lines: string[] = [];
      for (;;) {
        if (this.#at >= this.#text.length) return false;
        const next = this.#text.indexOf("\n", this.#at);
        const line = this.#text.slice(this.#at, next === -1 ? undefined : next);
        this.#at = next === -1 ? this.#text.length : next + 1;
        if ((tabs ? line.replace(/^\t+/u, "") : line) === end) break;
        lines.push(line);
      }
      this.#tokens.push({ kind: "document", literal: quoted || !/[$`]/u.test(lines.join("\n")) });
    }
    return true;
  }

  /** One word, from here to the next blank or operator; null where a quote never closes. */
  #word(): Word | null {
    const word = { text: "", literal: true, open: false, quoted: false };
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
        if (this.#text.charAt(this.#at) !== "\n") word.text += this.#text.charAt(this.#at);
        word.quoted = true;
        this.#at += 1;
      } else if (char === "'") {
        const end = this.#text.indexOf("'", this.#at);
        if (end === -1) return null;
        word.text += this.#text.slice(this.#at, end);
        word.quoted = true;
        this.#at = end + 1;
      } else if (char === '"') {
        word.quoted = true;
        if (!this.#doubleQuoted(word)) return null;
      } else if (char === "$" || char === "`") {
        if (!this.#expansion(char, word)) return null;
      } else {
        if (/[*?[{]/u.test(char)) word.open = true;
        word.text += char;
      }
    }
    return { kind: "word", ...word };
  }

  #doubleQuoted(word: { text: string; literal: boolean }): boolean {
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      this.#at += 1;
      if (char === '"') return true;
      if (char === "\\") {
        const next = this.#text.charAt(this.#at);
        this.#at += 1;
        if (next !== "\n") word.text += /["\\$`]/u.test(next) ? next : `\\${next}`;
      } else if (char === "$" || char === "`") {
        if (!this.#expansion(char, word)) return false;
      } else word.text += char;
    }
    return false;
  }

  /** After a `$` or a back quote. Home and the current directory are known at a word's beginning; numbers of processes say no path. */
  #expansion(char: string, word: { text: string; literal: boolean }): boolean {
    const rest = this.#text.slice(this.#at);
    const known = char === "$" ? /^(?:HOME|PWD|\{HOME\}|\{PWD\})(?![A-Za-z0-9_])/u.exec(rest)?.[0] : undefined;
    if (known !== undefined && word.text === "") {
      word.text = known.includes("HOME") ? "~" : ".";
      this.#at += known.length;
      return true;
    }
    if (char === "$" && /^[?#!$]/u.test(rest)) {
      word.text += "0";
      this.#at += 1;
      return true;
    }
    // A lone dollar, as at the end of a regular expression.
    if (char === "$" && (rest === "" || /^[^A-Za-z0-9_{('"@*-]/u.test(rest))) {
      word.text += "$";
      return true;
    }
    word.literal = false;
    return this.#skipExpansion(char, rest);
  }

  #skipExpansion(char: string, rest: string): boolean {
    if (char === "`") {
      const end = rest.search(/(?<!\\)`/u);
      if (end === -1) return false;
      this.#at += end + 1;
      return true;
    }
    const close = rest.startsWith("(") ? ")" : rest.startsWith("{") ? "}" : null;
    if (close === null) {
      this.#at += /^(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*-])?/u.exec(rest)?.[0].length ?? 0;
      return true;
    }
    const open = rest.charAt(0);
    let depth = 0;
    for (let at = 0; at < rest.length; at += 1) {
      if (rest.charAt(at) === open) depth += 1;
      else if (rest.charAt(at) === close && --depth === 0) {
        this.#at += at + 1;
        return true;
      }
    }
    return false;
  }
}
