// A raw string from a tool call → an absolute path as the kernel will read it. No guessing, no trimming, no unquoting;
// `..` keeps the kernel's meaning, so nothing is normalised away here.

export type ParsedPath =
  | { readonly ok: true; /** Absolute, as the kernel is to read it. */ readonly path: string }
  | { readonly ok: false; readonly why: string };

/** The longest path the kernel takes (PATH_MAX less its terminator) and the longest name, in bytes. */
export const PATH_BYTES = 4095;
export const NAME_BYTES = 255;

/**
 * `raw` seen from `base` (a real directory). `~` and `~/…` mean `home`; `~name` is refused, since one reader would take it
 * for a user's home and another for a file. Not a string, empty, a NUL, half a surrogate pair, too long: refused with why.
 */
export function parsePath(raw: unknown, base: string, home: string): ParsedPath {
  if (typeof raw !== "string") return refuse("a path must be a string");
  if (raw.length === 0) return refuse("the path is empty");
  if (raw.includes("\0")) return refuse("the path holds a NUL character");
  if (!raw.isWellFormed()) return refuse("the path holds half of a surrogate pair, which no file name can");
  const path = raw.charCodeAt(0) === SLASH ? raw : raw.charCodeAt(0) === TILDE ? fromHome(raw, home) : `${base}/${raw}`;
  if (path === null) return refuse("`~name` is not read as a user's home; write the path in full, or `./~name` for a file of that name");
  // UTF-8 takes at most three bytes a UTF-16 unit, so short paths need no counting.
  if (path.length * 3 > NAME_BYTES && tooLong(path)) return refuse("the path, or one name in it, is longer than the system allows");
  return { ok: true, path };
}

function fromHome(raw: string, home: string): string | null {
  if (raw === "~") return home;
  return raw.charCodeAt(1) === SLASH ? home + raw.slice(1) : null;
}

/** Counted in one pass without taking the path apart: most paths are long enough to be counted, and hardly any is too long. */
function tooLong(path: string): boolean {
  let whole = 0;
  let name = 0;
  for (let at = 0; at < path.length; at += 1) {
    const unit = path.charCodeAt(at);
    // Each half of a surrogate pair counts two of the pair's four bytes.
    const bytes = unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit <= 0xdfff ? 2 : 3;
    whole += bytes;
    name = unit === SLASH ? 0 : name + bytes;
    if (name > NAME_BYTES || whole > PATH_BYTES) return true;
  }
  return false;
}

const refuse = (why: string): ParsedPath => ({ ok: false, why });
const SLASH = 47;
const TILDE = 126;
