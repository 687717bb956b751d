// Tracks which directories of large trees have changed, by inotify, so that only these are checked again. A directory whose state is uncertain is
// marked as doubtful and checked on disk. In a tree without watches every directory is checked; that is the whole cost.

import { readFileSync } from "node:fs";
import { isInside } from "../core/path/contain.ts";
import { type ChangeHelper, type PlacedWatch, startChangeHelper, watchLimit } from "./change-helper.ts";
import { bytesOf, stateAt, tellsChanges } from "./disk.ts";
import { Folders } from "./folders.ts";
import { mountPoint } from "./mount-table.ts";
import { isAsListed, isSame } from "./tree.ts";

/** Smaller trees are asked about in a few milliseconds. */
const LEAST = 1000;
/** Directories that are watched in one step. */
const A_STEP = 200;
/** Of what the system gives a user so much is left to their other programs. */
const SHARE = 0.5;
/** Milliseconds for which trees are watched that no look is taken at. */
const IDLE_LIMIT = 10 * 60_000;
/** A helper that went is started again so often. */
const STARTS = 3;

export interface DirChangesPorts {
  readonly start?: () => ChangeHelper | null;
  readonly limit?: () => number;
  /** Does the file system at the path tell of every change? */
  readonly tells?: (path: string) => boolean;
  readonly least?: number;
}

interface Tree {
  readonly dir: string;
  /** The mounts in it and around it, when its watches were last asked. */
  mounts: string;
}

export class DirChanges {
  readonly #ports: Required<DirChangesPorts>;
  readonly #trees = new Map<Folders, Tree>();
  /** By watch: the directories that it is on, in whichever trees. */
  readonly #places = new Map<number, Map<Folders, string>>();
  /** By device: does its file system tell of every change? */
  readonly #reportsByDevice = new Map<number, boolean>();
  #helper: ChangeHelper | null = null;
  #starts = 0;
  #table = "";
  #idle: NodeJS.Timeout | null = null;
  #following: Promise<void> | null = null;

  constructor(ports: DirChangesPorts = {}) {
    this.#ports = { start: startChangeHelper, limit: watchLimit, tells: tellsChanges, least: LEAST, ...ports };
  }

  /** Folders whose watches are looked after. */
  create(dir: string): Folders {
    const folders: Folders = new Folders((path, watch) => this.#release(folders, path, watch));
    this.#trees.set(folders, { dir, mounts: "" });
    return folders;
  }

  /** They are looked at no more. */
  forget(folders: Folders): void {
    this.#trees.delete(folders);
    folders.clear();
  }

  /** Put in doubt what has changed since the last time. To be done before a look, once all has stopped that it must not miss. */
  async update(): Promise<void> {
    if (this.#helper === null) return;
    this.#rest();
    this.#seeMounts();
    try {
      const { complete, changed, ended } = await this.#helper.changes();
      for (const watch of changed) for (const [folders, path] of this.#places.get(watch) ?? []) folders.doubt(path);
      for (const watch of ended) this.#ended(watch);
      if (!complete) for (const folders of this.#trees.keys()) folders.doubtAll();
    } catch {
      this.#stop();
    }
  }

  /** Have watched what no watch is on. Goes on in the background; others have their turns. */
  follow(): Promise<void> {
    this.#following ??= this.#watchAll()
      .catch(() => this.#stop())
      .finally(() => (this.#following = null));
    return this.#following;
  }

  async #watchAll(): Promise<void> {
    const large = [...this.#trees.keys()].filter(({ size }) => size >= this.#ports.least);
    if (large.length === 0 || !this.#start()) return;
    for (const folders of large) {
      const paths = folders.unwatched();
      for (let from = 0; from < paths.length; from += A_STEP) {
        if (this.#helper === null || this.#places.size >= this.#ports.limit() * SHARE) return;
        const step = paths.slice(from, from + A_STEP);
        const placed = await this.#helper.add(step);
        if (placed.includes("full")) return;
        for (const [index, path] of step.entries()) this.#placed(folders, path, placed[index] ?? null);
      }
    }
  }

  /** A watch is good where it is on the directory that was listed, which is as listed now that the watch is on it, in a file system that tells. */
  #placed(folders: Folders, path: string, placed: PlacedWatch | "full" | null): void {
    if (placed === null || placed === "full") return;
    const folder = this.#trees.has(folders) ? folders.get(path) : undefined;
    if (folder?.kind !== "open" || !isSame(folder, placed) || !this.#reportsChanges(folder.dev, path)) {
      if (!this.#places.has(placed.watch)) this.#helper?.remove([placed.watch]);
      return;
    }
    const places = this.#places.get(placed.watch) ?? new Map<Folders, string>();
    this.#places.set(placed.watch, places);
    // One directory under two names of one root: mounted twice.
    if (places.has(folders)) return;
    places.set(folders, path);
    folders.watch(path, placed.watch);
    if (isAsListed(folder, stateAt(path))) folders.vouch(path);
  }

  #reportsChanges(dev: number, path: string): boolean {
    const known = this.#reportsByDevice.get(dev) ?? this.#ports.tells(path);
    this.#reportsByDevice.set(dev, known);
    return known;
  }

  #release(folders: Folders, path: string, watch: number): void {
    const places = this.#places.get(watch);
    if (places?.get(folders) !== path) return;
    places.delete(folders);
    if (places.size > 0) return;
    this.#places.delete(watch);
    this.#helper?.remove([watch]);
  }

  #ended(watch: number): void {
    for (const [folders, path] of this.#places.get(watch) ?? []) folders.unwatch(path);
  }

  /** Mounting tells nobody, and puts another directory in the place of a watched one. */
  #seeMounts(): void {
    const table = mountTable();
    if (table === this.#table) return;
    this.#table = table;
    this.#reportsByDevice.clear();
    for (const [folders, tree] of this.#trees) {
      const mounts = mountsAround(table, tree.dir);
      if (mounts !== tree.mounts) folders.doubtAll();
      tree.mounts = mounts;
    }
  }

  #start(): boolean {
    if (this.#helper !== null) return true;
    if (this.#starts >= STARTS) return false;
    this.#starts += 1;
    this.#helper = this.#ports.start();
    // INVARIANT: before anything is vouched for, so that whatever is mounted afterwards is seen as a change.
    this.#seeMounts();
    this.#rest();
    return this.#helper !== null;
  }

  /** Watch nothing any more; a later look may begin anew. */
  close(): void {
    clearTimeout(this.#idle ?? undefined);
    this.#starts = 0;
    this.#stop();
  }

  #stop(): void {
    this.#helper?.close();
    this.#helper = null;
    for (const watch of this.#places.keys()) this.#ended(watch);
  }

  #rest(): void {
    clearTimeout(this.#idle ?? undefined);
    this.#idle = setTimeout(() => this.close(), IDLE_LIMIT).unref();
  }
}

function mountTable(): string {
  try {
    return readFileSync("/proc/self/mountinfo", "latin1");
  } catch {
    return "";
  }
}

const mountsAround = (table: string, dir: string): string => {
  const root = bytesOf(dir);
  const matters = (point: string): boolean => isInside(root, point) || isInside(point, root);
  return table
    .split("\n")
    .filter((line) => matters(mountPoint(line)))
    .join("\n");
};
