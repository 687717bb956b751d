// How names are folded before a deny is matched: what one file system calls the same name must not slip past a deny
// written in another spelling. Allowing is always matched exactly, so folding can only tighten.

// The common case, told by one scan: nothing to compose and nothing to remove.
const ASCII = /^[ -~]*$/;
// Code points that some file systems ignore in names (HFS+ reads `.g‌it` as `.git`, ext4 with casefold too): soft hyphen, joiners,
// variation selectors, BOM, tags. All that Unicode calls default-ignorable, written out so that it is the same under every Node.
// Made where it is used, as most texts never ask for it.
const ignored = (): RegExp =>
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/**
 * The text as deny lists see it: compatibility-composed, in one letter case, without ignorable code points. Idempotent.
 * A path keeps its names: none is joined, split, or folded to nothing.
 */
export function fold(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : text.split("/").map(foldName).join("/");
}

function foldName(name: string): string {
  // Removing may bring letters together, so remove first; lower-casing may decompose (İ), so compose again. Up and down again since
  // file systems compare whole foldings: `ß` is `ss` and `ς` is `σ`, which lower-casing alone keeps apart.
  const folded = name
    .replace(ignored(), "")
    .normalize("NFKC")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .normalize("NFKC");
  // `／` composes to a slash, which would make two names of one.
  return folded === "" ? name : folded.replaceAll("/", "／");
}
