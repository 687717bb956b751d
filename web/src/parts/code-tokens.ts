// Code in pieces, each with what it is in its language. Fetched when the first code is shown, and never before. What comes out is the text that
// went in, piece by piece; whoever draws it writes it as text.

import { common, createLowlight } from "lowlight";

export interface CodeToken {
  readonly text: string;
  /** Null: nothing of its own. */
  readonly kind: TokenKind | null;
}
export type TokenKind = "keyword" | "string" | "number" | "comment" | "name" | "type";

/** Longer code is left plain: it is taken apart again whenever more of it arrives. */
const LONGEST = 40_000;

const lowlight = createLowlight(common);
lowlight.registerAlias({ json: "json5", xml: "vue" });

/** The code in its pieces; one plain piece where the language is not known, or the code is long. */
export function codeTokens(language: string, code: string): readonly CodeToken[] {
  if (code.length > LONGEST || !lowlight.registered(language)) return [{ text: code, kind: null }];
  const tokens: CodeToken[] = [];
  addTokens(lowlight.highlight(language, code).children, null, tokens);
  return tokens;
}

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

function addTokens(nodes: readonly Node[], kind: TokenKind | null, to: CodeToken[]): void {
  for (const node of nodes) {
    if (node.type === "text") to.push({ text: node.value, kind });
    else if (node.type === "element") addTokens(node.children, kindOf(node.properties["className"]) ?? kind, to);
  }
}

function kindOf(names: unknown): TokenKind | null {
  const [name] = Array.isArray(names) ? names.map(String) : [];
  return name === undefined ? null : (kinds[name.replace("hljs-", "")] ?? null);
}

const kinds: Readonly<Record<string, TokenKind>> = {
  keyword: "keyword",
  built_in: "keyword",
  literal: "keyword",
  "selector-tag": "keyword",
  name: "keyword",
  deletion: "keyword",
  string: "string",
  regexp: "string",
  symbol: "string",
  addition: "string",
  number: "number",
  comment: "comment",
  quote: "comment",
  meta: "comment",
  doctag: "comment",
  title: "name",
  section: "name",
  "selector-class": "name",
  "selector-id": "name",
  type: "type",
  attr: "type",
  attribute: "type",
  property: "type",
  variable: "type",
  "template-variable": "type",
};

/** The same pieces, line by line: as many lists as the code has lines. */
export function tokenLines(tokens: readonly CodeToken[]): readonly (readonly CodeToken[])[] {
  const lines: CodeToken[][] = [[]];
  for (const { text, kind } of tokens)
    for (const [at, part] of text.split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, kind });
    }
  return lines;
}
