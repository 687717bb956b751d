/** For each copy, the files that are different in it, each with a function from the text it has to the text it gets. */
export declare const changedCopies: Record<string, [file: string, change: (text: string) => string][]>;
