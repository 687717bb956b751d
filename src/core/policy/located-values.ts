// The values of a policy file, taken one by one: each is what it must be, or an error with its place. Nothing about what a JSON parser gave
// is taken for granted. A value in error reads as one that was not given, so that one look finds every error.

import { show } from "../path/show.ts";
import { isRecord } from "../record.ts";
import type { Author, Keys, PolicyError } from "./policy-part.ts";
import type { Source, Verdict } from "./rule.ts";

export interface ParseOptions {
  readonly author: Author;
  readonly home: string;
  /** The workspace that the policy is read for: what is said under `workspaces` about others does not count. */
  readonly workspace?: string | null;
  /** Where in the file the value at these keys stands, if a file is known. */
  readonly locate?: (keys: Keys) => Source | null;
}

export class LocatedValues {
  readonly author: Author;
  readonly home: string;
  readonly workspace: string | null;
  readonly errors: PolicyError[] = [];
  /** What this author may not say: no error, and it does not count. */
  readonly ignored: PolicyError[] = [];
  readonly #options: ParseOptions;

  constructor(options: ParseOptions) {
    this.author = options.author;
    this.home = options.home;
    this.workspace = options.workspace ?? null;
    this.#options = options;
  }

  /** An object with no key but the known ones (null: any key). Gives an empty one after reporting. */
  object(value: unknown, keys: Keys, known: readonly string[] | null): Readonly<Record<string, unknown>> {
    if (!isRecord(value)) {
      this.fail(keys, `${keys.length === 0 ? "a policy" : "this"} must be an object; found ${describe(value)}`);
      return {};
    }
    if (known !== null) {
      for (const key of Object.keys(value)) {
        if (!known.includes(key))
          this.fail([...keys, key], `unknown key \`${show(key)}\`; known here: ${known.filter((name) => name !== "$schema").join(", ")}`);
      }
    }
    return { ...value };
  }

  word<W extends string>(value: unknown, keys: Keys, choices: readonly W[]): W | null {
    if (value === undefined) return null;
    const match = choices.find((choice) => choice === value);
    if (match === undefined) this.fail(keys, `must be one of ${choices.join(", ")}; found ${describe(value)}`);
    return match ?? null;
  }

  number(value: unknown, keys: Keys, least: number, most: number): number | null {
    if (value === undefined) return null;
    if (typeof value === "number" && value >= least && value <= most) return value;
    this.fail(keys, `must be a number from ${least} to ${most}; found ${describe(value)}`);
    return null;
  }

  verdict(value: unknown, keys: Keys): Verdict | null {
    return this.word(value, keys, ["allow", "ask", "deny"] as const);
  }

  /** One text or a list of them. */
  texts(value: unknown, keys: Keys): readonly string[] {
    if (value === undefined) return [];
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    return list.filter((text, at): text is string => {
      const fine = typeof text === "string" && text.length > 0;
      if (!fine) this.fail(Array.isArray(value) ? [...keys, at] : keys, "must be a string, or a list of strings, none of them empty");
      return fine;
    });
  }

  /** The same for absolute paths: `~/` written out, and no name in them that is empty or a dot. */
  places(value: unknown, keys: Keys): readonly string[] {
    return this.texts(value, keys).map((place, at) => {
      const real = this.fromHome(place);
      const names = real.split("/");
      if (!real.startsWith("/") || names.includes("..") || real.includes("\0"))
        this.fail([...keys, at], `\`${show(place)}\` must be an absolute path, or begin with \`~/\`, without \`..\``);
      return `/${names.filter((name) => name !== "" && name !== ".").join("/")}`;
    });
  }

  fromHome(path: string): string {
    return path === "~" || path.startsWith("~/") ? this.home + path.slice(1) : path;
  }

  fail(keys: Keys, message: string): void {
    this.errors.push({ message, keys, source: this.locate(keys) });
  }

  /** Note that what is there does not count; gives what does in its place. */
  ignore<T>(keys: Keys, otherwise: T, message = `a repository's own policy may not set \`${keys.join(".")}\`; it is ignored`): T {
    this.ignored.push({ message, keys, source: this.locate(keys) });
    return otherwise;
  }

  locate(keys: Keys): Source | null {
    return this.#options.locate?.(keys) ?? null;
  }
}

function describe(value: unknown): string {
  if (typeof value === "string") return `\`${show(value.slice(0, 40))}\``;
  if (value === null) return "null";
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  return value === undefined ? "nothing" : `a ${typeof value}`;
}
