// The words of the environment that lead to our own files, as they are when we are installed. A host may take a workspace's `.env` into
// its environment, so what it starts is told these words again, each of them: one that is not set now is told as empty, which is unset.

import type { Environment } from "../../config/locations.ts";

export type PinnedWords = Readonly<Record<string, string>>;

export function pinnedWords({ home, env }: { readonly home: string; readonly env: Environment }): PinnedWords {
  const absolute = (word: string): string => (env[word]?.startsWith("/") === true ? (env[word] ?? "") : "");
  return {
    HOME: home,
    XDG_CONFIG_HOME: absolute("XDG_CONFIG_HOME"),
    XDG_DATA_HOME: absolute("XDG_DATA_HOME"),
    HALLPASS_DATA: absolute("HALLPASS_DATA"),
  };
}

/**
 * For what the host starts with Node itself: other people's code must not come in by way of the environment either. What may be asked for
 * is told as well, since a server asks for what its model wants; a hook passes that word over.
 */
export const serverWords = (around: { readonly home: string; readonly env: Environment }): PinnedWords => ({
  ...pinnedWords(around),
  PROJECT_ROOT_WHITELIST: around.env["PROJECT_ROOT_WHITELIST"] ?? "",
  NODE_OPTIONS: "",
  NODE_COMPILE_CACHE: "",
});
