// Texts that make a regular expression work as hard as it can: what stands before each repeated part once, the part itself very often, and
// then something that does not fit. Reads the expression's own text; what it does not know it leaves out.

export interface AttackText {
  readonly before: string;
  readonly repeated: string;
  readonly after: string;
}

interface Repeated {
  readonly atom: Atom;
  readonly least: number;
  readonly often: boolean;
}
type Atom =
  | { readonly is: "sign"; readonly samples: readonly string[] }
  | { readonly is: "group"; readonly ways: readonly (readonly Repeated[])[] }
  | { readonly is: "nothing" };

const SIGNS = Array.from(" \t\n\ra0A_/\\\"'`-.*?=:;,#@!|&<>()[]{}~$%^+é\u{1F600}\0");
const AFTER = ["", "\u0001", "x", "\n"];

export function attackTexts({ source, flags }: RegExp): readonly AttackText[] {
  const found = new Map<string, AttackText>();
  const note = (before: string, repeated: string): void => {
    if (repeated === "") return;
    for (const after of AFTER) found.set(JSON.stringify([before, repeated, after]), { before, repeated, after });
  };
  for (const sign of SIGNS) note("", sign);
  const ways = new Reader(source, flags.replaceAll(/[gyd]/g, "")).read();
  const visit = (way: readonly Repeated[], before: readonly string[]): void => {
    let heads = before;
    for (const { atom, least, often } of way) {
      if (often) for (const sample of samplesOf(atom)) for (const head of heads) note(head, sample);
      if (atom.is === "group") for (const inner of atom.ways) visit(inner, heads);
      const samples = samplesOf(atom);
      const one = samples.slice(0, 2);
      heads = [
        ...new Set(
          heads.flatMap((head) => (least === 0 ? [head, ...one.map((sample) => head + sample)] : one.map((sample) => head + sample))),
        ),
      ];
      heads = heads.length > 6 ? [...heads.slice(0, 3), ...heads.slice(-3)] : heads;
    }
  };
  for (const way of ways) visit(way, [""]);
  // The literal parts by themselves.
  for (const [literal] of source
    .replaceAll(/\\[a-zA-Z]/g, " ")
    .replaceAll("\\", "")
    .matchAll(/[\p{L}\p{N}_:/.-]{2,}/gu))
    note("", literal);
  return [...found.values()];
}

function samplesOf(atom: Atom): readonly string[] {
  if (atom.is === "nothing") return [""];
  if (atom.is === "sign") return atom.samples;
  return [...new Set(atom.ways.flatMap((way) => sampleOf(way)))].slice(0, 6);
}

function sampleOf(way: readonly Repeated[]): readonly string[] {
  const short = way.map(({ atom, least }) => (least === 0 ? "" : (samplesOf(atom)[0] ?? ""))).join("");
  const long = way.map(({ atom }) => samplesOf(atom)[0] ?? "").join("");
  const other = way.map(({ atom }) => samplesOf(atom).at(-1) ?? "").join("");
  return [...new Set([short, long, other])];
}

class Reader {
  readonly source: string;
  readonly flags: string;
  #at = 0;

  constructor(source: string, flags: string) {
    this.source = source;
    this.flags = flags;
  }

  read(): readonly (readonly Repeated[])[] {
    const ways: Repeated[][] = [[]];
    while (this.#at < this.source.length && this.source[this.#at] !== ")") {
      if (this.source[this.#at] === "|") {
        this.#at += 1;
        ways.push([]);
        continue;
      }
      const atom = this.#atom();
      ways.at(-1)?.push({ atom, ...this.#times() });
    }
    return ways;
  }

  #atom(): Atom {
    const start = this.#at;
    const sign = this.source[start] ?? "";
    if (sign === "(") {
      const opening = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/u.exec(this.source.slice(start))?.[0] ?? "(";
      this.#at += opening.length;
      const ways = this.read();
      this.#at += 1;
      return /[=!]$/u.test(opening) ? (opening.includes("!") ? { is: "nothing" } : { is: "group", ways }) : { is: "group", ways };
    }
    if (sign === "[") {
      let at = start + 1;
      while (at < this.source.length && this.source[at] !== "]") at += this.source[at] === "\\" ? 2 : 1;
      this.#at = at + 1;
      return this.#fitting(this.source.slice(start, this.#at));
    }
    if (sign === "^" || sign === "$") {
      this.#at += 1;
      return { is: "nothing" };
    }
    if (sign === "\\") {
      const [whole = "\\"] =
        /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|k<[^>]*>|c[A-Za-z]|[^])/u.exec(this.source.slice(start)) ?? [];
      this.#at += whole.length;
      return /^\\(?:[bB1-9]|k)/u.test(whole) ? { is: "nothing" } : this.#fitting(whole);
    }
    const point = String.fromCodePoint(this.source.codePointAt(start) ?? 0);
    this.#at += point.length;
    return sign === "." ? this.#fitting(sign) : { is: "sign", samples: [point] };
  }

  /** A few signs of a class; those first that many other classes hold too. */
  #fitting(piece: string): Atom {
    const test = new RegExp(`^(?:${piece})$`, this.flags);
    const own = Array.from(piece.replaceAll(/\\./g, "")).filter((sign) => !SIGNS.includes(sign));
    return { is: "sign", samples: [...SIGNS, ...own].filter((sign) => test.test(sign)).slice(0, 12) };
  }

  #times(): { readonly least: number; readonly often: boolean } {
    const [whole = ""] = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/u.exec(this.source.slice(this.#at)) ?? [];
    this.#at += whole.length;
    const [, from, comma, to] = /^\{(\d+)(,?)(\d*)/u.exec(whole) ?? [];
    if (from !== undefined) return { least: Number(from), often: comma === "," && (to === "" || Number(to) > 8) };
    return { least: /^[*?]/u.test(whole) ? 0 : 1, often: /^[*+]/u.test(whole) };
  }
}
