// Pass → what it opens. The second layer: it acts only through the pin that was judged and checks the kind once more, so that a
// mistake in judging does not open a pipe, and a name swapped since then opens nothing else.

import type { Operation } from "../access.ts";
import type { Ids } from "../clock.ts";
import type { Code } from "../errors.ts";
import type { Scratch } from "../fs/read.ts";
import { basename } from "../path/contain.ts";
import { make, type OpenedDir, type ReadableFile, type Searchable, type WritableFile } from "./handle.ts";
import { type Judgement, type Pass, spendPass } from "./pass.ts";

export interface OpenedByOperation {
  read: ReadableFile;
  list: OpenedDir;
  search: Searchable;
  create: WritableFile;
  replace: WritableFile;
  remove: WritableFile;
}
/** What an operation gives: a file to read, a directory to list, a place to write. */
export type OpenedTarget<O extends Operation> = OpenedByOperation[O];

/** What was opened, or the code of why it could not be. */
export type OpenResult<O extends Operation> =
  | { readonly ok: true; readonly opened: OpenedTarget<O> }
  | { readonly ok: false; readonly code: Code };

export interface OpenPorts {
  readonly ids: Ids;
  readonly scratch: Scratch;
}

/** Open what the pass stands for. The pass is spent whatever happens; on failure nothing stays open. */
export function open<O extends Operation>(pass: Pass<O>, ports: OpenPorts): OpenResult<O> {
  const judgement = spendPass(pass);
  let opened: OpenedTarget<O> | Code;
  try {
    opened = openers[pass.operation](judgement, ports);
  } catch {
    // A fault in a port: nothing was done yet, and nothing will be.
    opened = "guard-fault";
  }
  if (typeof opened !== "string") return { ok: true, opened };
  judgement.target.pin.close();
  return { ok: false, code: opened };
}

type Opener<O extends Operation> = (judgement: Judgement, ports: OpenPorts) => OpenedTarget<O> | Code;

const openers: { readonly [O in Operation]: Opener<O> } = {
  read({ target }, { scratch }) {
    if (target.state !== "present") return "not-found";
    if (target.kind === "dir") return "is-directory";
    return target.kind === "file" ? make.readable(target.path, target.pin, scratch) : "not-regular-file";
  },
  list({ target, ...judged }) {
    if (target.state !== "present") return "not-found";
    return target.kind === "dir" ? make.dir(target.path, target.pin, judged) : "not-directory";
  },
  search({ target, ...judged }) {
    if (target.state !== "present") return "not-found";
    return target.kind === "other" ? "not-regular-file" : make.searchable(target.path, target.kind, target.pin, judged);
  },
  create: openForWriting,
  replace: openForWriting,
  remove: openForWriting,
};

function openForWriting({ target }: Judgement, { ids }: OpenPorts): WritableFile | Code {
  const temporary = `.hallpass-${ids()}`;
  if (target.state === "entry") return make.writable(target.path, target.pin, [], target.name, temporary);
  if (target.state === "absent")
    return make.writable(target.path, target.pin, target.missing.slice(0, -1), basename(target.path), temporary);
  return "is-directory";
}
