// Code and changes with the colours of their language. The text is drawn as text, whatever is in it.

import { Fragment, useMemo } from "react";
import { type CodeToken, codeTokens, tokenLines, type TokenKind } from "./code-tokens.ts";
import { DiffLines } from "./diff-lines.tsx";

const colours: Readonly<Record<TokenKind, string>> = {
  keyword: "text-accent",
  string: "text-allow",
  number: "text-ask",
  comment: "text-faint",
  name: "text-mount",
  type: "text-secret",
};

function Tokens({ tokens }: { readonly tokens: readonly CodeToken[] }) {
  return tokens.map(({ text, kind }, at) =>
    kind === null ? (
      <Fragment key={at}>{text}</Fragment>
    ) : (
      <span key={at} className={colours[kind]}>
        {text}
      </span>
    ),
  );
}

export function ColouredCode({ code, language }: { readonly code: string; readonly language: string }) {
  return <Tokens tokens={useMemo(() => codeTokens(language, code), [language, code])} />;
}

export function ColouredDiff({ lines }: { readonly lines: readonly string[] }) {
  const tokens = useMemo(() => diffTokens(lines), [lines]);
  return (
    <DiffLines lines={lines}>
      {(_, at) => {
        const own = tokens[at] ?? null;
        return own === null ? null : <Tokens tokens={own} />;
      }}
    </DiffLines>
  );
}

/** The pieces of each line but its sign; null for lines that are no code. Each side of a change is read as one text, so that what goes over several lines is seen. */
export function diffTokens(lines: readonly string[]): readonly (readonly CodeToken[] | null)[] {
  const tokens: (readonly CodeToken[] | null)[] = lines.map(() => null);
  let language = "";
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.startsWith("+++ ")) language = languageOf(line.slice(4).split("\t")[0] ?? "");
    if (!line.startsWith("@@")) continue;
    let end = at + 1;
    while (end < lines.length && /^[-+ ]/.test(lines[end] ?? "") && !/^(---|\+\+\+) /.test(lines[end] ?? "")) end += 1;
    for (const sign of ["-", "+"]) {
      const side = lines.flatMap((text, index) =>
        index > at && index < end && (text.startsWith(sign) || text.startsWith(" ")) ? [index] : [],
      );
      const pieces = tokenLines(codeTokens(language, side.map((index) => (lines[index] ?? "").slice(1)).join("\n")));
      for (const [index, place] of side.entries()) tokens[place] = pieces[index] ?? [];
    }
  }
  return tokens;
}

/** By the end of its name, as the languages' other names are; or by all of it. */
export function languageOf(path: string): string {
  const name = path.split("/").at(-1)?.toLowerCase() ?? "";
  return name.includes(".") ? (name.split(".").at(-1) ?? "") : name;
}
