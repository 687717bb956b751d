// The one substitution whose text is known without running it: `cat` of a quoted here-document, as agents write commit messages.

import { trimEndOf } from "../trim-end.ts";

/** `$(cat <<'EOF' … EOF)` in double quotes, after the `$`: the text of the document and how much was read; null for all else. */
export function plainDocument(rest: string): { readonly text: string; readonly length: number } | null {
  if (!rest.startsWith("(cat <<")) return null;
  const found = /^\(cat <<'(\w+)'\n((?:[^\n]*\n)*?)\1\n[ \t\n]*\)/u.exec(rest);
  const text = found?.[2];
  // Older shells look for the closing bracket without knowing of documents: quotes and brackets must not mislead them.
  if (found === null || text === undefined || /['"`\\#$]/u.test(text) || !balanced(text)) return null;
  return { text: trimEndOf(text, "\n"), length: found[0].length };
}

function balanced(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === "(") depth += 1;
    else if (char === ")" && --depth < 0) return false;
  }
  return depth === 0;
}
