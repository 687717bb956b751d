import type { Model } from "../ports.ts";
export function offlineModel(): Model {
  return { name: "offline/guide", turn: () => Promise.resolve({ text: "", calls: [], usage: null }) };
}
