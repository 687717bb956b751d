// What `hallpass --help` and `hallpass COMMAND --help` say, of the table of commands.

import { commandGroups, type CommandName, type CommandRow, commandTable, type FlagRow } from "./command-table.ts";

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

/** A command's own help. */
export function commandHelp(name: CommandName): string {
  const row: CommandRow = commandTable[name];
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

const rows = Object.entries<CommandRow>(commandTable);

/** The commands of a group, and of each form that a command has, in one line. */
function commandLines(group: string): readonly (readonly [string, string])[] {
  return rows.flatMap(([name, { group: own, usage, summary, forms, takes = [0] }]) => {
    if (own !== group) return [];
    // What may be left out is left to the command's own help.
    const first = [
      [`hallpass ${name}${forms === undefined ? ` ${usage.replaceAll(/\[[^\]]*\] ?/gu, "")}` : ""}`.trimEnd(), summary] as const,
    ];
    const more = Object.entries(forms ?? {}).map(([form, says]) => [`hallpass ${name} ${form}`, says] as const);
    return takes[0] > 0 && forms !== undefined ? more : [...first, ...more];
  });
}

const groups = Object.entries(commandGroups);

/** The first screen: what a newcomer needs, the names of the others, and where to read on. */
export function help(): string {
  const others = groups.flatMap(([group, title]) =>
    group === "begin" ? [] : [[title, rows.flatMap(([name, row]) => (row.group === group ? [name] : [])).join(", ")] as const],
  );
  return `${[
    "hallpass: the file boundary for AI coding agents",
    "",
    commandGroups.begin,
    ...columns(rows.flatMap(([name, { group, summary }]) => (group === "begin" ? [[`hallpass ${name}`, summary] as const] : []))),
    "",
    "more commands",
    ...columns(others),
    "",
    ...columns([
      ["hallpass COMMAND --help", "help for one command"],
      ["hallpass help all", "every command, one line each"],
    ]),
  ].join("\n")}\n`;
}

/** Every command, a line each. */
export function fullHelp(): string {
  const parts = groups.map(([group, title]) => [title, ...columns(commandLines(group))].join("\n"));
  return `${[...parts, "hallpass COMMAND --help shows the help of one command."].join("\n\n")}\n`;
}
