// The difference a writing call would make, from its tool and input alone: nothing is read, so a card shows no more of a file than the
// agent itself has said. Pure.

import { createTwoFilesPatch } from "diff";
import { z } from "zod";

const writeInput = z.looseObject({ path: z.string(), content: z.string() });
const editInput = z.looseObject({ path: z.string(), old: z.string(), new: z.string() });
const patchInput = z.looseObject({ patch: z.string() });

/** More than anybody reads on a card, of either side. */
const LONGEST = 64 * 1024;

/** A unified diff; null for a call that is no write of ours, or is malformed. For `write_file` the whole new content is shown. */
export function callDiff(tool: string, input: unknown): string | null {
  switch (tool) {
    case "write_file": {
      const read = writeInput.safeParse(input);
      return read.success ? between(read.data.path, "", read.data.content) : null;
    }
    case "edit_file": {
      const read = editInput.safeParse(input);
      return read.success ? between(read.data.path, read.data.old, read.data.new) : null;
    }
    case "apply_patch": {
      const read = patchInput.safeParse(input);
      return read.success ? clipped(read.data.patch) : null;
    }
    default:
      return null;
  }
}

function between(path: string, before: string, after: string): string {
  // Comparing two long texts may take long; where it does, all of the one is shown as going and all of the other as coming.
  const [old, next] = [clipped(before), clipped(after)];
  const patch = createTwoFilesPatch(path, path, old, next, undefined, undefined, { context: 3, timeout: 250 });
  return (
    patch ??
    [`--- ${path}`, `+++ ${path}`, ...old.split("\n").map((line) => `-${line}`), ...next.split("\n").map((line) => `+${line}`)].join("\n")
  );
}

const clipped = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n… (cut)`);
