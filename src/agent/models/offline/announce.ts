// A turn's calls in a sentence, so that the person sees what is being done and why a card appears.

import type { Call } from "./probe.ts";
import { clip, code, joinWords, place, quote } from "./words.ts";

export function announce(calls: readonly Call[]): string {
  const asked = calls.filter(({ name }) => name === "request_read_access");
  const others = calls.filter(({ name }) => name !== "request_read_access");
  const sentences: string[] = [];
  if (others.length > 0) sentences.push(`${capital(joinWords(grouped(others)))}.`);
  if (asked.length > 0) {
    const names = joinWords(asked.map(({ input }) => code(textOf(input["path"]))));
    sentences.push(
      `${names} ${asked.length === 1 ? "is" : "are"} outside of what I may read, so I ask you for ${asked.length === 1 ? "it" : "them"}.`,
    );
  }
  return sentences.join(" ");
}

/** Calls of one kind together: "reading a and b". */
function grouped(calls: readonly Call[]): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const call of calls) {
    const { verb, object } = wordsFor(call);
    groups.set(verb, [...(groups.get(verb) ?? []), object]);
  }
  return [...groups].map(([verb, objects]) => `${verb} ${joinWords(objects)}`);
}

function wordsFor({ name, input }: Call): { readonly verb: string; readonly object: string } {
  const path = place(textOf(input["path"]));
  switch (name) {
    case "read_file":
    case "view_file":
      return { verb: "reading", object: path };
    case "list_dir":
      return { verb: "listing", object: path };
    case "find_files":
      return { verb: "looking for", object: `${code(textOf(input["pattern"]))} in ${path}` };
    case "grep":
      return { verb: "searching for", object: `${quote(textOf(input["pattern"]))} in ${path}` };
    case "write_file":
      return { verb: "writing", object: path };
    case "edit_file":
      return { verb: "changing", object: path };
    case "bash":
      return { verb: "running", object: code(clip(textOf(input["command"]), 200)) };
    case "list_access":
      return { verb: "looking up", object: "what I may see" };
    case "spawn_agent":
      return { verb: "starting an agent in", object: path };
    default:
      return { verb: "calling", object: name };
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
