// What a name may be a backup of. Editors and people add endings to a name; what held a secret under the first holds it under the other.

const ADDED = /(?:~|\.(?:bak|backup|old|orig|save|saved|sw[k-p]|tmp|temp|copy|rej|[0-9]{1,8}|~[0-9]{1,8}~))$/;
const DECORATED = /(?:~|\.(?:bak|backup|old|orig|save|saved|sw[k-p]|tmp|temp|copy|rej|[0-9]{1,8})|#)(?:\/|$)/;
const SWAP = /^\.(.+)\.sw[k-p]$/;

/** What the path may be a backup of: the endings taken off each name. None if there are no such endings. Takes a folded path. */
export function undecorated(folded: string): readonly string[] {
  if (!DECORATED.test(folded)) return NOTHING;
  const names = folded.split("/");
  const plain = names.map(undecoratedName);
  // Vim writes `.name.swp` for `name`, and for `.name` as well.
  const swapped = SWAP.exec(names.at(-1) ?? "")?.[1];
  return swapped === undefined ? [plain.join("/")] : [plain.join("/"), [...plain.slice(0, -1), undecoratedName(swapped)].join("/")];
}

function undecoratedName(name: string): string {
  let plain = name.startsWith("#") && name.endsWith("#") && name.length > 2 ? name.slice(1, -1) : name;
  for (let shorter = plain.replace(ADDED, ""); shorter !== plain && shorter !== ""; shorter = plain.replace(ADDED, "")) plain = shorter;
  return plain;
}

const NOTHING: readonly string[] = [];
