// What a card promises, told from its words alone: the lines that a screen shows and the choice that a person takes. Whoever reads it this
// way knows nothing of asks, grants and rules; what it makes of them is compared with what the guard does then.

import { basename, dirname } from "node:path";

/** A card as a screen shows it. */
export interface Shown {
  /** The title, then a line a fact: `label: sentence`. */
  readonly lines: readonly string[];
  /** The labels of what can be chosen. */
  readonly choices: readonly string[];
}

export type Promised =
  /** Nothing is opened. */
  | { readonly what: "nothing" }
  /** All in a directory may be read, but for its secrets. */
  | { readonly what: "reading"; readonly dir: string; readonly until: "session" | "hour" | "always" }
  /** One thing, in one call: of a read the path itself, the names in it, or all below it. */
  | { readonly what: "once"; readonly right: "read" | "write"; readonly paths: readonly string[]; readonly shows: Shows }
  /** Another agent with this workspace. */
  | { readonly what: "agent"; readonly workspace: string }
  | { readonly what: "command"; readonly command: string }
  /** The network, for commands. */
  | { readonly what: "network"; readonly until: "call" | "session" | "hour" | "always" };

/** What of its path a yes for once to a read shows. `either`: the path, or the names in it. */
export type Shows = "path" | "names" | "below" | "either" | "nothing";

/** The sentences of a fact, by its label. */
export const factsOf = ({ lines }: Shown, label: string): readonly string[] =>
  lines.flatMap((line) => (line.startsWith(`${label}: `) ? [line.slice(label.length + 2)] : []));

const one = (shown: Shown, label: string): string => {
  const [sentence, ...more] = factsOf(shown, label);
  if (sentence === undefined || more.length > 0) throw new Error(`the card does not say once: ${label}\n${shown.lines.join("\n")}`);
  return sentence;
};

