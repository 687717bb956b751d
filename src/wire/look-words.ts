// What a screen says while a large workspace is looked through before a command.

/** `looking through the workspace for secrets: 41,000 directories so far` */
export const lookWords = (directories: number): string =>
  `looking through the workspace for secrets: ${directories.toLocaleString("en")} ${directories === 1 ? "directory" : "directories"} so far`;
