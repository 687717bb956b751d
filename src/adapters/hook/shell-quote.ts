/** One word as a shell reads it back, whatever is in it. */
export const quoteForShell = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