/** What is promised to whoever takes this choice. Throws where the words do not say it. */
export function promiseOf(shown: Shown, choice: string): Promised {
  if (!shown.choices.includes(choice)) throw new Error(`the card does not offer: ${choice}`);
  const named = (words: RegExp): string | null => words.exec(choice)?.[1] ?? null;
  const until = choice.endsWith(" for one hour") ? "hour" : "session";
  if (/^Deny\b/u.test(choice)) return { what: "nothing" };

  const folder = named(/^Allow reading only the folder (.+) for (?:this session|one hour)$/u);
  if (folder !== null) return { what: "reading", dir: called(folder, [askedPath(shown), dirname(askedPath(shown))]), until };
  const all = named(/^Allow reading all of (\S+)(?: \((?:at least )?[\d,]+ files?\))? for (?:this session|one hour)$/u);
  if (all !== null)
    return { what: "reading", dir: called(all, [/^(\S+), a git repository/u.exec(one(shown, "It is part of"))?.[1]]), until };
  const kept = named(/^Always allow reading (\S+) in \S+$/u);
  if (kept !== null) return { what: "reading", dir: called(kept, [opened(shown, "A yes lets it read")]), until: "always" };
  const proposed = named(/^Allow reading (\S+) for (?:this session|one hour)$/u);
  if (proposed !== null) return { what: "reading", dir: called(proposed, [opened(shown, "A yes lets it read")]), until };

  const only = named(/^Allow (?:only|reading|listing|searching|only listing|only this search of) (\S+), once$/u);
  if (only !== null) return { what: "once", right: "read", paths: [called(only, [askedPath(shown)])], shows: showsOf(shown, choice) };
  const written = named(/^Allow writing (\S+), once$/u);
  if (written !== null)
    return { what: "once", right: "write", paths: [called(written, [opened(shown, "A yes lets it write")])], shows: "nothing" };
  const spawned = named(/^Start an agent in (\S+)$/u);
  if (spawned !== null)
    return {
      what: "agent",
      workspace: called(spawned, [
        /whose workspace is (\S+?)\.? It can read, write and run commands there/u.exec(one(shown, "A yes starts"))?.[1],
      ]),
    };
  if (choice === "Run this command without a sandbox, once") {
    one(shown, "A yes runs it");
    return { what: "command", command: shown.lines.at(-1)?.replace(/^Wants to run\. The agent says \(unverified\): /u, "") ?? "" };
  }
  const network = named(/^(?:Always a|A)llow the network (.+)$/u);
  if (network !== null) {
    const ends = { "for this command, once": "call", "for this session": "session", "for one hour": "hour" } as const;
    const says = [...factsOf(shown, "A yes gives commands"), ...factsOf(shown, "A yes gives it")].join("");
    if (!/^the same network as your own programs: every host .+ and this machine's own services\./u.test(says))
      throw new Error(`the card does not say what of the network it opens: ${says}`);
    const found = Object.entries(ends).find(([words]) => words === network)?.[1];
    return { what: "network", until: found ?? "always" };
  }
  throw new Error(`nobody could tell what this opens: ${choice}`);
}

/** What a yes for once shows, by the word of the choice and by the sentence that tells what a yes opens. They must not differ. */
function showsOf(shown: Shown, choice: string): Shows {
  const [verb] =
    /\b(?:reading|listing|searching|search|only)\b/u.exec(choice.replace("only listing", "listing").replace("only this ", "")) ?? [];
  const byChoice = { listing: "names", searching: "below", search: "below" }[verb ?? ""] ?? "path";
  if (choice.startsWith("Allow only "))
    return byChoice === "path" && one(shown, "Wants to").includes(" with request_read_access") ? "either" : (byChoice as Shows);
  const sentences = ["read", "list", "search"].flatMap((word) => factsOf(shown, `A yes lets it ${word}`));
  const said = /^[^\s,:]+(.*)$/u.exec(sentences[0] ?? "")?.[1] ?? "";
  const bySentence: Readonly<Record<string, Shows>> = {
    " and nothing else": "path",
    ", or the names in it if it is a directory, and nothing else": "either",
    ": the names in it, except secrets and what the policy denies, and nothing else": "names",
    " and all below it, except secrets and what the policy denies, in this one search": "below",
  };
  const shows = bySentence[said];
  if (shows === undefined || (shows !== byChoice && shows !== "either"))
    throw new Error(`what a yes shows is not said: ${choice}: ${said}`);
  return shows;
}

/** Does the card's own word for how long a yes lasts agree with what its first yes says? Throws where it has none. */
export function saysHowLong(shown: Shown): boolean {
  const yes = shown.choices.find((choice) => /^(?:Allow|Start|Run) /u.test(choice));
  const long = one(shown, "How long").split("; the question itself")[0];
  const promised = promiseOf(shown, yes ?? "");
  const { what } = promised;
  if (what === "reading" || (what === "network" && promised.until !== "call")) return long === "this session, unless you revoke it sooner";
  return long === (what === "agent" ? "until that agent has finished its task" : "for this one call");
}

/** The real path that is asked for: where the links lead, what another spelling stands for, or as it was asked. */
function askedPath(shown: Shown): string {
  const [real] = factsOf(shown, "Actual location");
  if (real !== undefined) return real.split(", since it goes through")[0] ?? "";
  const [way] = factsOf(shown, "On the way");
  if (way !== undefined) return /^it passes through (\S+?),? /u.exec(way)?.[1] ?? "";
  const wants = one(shown, "Wants to");
  return /, that is (\S+) with /u.exec(wants)?.[1] ?? /^\S+ (\S+) with /u.exec(wants)?.[1] ?? "";
}

const opened = (shown: Shown, label: string): string | undefined => /^([^\s,]+)/u.exec(one(shown, label))?.[1];

/** The one of these paths that a label calls by this name. */
function called(name: string, paths: readonly (string | undefined)[]): string {
  const found = paths.find((path) => path !== undefined && basename(path) === name);
  if (found === undefined) throw new Error(`the card does not say where ${name} is: ${paths.join(", ")}`);
  return found;
}

/** The files that a card says a call changes, each as it is named there. */
export const changesIn = (shown: Shown): readonly string[] =>
  factsOf(shown, "The change").flatMap(
    (change) => /^(?:creates|overwrites all of|changes|writes) ([^\s;]+)(?:;|$)/u.exec(change)?.slice(1) ?? [],
  );

export interface Contents {
  /** That a yes opens. */
  readonly files: number;
  readonly secrets: number;
  readonly shut: number;
  readonly asked: number;
  readonly repositories: number;
}

/** What a card says is in the directory it proposes. */
export function contentsOf(shown: Shown, label = "In it"): Contents | null {
  const [sentence] = factsOf(shown, label);
  if (sentence === undefined) return null;
  const count = (words: RegExp): number => Number(words.exec(sentence)?.[1] ?? 0);
  return {
    files: count(/(\d+) files?\b/u),
    shut: count(/(\d+) others? (?:is|are) denied by the policy/u),
    asked: count(/(\d+) others? (?:is|are) asked about each time/u),
    secrets: count(/(\d+) secret files? stays? hidden/u),
    repositories: count(/(\d+) other repositor(?:y|ies) inside, opened too/u),
  };
}

/** Does the promise open this? A secret is none of it, and reading is not writing. */
export function opens(
  promised: Promised,
  { operation, path }: { readonly operation: string; readonly path: string },
  isSecret: boolean,
): boolean {
  if (promised.what !== "reading" || operation === "replace" || isSecret) return false;
  return path === promised.dir || path.startsWith(`${promised.dir}/`);
}
