// Some systems have a language that is no language tag (`en-US@posix`), and a browser passes it on. Whatever formats a number by it, a library
// of ours too, throws; so it is put right before anything else is loaded.

if (!isTag(navigator.language)) Object.defineProperty(navigator, "language", { value: "en-US", configurable: true });

function isTag(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length === 1;
  } catch {
    return false;
  }
}
