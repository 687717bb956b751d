// What a name may be a backup of. Editors and people add endings to a name; what held a secret under the first holds it under the other.

// Made where they are used: most names are told by hand, and never ask for them.
const added = (): RegExp =>
  /(?:~|\.(?:bak|backup|old|orig|save|saved|sw[k-p]|tmp|temp|copy|rej|[0-9]{1,8}|~[0-9]{1,8}~|tar|t?gz|bz2|xz|zst|zip|7z))$/;
const ENDINGS: ReadonlySet<string> = new Set(
  "bak backup old orig save saved swk swl swm swn swo swp tmp temp copy rej tar gz tgz bz2 xz zst zip 7z".split(" "),
);
/** What the last letter of such a name may be: most names are told by it. */
const LAST_LETTERS: ReadonlySet<string> = new Set(
  [...ENDINGS].map((ending) => ending.at(-1) ?? "").concat("~ # ) 0 1 2 3 4 5 6 7 8 9".split(" ")),
);
// What desktops call a copy: `name (copy)`, `name (another copy)`, `name (3rd copy)`, `name (copy 2)`, `name (2)`, `name copy 2`, `name - copy (2)`.
const copied = (): RegExp =>
  / (?:- )?(?:copy(?: [0-9]{1,8})?|\((?:(?:another |[0-9]{1,8}(?:st|nd|rd|th) )?copy(?: [0-9]{1,8})?|[0-9]{1,8})\))$/;
const swap = (): RegExp => /^\.(.+)\.sw[k-p]$/;

/** What the path may be a backup of: the endings taken off each name. None if there are no such endings. Takes a folded path. */
export function undecorated(folded: string): readonly string[] {
  if (!isDecorated(folded)) return NOTHING;
  const names = folded.split("/");
  const plain = names.map(undecoratedName);
  // Vim writes `.name.swp` for `name`, and for `.name` as well.
  const swapped = swap().exec(names.at(-1) ?? "")?.[1];
  return swapped === undefined ? [plain.join("/")] : [plain.join("/"), [...plain.slice(0, -1), undecoratedName(swapped)].join("/")];
}

/** Has any name of the path such an ending? By hand and without taking it apart: this is asked of every name there is. */
function isDecorated(folded: string): boolean {
  for (let end = folded.length; end > 0; end = folded.lastIndexOf("/", end - 1)) {
    const last = folded[end - 1] ?? "";
    if (!LAST_LETTERS.has(last)) continue;
    if (last === "~" || last === "#") return true;
    // A name with a blank in it is rare.
    const start = folded.lastIndexOf("/", end - 1) + 1;
    if (folded.lastIndexOf(" ", end - 1) >= start && copied().test(folded.slice(start, end))) return true;
    const dot = folded.lastIndexOf(".", end - 1);
    const ending = dot === -1 ? "" : folded.slice(dot + 1, end);
    if (ENDINGS.has(ending) || isShortNumber(ending)) return true;
  }
  return false;
}

function isShortNumber(text: string): boolean {
  if (text.length === 0 || text.length > 8) return false;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) < ZERO || text.charCodeAt(at) > NINE) return false;
  return true;
}
const ZERO = 48;
const NINE = 57;

function undecoratedName(name: string): string {
  let plain = name.startsWith("#") && name.endsWith("#") && name.length > 2 ? name.slice(1, -1) : name;
  const shortened = (): string => plain.replace(added(), "").replace(copied(), "");
  for (let shorter = shortened(); shorter !== plain && shorter !== ""; shorter = shortened()) plain = shorter;
  return plain;
}

const NOTHING: readonly string[] = [];
