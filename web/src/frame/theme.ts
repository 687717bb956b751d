// Light, dark, or as the system says. Kept for this browser; the style sheet does the rest.

export type Theme = "system" | "light" | "dark";

const KEY = "hallpass.theme";
const themes: readonly Theme[] = ["system", "light", "dark"];

export function readTheme(storage: Storage): Theme {
  return themes.find((theme) => theme === storage.getItem(KEY)) ?? "system";
}

export function applyTheme(theme: Theme, root: HTMLElement, storage: Storage): void {
  if (theme === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = theme;
  storage.setItem(KEY, theme);
}

export const nextTheme = (theme: Theme): Theme => themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
