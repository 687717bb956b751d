// Finds the paths that a call names when its agent asks for permission: in its locations, its input and its title. Also tells whether the
// call is a plain read, one that says only which file it reads: only that is answered without the person.

import { isAddress, isPathKey, isPathShaped, pathOfAddress } from "../hook/file-pattern.ts";
import { type Fields, fieldsOf, listAt, textAt } from "./rpc.ts";

export interface NamedPaths {
  /** Everything in it that is a path, by its key or by its shape, in each spelling that a program may make of it. */
  readonly paths: readonly string[];
  /** What it shows as changed. */
  readonly changed: readonly string[];
  /** What stands in its input as a command, as one text each. */
  readonly commands: readonly string[];
  /** Every text in it is one of `paths`, or plainly neither a path nor a command. */
  readonly plain: boolean;
}

/** A call that names more places than this is not looked at. */
const MAX_PATHS = 100;
/** Nor one whose input has more values than this. */
const MAX_VALUES = 10_000;

/** Null where it is more than is looked at. The title counts for a `read`: it is what a person would have seen. */
export function namedIn(call: Fields): NamedPaths | null {
  const isRead = call["kind"] === "read";
  const collector = new PathCollector(isRead ? new Set() : TEXTS);
  const locations = listAt(call, "locations");
  for (const location of locations) collector.location(textAt(fieldsOf(location) ?? {}, "path"));
  if (!collector.input(call["rawInput"])) return null;
  if (isRead) collector.title(textAt(call, "title") ?? "");
  const content = listAt(call, "content");
  // What shows a change is one, whatever it is called.
  const changed = content.flatMap((part) => {
    const fields = fieldsOf(part) ?? {};
    const path = textAt(fields, "path");
    return textAt(fields, "type") === "diff" && path !== null ? [path] : [];
  });
  if (collector.paths.size + changed.length > MAX_PATHS) return null;
  const shape = content.length === 0 && ["locations", "content"].every((key) => isList(call[key]));
  const { commands } = collector;
  return {
    paths: [...collector.paths],
    changed,
    commands,
    plain: collector.plain && shape && Object.keys(call).every((key) => KNOWN.has(key)),
  };
}

/** What a message nobody knows names, in any field but the name of its session. Null where it is more than is looked at. */
export function placesNamed(params: Fields, session: string | null): Pick<NamedPaths, "paths" | "commands"> | null {
  const collector = new PathCollector(new Set());
  const { sessionId, ...rest } = params;
  if (!collector.input(session !== null && sessionId === session ? rest : params) || collector.paths.size > MAX_PATHS) return null;
  return { paths: [...collector.paths], commands: collector.commands };
}

const isList = (value: unknown): boolean => value === undefined || value === null || Array.isArray(value);

/** What a call may say of itself and still be only a read. */
const KNOWN: ReadonlySet<string> = new Set(["toolCallId", "title", "kind", "status", "locations", "rawInput", "content", "_meta"]);

/** In a change these are what is written, which no permission is answered by. */
const TEXTS: ReadonlySet<string> = new Set(
  ["content", "text", "file_text", "insert_text", "patch", "diff"].concat(
    ["old", "new"].flatMap((when) => [`${when}_string`, `${when}_str`, `${when}_text`, `${when}Text`, `${when}String`]),
  ),
);

class PathCollector {
  readonly paths = new Set<string>();
  readonly commands: string[] = [];
  plain = true;
  readonly #texts: ReadonlySet<string>;

  constructor(texts: ReadonlySet<string>) {
    this.#texts = texts;
  }

  location(path: string | null): void {
    if (path === null) this.plain = false;
    else this.paths.add(path);
  }

  /** At any depth and without recursion: an agent may nest as deeply as it likes. False where there is more than is looked at. */
  input(input: unknown): boolean {
    const pending: { readonly value: unknown; readonly key: string }[] = [{ value: input, key: "" }];
    let values = 0;
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { value, key } = next;
      if ((values += 1) > MAX_VALUES) return false;
      if (COMMAND_KEY.test(key)) this.#command(value);
      if (typeof value === "string") this.#text(value, key);
      else if (Array.isArray(value)) for (const inner of value) pending.push({ value: inner, key: COMMAND_KEY.test(key) ? "word" : key });
      else
        for (const [name, inner] of Object.entries(fieldsOf(value) ?? {})) {
          if (!/^[A-Za-z_][\w-]*$/u.test(name)) this.#text(name, "");
          pending.push({ value: inner, key: name });
        }
    }
    return true;
  }

  /** The title of a read. One that says anything but that something is read, and what, is for a person. */
  title(title: string): void {
    let rest = title;
    for (const path of [...this.paths].toSorted((left, right) => right.length - left.length)) rest = rest.replaceAll(path, " ");
    const words = rest.split(/[\s()[\]"'`,:]+/u).filter((word) => word !== "");
    const plainWords = words.filter((word) => /^[\p{L}\p{N}_]/u.test(word) && !/[/\\.]/u.test(word));
    if (plainWords.length > 0 && !READING.test(plainWords[0] ?? "")) this.plain = false;
    for (const word of words) {
      if (/^-./u.test(word) || COMMAND.test(word) || isAddress(word)) this.plain = false;
      if (/[/\\.~]/u.test(word)) this.#add(word.replace(/(?<=[^.])\.+$/u, ""));
    }
  }

  /** A text, or words: as one text, so that a person can read it. */
  #command(value: unknown): void {
    const words = Array.isArray(value) ? value.filter((word) => typeof word === "string") : [];
    const text = typeof value === "string" ? value : words.join(" ");
    if (text !== "") this.commands.push(text);
  }

  #text(text: string, key: string): void {
    if (PLAIN.test(text)) return;
    // Another path may be seen from there, and not from the workspace.
    if (BASE_KEY.test(key)) this.plain = false;
    if ((isPathKey(key) || ADDRESS_KEY.test(key)) && !isAddress(text)) {
      if (COMMAND.test(text) || (/\s/u.test(text) && !/^(?:~?\/)/u.test(text))) this.plain = false;
      return this.#add(text);
    }
    this.plain = false;
    if (!this.#texts.has(key) && isPathShaped(text.trim())) this.#add(text);
    // A name alone may be a secret's.
    else if (key === "" && !/\s/u.test(text)) this.#add(text);
  }

  /** As it is, without the blanks around it, and as an address. */
  #add(text: string): void {
    for (const spelling of new Set([text, text.trim()])) {
      const path = pathOfAddress(spelling);
      if (path === null) this.plain = false;
      if (spelling !== "") this.paths.add(spelling).add(path ?? spelling);
    }
  }
}

/** Keys under which tools keep what is run. */
const COMMAND_KEY = /^(?:command|commands|commandLine|command_line|cmd|script|argv|shell|bash)$/u;
/** Keys under which tools keep the directory that other paths are relative to. */
const BASE_KEY = /cwd|work.?dir|^(?:base|root|directory|dir)|working/iu;
/** What stands under such a key and is no address is a name. */
const ADDRESS_KEY = /ur[il]s?$/iu;
/** Signs of a command, of a pattern, or of what a program would take for more than a name. */
const COMMAND = /[;|&$`<>*?{}!\\"'\p{Cc}]|\s-/u;
/** Neither a path nor a command: numbers, switches, and how a text is encoded. */
const PLAIN = /^(?:\d{0,15}|true|false|utf-?8|utf-?16(?:le|be)?|ascii|latin-?1|base64)$/iu;
const READING = /^(?:read|view|open|show|look|load|inspect|examin)/iu;
