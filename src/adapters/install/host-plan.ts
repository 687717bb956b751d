// What an installation into one host is made of: where it goes, the plan itself, and the pieces that the plans of most hosts share.

import type { Environment } from "../../config/locations.ts";
import type { OptionsAt } from "./hook-lines.ts";
import { isOurHook, isOurServer, mcpWords, type PinnedWords, PROGRAM, type Programs, serverWords } from "./programs.ts";
import type { JsonEntry, WantedFile } from "./wanted-file.ts";

export type Level = "project" | "user";

export interface InstallPlace {
  readonly level: Level;
  /** Absolute, links followed. */
  readonly workspace: string;
  readonly home: string;
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** Into files that a team shares: no path of this machine stands in them, and each machine finds our program in its own PATH. */
  readonly isShared?: boolean;
}

export interface HostPlan {
  readonly files: readonly WantedFile[];
  /** The line a host would run, to be proven; null where the host has no hook of ours. */
  readonly command: string | null;
  /** What only a person can do, and what the host does not tell. */
  readonly notes: readonly string[];
}

/** `options`: what a person added to our line, for each event of the host. `pluginText`: the one text that is copied. */
export type MakePlan = (
  where: InstallPlace,
  programs: Programs,
  more: { readonly pluginText: () => string; readonly options: OptionsAt },
) => HostPlan;

/** Seconds a host gives the hook of an event about which nobody is asked, well over the hook's own deadline. */
export const PATIENCE = 20;

/** A property of ours in a host's file: a server under our name. */
export const property = (at: readonly string[], value: unknown): JsonEntry => ({ kind: "property", at, value, ours: isOurServer });
/** An item of ours in a host's list of hooks. */
export const hookItem = (at: readonly string[], value: unknown): JsonEntry => ({ kind: "item", at, value, ours: isOurHook });
export const json = (file: string, ...entries: readonly JsonEntry[]): WantedFile => ({ kind: "json", files: [file], entries });

/** How our MCP server is started, as most hosts write it. */
export const serverStart = (
  where: InstallPlace,
  programs: Programs,
  starts = true,
): { command: string; args: readonly string[]; env: PinnedWords } =>
  where.isShared === true
    ? { command: PROGRAM, args: ["mcp"], env: {} }
    : {
        command: programs.node,
        args: mcpWords(programs, where.level === "project" ? where.workspace : null, starts),
        env: serverWords(where),
      };

/** An absolute path of the environment. A relative one is passed over: it would be another place in each directory. */
export const placeFrom = (path: string | undefined): string | null => (path?.startsWith("/") === true ? path : null);
