// What held, all hosts side by side: a table for each way in which they are set up.

import { promiseOf } from "./promises.mjs";

const parts = [
  ["The hook, nobody there", "without", ["with"]],
  ["The hook and the daemon, a person at the inbox", "without, asked", ["inbox", "inbox, its own questions on"]],
  ["The hook, with the text reader switched off, nobody there", "without", ["with, no reader"]],
  ["The hook and the daemon, with the text reader switched off, a person at the inbox", "without, asked", ["inbox, no reader"]],
  ["The whole program inside `hallpass run`", "without", ["run"]],
  ["The whole program inside `hallpass run`, a person at the inbox", "without, asked", ["run, asked"]],
  ["A rule of the host's own that denies a command, beside the hook", "without", ["own rules"]],
  ["A host that takes no notice of the setting that leads its shell", "without", ["setting ignored"]],
  ["Another hook, which makes another command of the model's", "second hook, without", ["second hook"]],
];

/** What a person saw of it, in a word. */
export function answerIn(one) {
  const { seen, person } = one.asked ?? one;
  if (seen === undefined || seen.asks === 0) return "";
  return person === "allow" ? ", after a yes" : person === "deny" ? ", after a no" : ", asked";
}

/** `results`: one `{ program, version, runs }` a host. */
export function summary(results) {
  return parts
    .flatMap(([title, without, guarded]) => {
      const columns = guarded.flatMap((variant, index) =>
        results
          .filter(({ program }) => index === 0 || program.variants.includes(variant))
          .map((result) => ({ head: headOf(result, index === 0 ? "" : variant), cells: cellsOf(result, without, variant) })),
      );
      if (columns.every(({ cells }) => cells.size === 0)) return [];
      const labels = inOrder(columns.map(({ cells }) => [...cells.keys()]));
      const rows = labels.map((label) => `| ${label} | ${columns.map(({ cells }) => cells.get(label) ?? "–").join(" | ")} |`);
      const head = columns.map((column) => column.head).join(" | ");
      return [`### ${String(title)}`, "", `| call | ${head} |`, `| --- |${" --- |".repeat(columns.length)}`, ...rows].join("\n");
    })
    .join("\n\n");
}

const headOf = ({ program, version }, variant) => `${program.title} ${version}${variant.replace("inbox", "")}`;

function cellsOf({ program, runs }, without, guarded) {
  const casesOf = (variant) => runs.find(([name]) => name === variant)?.[1].cases ?? [];
  const before = new Map(casesOf(without).map(({ label, state }) => [label, state]));
  const shown = casesOf(guarded).filter(({ label }) => !label.startsWith("("));
  return new Map(shown.map((one) => [one.label, cell(one, before.get(one.label), promiseOf(one, guarded, program))]));
}

function cell(one, before, promise) {
  const { state } = one;
  const isMarked = (one.unverified === true || one.marked === true) && one.seen?.shells === "unverified";
  const asked = `${answerIn(one)}${isMarked ? ", session unverified" : ""}`;
  if (state === "held back") return before === "held back" ? "the host's own" : `${promise === false ? "**held**" : "held"}${asked}`;
  return promise === null ? "*passes*" : `open${asked}`;
}

/** The labels of every host, each where the host that has it has it. */
function inOrder(lists) {
  const order = [];
  for (const list of lists)
    for (const [index, label] of list.entries())
      if (!order.includes(label)) order.splice(index === 0 ? 0 : order.indexOf(list[index - 1]) + 1, 0, label);
  return order;
}
