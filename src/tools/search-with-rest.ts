// A search whose answer is cut short, and a handle to the rest of it.

import type { Searchable } from "../core/guard/handle.ts";
import type { Outputs } from "./outputs.ts";
import type { SearchResult, SearchOutcome, Query } from "./search/query.ts";
import type { Searcher } from "./search/searcher.ts";

interface Ports {
  readonly searcher: Searcher;
  readonly outputs: Outputs;
}

/** How many times as much is looked for and kept as is shown. */
const MORE = 20;

/**
 * Search. Where more was found than is shown, it is searched once more for the rest; `lines` puts that into the lines that are kept. The
 * handle is null where all is shown, or the rest took too long: then the answer is the first one.
 */
export async function searchWithRest(
  start: Searchable,
  query: Query,
  { searcher, outputs }: Ports,
  lines: (found: SearchResult) => readonly string[],
): Promise<{ readonly outcome: SearchOutcome; readonly handle: string | null }> {
  const outcome = await searcher.search(start, query);
  if (!outcome.ok || !outcome.truncated) return { outcome, handle: null };
  const most = query.most * MORE;
  const rest = await searcher.search(start, { ...query, most });
  if (!rest.ok) return { outcome, handle: null };
  const last = rest.truncated ? [`… and more than ${most}: search a smaller directory`] : [];
  return { outcome, handle: outputs.keep([...lines(rest), ...last].join("\n")) };
}
