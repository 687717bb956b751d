// What `hallpass --help` and `hallpass COMMAND --help` say, of the table of commands.

import { type CommandName, type CommandRow, commandTable, type FlagRow } from "./command-table.ts";

/** Lines of two columns, the second wide enough for the longest of the first. */
function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}

const flagLines = (flags: Readonly<Record<string, FlagRow>>): readonly string[] =>
  columns(
    Object.entries(flags).flatMap(([name, { short, value, help }]) =>
      help === undefined
        ? []
        : [[`${short === undefined ? "   " : `-${short},`} --${name}${value === undefined ? "" : ` ${value}`}`, help] as const],
    ),
  );

const exampleLines = (examples: readonly string[]): readonly string[] => ["examples", ...examples.map((line) => `  ${line}`)];

/** A command's own help; check and explain have theirs in the general one. */
export function commandHelp(name: CommandName): string {
  const row: CommandRow = commandTable[name];
  if (name === "check" || name === "explain") return help();
  const forms = columns(Object.entries(row.forms ?? {}));
  const choices = row.choices === undefined ? [] : [`  ${row.usage.split(" ")[0]}: ${row.choices.join(", ")}`];
  const parts = [
    [`hallpass ${name} ${row.usage}`.trimEnd() + `: ${row.summary}`],
    forms,
    choices,
    flagLines(row.flags ?? {}),
    row.notes === undefined ? [] : [row.notes],
    row.examples === undefined ? [] : exampleLines(row.examples),
    [row.exits ?? "exit codes: 0 done, 1 something is wrong, 2 usage error"],
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

/** The commands, one line each, and where to read on. */
export function help(): string {
  const rows = Object.entries<CommandRow>(commandTable).flatMap(([name, { usage, summary, forms, takes = [0] }]) => {
    // What may be left out is left to the command's own help.
    const first = [
      [`hallpass ${name}${forms === undefined ? ` ${usage.replaceAll(/\[[^\]]*\] ?/gu, "")}` : ""}`.trimEnd(), summary] as const,
    ];
    const more = Object.entries(forms ?? {}).map(([form, says]) => [`hallpass ${name} ${form}`, says] as const);
    return takes[0] > 0 && forms !== undefined ? more : [...first, ...more];
  });
  return `${[
    "hallpass: the file boundary for AI coding agents",
    "",
    ...columns(rows),
    "",
    "hallpass COMMAND --help says more about one of them.",
    "",
    "flags of explain and check",
    ...flagLines(commandTable.check.flags),
    "",
    ...exampleLines([
      "hallpass explain ../other/go.mod",
      "hallpass check .env; echo $?",
      `echo '{"workspace":"/srv/app","operation":"read","path":"/etc/passwd"}' | hallpass check --stdin`,
    ]),
  ].join("\n")}\n`;
}
