// The directories of a root by real path. What a look asks for is at hand: those that may have changed, those in which something matters, those
// with links. So a look through a large root in which nothing has changed goes through none of the others.

import type { Folder } from "./folder.ts";

export class Folders {
  readonly #all = new Map<string, Folder>();
  /** Those that may have changed since they were listed: the file system is asked about each at every look. */
  readonly #doubtful = new Set<string>();
  /** Those in which something stands that matters to a command. */
  readonly #notable = new Map<string, Folder>();
  readonly #linked = new Map<string, Folder>();
  /** By path: the number of the watch that tells when the directory changes. */
  readonly #watches = new Map<string, number>();
  /** Called for a watch that is of no more use. */
  readonly #release: (path: string, watch: number) => void;
  #inModules = 0;

  constructor(release: (path: string, watch: number) => void = () => {}) {
    this.#release = release;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Is one of them in `node_modules`? */
  get hasModules(): boolean {
    return this.#inModules > 0;
  }

  get(path: string): Folder | undefined {
    return this.#all.get(path);
  }

  has(path: string): boolean {
    return this.#all.has(path);
  }

  all(): Iterable<[string, Folder]> {
    return this.#all;
  }

  doubtful(): Iterable<string> {
    return this.#doubtful;
  }

  notable(): Iterable<[string, Folder]> {
    return this.#notable;
  }

  /** Those with links where names that execute later are looked for. What is added meanwhile has its turn too. */
  linked(): Iterable<[string, Folder]> {
    return this.#linked;
  }

  set(path: string, folder: Folder): void {
    const before = this.#all.get(path);
    if (before !== undefined) this.#inModules -= Number(before.context.modules);
    if (before?.ino !== folder.ino || before.dev !== folder.dev || folder.kind !== "open") this.unwatch(path);
    this.#inModules += Number(folder.context.modules);
    this.#all.set(path, folder);
    this.#doubtful.add(path);
    keep(this.#notable, path, folder, isNotable(folder));
    keep(this.#linked, path, folder, folder.links.length > 0);
  }

  delete(path: string): void {
    const before = this.#all.get(path);
    if (before === undefined) return;
    this.#inModules -= Number(before.context.modules);
    this.unwatch(path);
    for (const index of [this.#all, this.#doubtful, this.#notable, this.#linked]) index.delete(path);
  }

  clear(): void {
    for (const path of this.#watches.keys()) this.unwatch(path);
    for (const index of [this.#all, this.#doubtful, this.#notable, this.#linked]) index.clear();
    this.#inModules = 0;
  }

  // ── What a watch vouches for need not be asked about ──

  /** Directories that could be listed and that no watch is on. */
  unwatched(): readonly string[] {
    return [...this.#doubtful].filter((path) => !this.#watches.has(path) && this.#all.get(path)?.kind === "open");
  }

  /** There is a watch on this very directory from now on. */
  watch(path: string, watch: number): void {
    this.#watches.set(path, watch);
  }

  unwatch(path: string): void {
    const watch = this.#watches.get(path);
    this.#watches.delete(path);
    if (this.#all.has(path)) this.#doubtful.add(path);
    if (watch !== undefined) this.#release(path, watch);
  }

  /**
   * INVARIANT: it was found to be as listed, after the watch on it was there. Then it is so until that watch tells otherwise; where there is
   * none, it may change at any time.
   */
  vouch(path: string): void {
    if (this.#watches.has(path)) this.#doubtful.delete(path);
  }

  doubt(path: string): void {
    if (this.#all.has(path)) this.#doubtful.add(path);
  }

  doubtAll(): void {
    for (const path of this.#all.keys()) this.#doubtful.add(path);
  }
}

function keep(map: Map<string, Folder>, path: string, folder: Folder, isOne: boolean): void {
  if (isOne) map.set(path, folder);
  else map.delete(path);
}

function isNotable({ kind, shut, leads, guarded, environments, frozen, peeked, raw }: Folder): boolean {
  return kind === "closed" || [shut, leads, guarded, environments, frozen, peeked, raw].some((names) => names.length > 0);
}
