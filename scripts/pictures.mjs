// Makes the pictures in docs/pictures: the real program's output as a terminal, and the way of a call and the sandbox as drawings. The same input
// gives the same bytes; `--check` says whether the pictures are current and writes nothing. `demo` is also used by readme-snippet.mjs.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * Run `hallpass` with each list of words in a made-up home, where ~/code/app is the workspace, ~/code/library a repository beside
 * it and ~/diary nobody's business. Gives what was printed, with the made-up home written as `~`.
 */
export async function demo(commands, { color }) {
  if (!existsSync(at("dist/cli.js"))) await import("./build.mjs");
  const home = realpathSync(mkdtempSync(join(tmpdir(), "hallpass-picture-")));
  try {
    plant(home);
    const env = { PATH: process.env.PATH, HOME: home, USERPROFILE: home, FORCE_COLOR: color ? "1" : "0" };
    return commands.map((words) => {
      const run = spawnSync(process.execPath, [at("bin/hallpass.js"), ...words], { cwd: join(home, "code/app"), env, encoding: "utf8" });
      if (run.status === null || run.stderr !== "") throw new Error(`hallpass ${words.join(" ")}: ${run.stderr}`);
      return { words, status: run.status, text: run.stdout.replaceAll(home, "~").trimEnd() };
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function plant(home) {
  const put = (path, text) => {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  put("code/app/src/main.ts", "export const answer = 42;\n");
  put("code/app/.env", "TOKEN=not-for-agents\n");
  put("code/app/package.json", "{}\n");
  put("code/library/.git/HEAD", "ref: refs/heads/main\n");
  put("code/library/go.mod", "module example.com/library\n");
  put("code/library/.env", "TOKEN=also-not\n");
  put("diary/2026.txt", "dear diary\n");
  symlinkSync(join(home, "diary/2026.txt"), join(home, "code/app/notes.txt"));
}

// ── A terminal as SVG ──

const CELL = { width: 7.8, height: 19, font: 13 };
const MARGIN = { x: 22, y: 20 };
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

/** Class of a piece of text: what the codes in force come to. The program uses these and no others. */
const CODES = { 1: ["bold", true], 2: ["dim", true], 22: ["bold", false], 31: ["red"], 32: ["green"], 33: ["yellow"], 39: [""] };

/** One line with its colour codes → pieces of text, each with its classes. */
function pieces(line) {
  const found = [];
  const state = { bold: false, dim: false, color: "" };
  for (const part of line.split(/(\u001b\[\d+m)/)) {
    const code = /^\u001b\[(\d+)m$/.exec(part)?.[1];
    if (code === undefined) {
      if (part !== "")
        found.push({ text: part, classes: [state.bold && "bold", state.dim && "dim", state.color].filter(Boolean).join(" ") });
      continue;
    }
    const [word, on] = CODES[code] ?? [];
    if (word === undefined) throw new Error(`the program printed a colour code the pictures do not know: ${code}`);
    if (code === "22") Object.assign(state, { bold: false, dim: false });
    else if (on === undefined) state.color = word;
    else state[word] = on;
  }
  return found;
}

function terminal(runs, title) {
  const lines = runs.flatMap(({ words, text }, index) => [
    ...(index === 0 ? [] : [""]),
    `\u001b[2m~/code/app $\u001b[22m \u001b[1mhallpass ${words.join(" ")}\u001b[22m`,
    ...text.split("\n"),
  ]);
  const plain = lines.map((line) =>
    pieces(line)
      .map(({ text }) => text)
      .join(""),
  );
  const width = Math.ceil(2 * MARGIN.x + Math.max(...plain.map((line) => line.length)) * CELL.width);
  const height = 2 * MARGIN.y + lines.length * CELL.height;
  const rows = lines.map((line, row) => {
    let column = 0;
    const spans = pieces(line).map(({ text, classes }) => {
      // Placed by column and without outer spaces, so that no reader of SVG can take them away.
      const x = MARGIN.x + (column + text.length - text.trimStart().length) * CELL.width;
      column += text.length;
      const words = text.trim();
      if (words === "") return "";
      return `<tspan x="${number(x)}" textLength="${number(words.length * CELL.width)}"${classes === "" ? "" : ` class="${classes}"`}>${escape(words)}</tspan>`;
    });
    return spans.length === 0 ? "" : `<text y="${number(MARGIN.y + (row + 0.75) * CELL.height)}">${spans.join("")}</text>`;
  });
  const style = `text { font: ${CELL.font}px ${FONT}; white-space: pre; }\n.bold { font-weight: 600; }`;
  return svg({ width, height, title, description: plain.join("\n"), style, body: rows.filter((row) => row !== "") });
}

// ── The way of a call, drawn ──

const BOX = { width: 172, height: 74 };
const TOP = [
  { name: "tool call", lines: ["a path, as the", "model wrote it"] },
  { name: "resolve", lines: ["pin the object, ask", "the kernel its name"] },
  { name: "judge", lines: ["secrets, rules,", "scope"] },
  { name: "open", lines: ["through the pin,", "never by name"] },
  { name: "result", lines: ["output, or a code", "and a hint"] },
];
const GAP = 48;
const LEFT = 20;
const columnAt = (index) => LEFT + index * (BOX.width + GAP);

function drawing() {
  const width = columnAt(TOP.length - 1) + BOX.width + LEFT;
  const low = 170;
  const middle = 20 + BOX.height / 2;
  const top = TOP.map((box, index) => rectangle(columnAt(index), 20, box));
  const forward = TOP.slice(1).map((_, index) => arrow(`M${columnAt(index) + BOX.width} ${middle}H${columnAt(index + 1) - 3}`));
  const judge = columnAt(2);
  const person = rectangle(columnAt(2), low, { name: "person", lines: ["sees the real path and", "what a yes would open"] });
  const grant = rectangle(columnAt(1), low, { name: "grant", lines: ["one repository, reading", "only, until revoked"] });
  const hint = rectangle(columnAt(3), low, { name: "hint", lines: ["why not, and what", "to do next"] });
  const under = 20 + BOX.height;
  const arrows = [
    ...forward,
    arrow(`M${judge + 60} ${under}V${low - 3}`, "ask"),
    arrow(`M${judge} ${low + 37}H${columnAt(1) + BOX.width + 3}`, "ask"),
    arrow(`M${columnAt(1) + BOX.width / 2} ${low}V${under + 3}`, "ask"),
    arrow(`M${judge + 120} ${under}V${under + 38}H${columnAt(3) + BOX.width / 2}V${low - 3}`, "deny"),
    arrow(`M${columnAt(3) + BOX.width} ${low + 37}H${columnAt(4) + BOX.width / 2}V${under + 3}`, "deny"),
  ];
  const labels = [
    label(columnAt(3) - GAP / 2, middle - 8, "allow", "green", "middle"),
    label(judge + 52, under + 28, "ask", "yellow", "end"),
    label(judge + 128, under + 30, "deny", "red"),
    label(judge - GAP / 2, low + 29, "yes", "yellow", "middle"),
    label(columnAt(1) + 74, under + 44, "judged again", "yellow", "end"),
    label(columnAt(2) + BOX.width / 2, low + BOX.height + 22, "a no ends the call", "dim", "middle"),
  ];
  const bar = low + BOX.height + 40;
  const audit = `<rect class="box" x="${LEFT}" y="${bar}" width="${width - 2 * LEFT}" height="30" rx="6"/>`;
  const recorded = label(width / 2, bar + 20, "audit: every decision, answer, grant and revocation is recorded, once", "dim", "middle");
  const description =
    "A tool call brings a path as the model wrote it. It is resolved: the object is pinned and the kernel is asked for its name. It is judged " +
    "by secrets, rules and scope. If allowed it is opened through the pin and the result goes back. If a person must be asked, they see the real " +
    "path and what a yes would open; a yes makes a grant, and the call is judged again. If denied, a hint says why not and what to do next.";
  return svg({
    width,
    height: bar + 50,
    title: "The way of a tool call",
    description,
    style: DRAWN,
    body: [...arrows, ...top, person, grant, hint, ...labels, audit, recorded],
  });
}

// ── The sandbox, drawn ──

/** What stands in the sandbox, and how far a program gets with it. */
const SHOWN = [
  ["the workspace", "reads and changes it", "green"],
  ["/usr, /tmp, its own home", "works as usual", "green"],
  [".env, keys, tokens", "refused, always", "red"],
  ["another repository", "waits for your answer", "yellow"],
  ["the rest of the disk", "is not there", "red"],
];

function sandbox() {
  const [row, top, width] = [38, 44, 1016];
  const bottom = top + 34 + SHOWN.length * row;
  const middle = top + 27 + row / 2;
  const rowAt = (index) => middle + index * row;
  const wall = { x: 20, width: 620 };
  const program = { x: 36, y: middle + 1.5 * row - BOX.height / 2 };
  const things = { x: 290, width: 332 };
  const outer = `<rect class="wall" x="${wall.x}" y="${top}" width="${wall.width}" height="${bottom - top}" rx="8"/>`;
  const rows = SHOWN.flatMap(([what, how, color], index) => [
    `<rect class="box" x="${things.x}" y="${rowAt(index) - 15}" width="${things.width}" height="30" rx="6"/>`,
    label(things.x + 10, rowAt(index) + 5, what, "plain"),
    label(things.x + things.width - 10, rowAt(index) + 5, how, color, "end"),
  ]);
  const trunk = things.x - 26;
  const ways = SHOWN.map(([, , color], index) =>
    arrow(
      `M${program.x + BOX.width} ${program.y + BOX.height / 2}H${trunk}V${rowAt(index)}H${things.x - 3}`,
      { green: "plain", yellow: "ask", red: "deny" }[color],
    ),
  );
  const asked = rowAt(3);
  const person = { x: 824, y: asked - BOX.height / 2 };
  const repository = { x: 824, y: top + 10 };
  const across = [
    arrow(`M${things.x + things.width} ${asked}H${person.x - 3}`, "ask"),
    arrow(`M${person.x + BOX.width / 2} ${person.y}V${repository.y + BOX.height + 3}`, "ask"),
    arrow(`M${repository.x} ${repository.y + BOX.height / 2}H${wall.x + wall.width + 3}`, "plain"),
  ];
  const labels = [
    label(wall.x + 4, top - 12, "the sandbox, held by the kernel: every program that the agent starts", "name"),
    label((wall.x + wall.width + person.x) / 2, asked - 8, "one card", "yellow", "middle"),
    label(person.x + BOX.width / 2 + 8, person.y - 16, "yes", "yellow"),
    label((wall.x + wall.width + repository.x) / 2, repository.y + BOX.height / 2 - 8, "mounted, read-only", "dim", "middle"),
    label((wall.x + wall.width + repository.x) / 2, repository.y + BOX.height / 2 + 18, "without its secrets", "dim", "middle"),
    label(person.x + BOX.width / 2, person.y + BOX.height + 20, "a no: Permission denied", "dim", "middle"),
  ];
  const description =
    "Every program that the agent starts is in the sandbox. It reads and changes the workspace, works as usual with /usr, /tmp and a home directory of its own, " +
    "is refused secrets, and finds nothing of the rest of the disk. When it opens a file of another repository, its call waits while you see one card. After a " +
    "yes the repository is mounted, read-only and without its secrets, and the call goes on. After a no it says Permission denied.";
  return svg({
    width,
    height: bottom + 26,
    title: "The sandbox that asks",
    description,
    style: `${DRAWN}\n.wall { fill: none; stroke: #656d76; stroke-width: 1.5; stroke-dasharray: 6 4; }`,
    body: [
      outer,
      ...ways,
      ...across,
      rectangle(program.x, program.y, { name: "program", lines: ["cat, node, go build:", "any that opens a file"] }),
      ...rows,
      rectangle(person.x, person.y, { name: "you", lines: ["see which program asks,", "and what a yes opens"] }),
      rectangle(repository.x, repository.y, { name: "the repository", lines: ["until you revoke it", "or the session ends"] }),
      ...labels,
    ],
  });
}

const DRAWN = [
  "text { font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; }",
  ".name { font-weight: 600; font-size: 14px; }",
  ".arrow { fill: none; stroke-width: 1.5; }",
].join("\n");

function rectangle(x, y, { name, lines }) {
  const words = lines.map((line, index) => label(x + BOX.width / 2, y + 42 + index * 17, line, "dim", "middle"));
  const rect = `<rect class="box" x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6"/>`;
  return [rect, label(x + BOX.width / 2, y + 22, name, "name", "middle"), ...words].join("");
}

const label = (x, y, text, classes, anchor = "start") =>
  `<text class="${classes}" x="${number(x)}" y="${number(y)}" text-anchor="${anchor}">${escape(text)}</text>`;

/** A line with a head where it ends; heads are drawn, not markers, so that they take the colour of their line everywhere. */
function arrow(path, kind = "plain") {
  const [x, y, from] = endOf(path);
  const head = { right: [-8, -4, -8, 4], left: [8, -4, 8, 4], down: [-4, -8, 4, -8], up: [-4, 8, 4, 8] }[from];
  return `<path class="arrow line-${kind}" d="${path}M${x + head[0]} ${y + head[1]}L${x} ${y}L${x + head[2]} ${y + head[3]}"/>`;
}

/** Where a path of M, H and V ends, and which way its last stroke goes. */
function endOf(path) {
  let [x, y, way] = [0, 0, "right"];
  for (const [, letter, first, second] of path.matchAll(/([MHV])([\d.]+)(?: ([\d.]+))?/g)) {
    const value = Number(first);
    if (letter === "M") [x, y] = [value, Number(second)];
    else if (letter === "H") [way, x] = [value > x ? "right" : "left", value];
    else [way, y] = [value > y ? "down" : "up", value];
  }
  return [x, y, way];
}

// ── Both ──

const LIGHT = { back: "#ffffff", edge: "#d0d7de", text: "#1f2328", dim: "#656d76", green: "#116329", yellow: "#7d4e00", red: "#a40e26" };
const DARK = { back: "#0d1117", edge: "#30363d", text: "#e6edf3", dim: "#9198a1", green: "#56d364", yellow: "#e3b341", red: "#ff7b72" };

function colors({ back, edge, text, dim, green, yellow, red }) {
  return [
    `.back { fill: ${back}; stroke: ${edge}; }`,
    `.box { fill: ${back}; stroke: ${edge}; }`,
    `text { fill: ${text}; }`,
    `.dim { fill: ${dim}; }`,
    `.green { fill: ${green}; }`,
    `.yellow { fill: ${yellow}; }`,
    `.red { fill: ${red}; }`,
    `.line-plain { stroke: ${dim}; }`,
    `.line-ask { stroke: ${yellow}; }`,
    `.line-deny { stroke: ${red}; }`,
  ].join("\n");
}

function svg({ width, height, title, description, style, body }) {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">
<title id="title">${escape(title)}</title>
<desc id="desc">${escape(description)}</desc>
<style>
${style}
${colors(LIGHT)}
@media (prefers-color-scheme: dark) {
${colors(DARK)}
}
</style>
<rect class="back" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${body.join("\n")}
</svg>
`;
}

const number = (value) => String(Math.round(value * 100) / 100);
const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

async function main() {
  const words = process.argv.slice(2);
  if (words.some((word) => word !== "--check")) throw new Error("pictures.mjs takes --check or nothing");
  const shown = [
    ["explain", ".env"],
    ["explain", "../library/go.mod"],
  ];
  const pictures = {
    "docs/pictures/explain.svg": terminal(await demo(shown, { color: true }), "hallpass explain: a deny and an ask, each with its reasons"),
    "docs/pictures/way-of-a-call.svg": drawing(),
    "docs/pictures/sandbox.svg": sandbox(),
  };
  for (const [file, picture] of Object.entries(pictures)) {
    const current = existsSync(at(file)) && readFileSync(at(file), "utf8") === picture;
    if (words.includes("--check")) {
      if (!current) process.exitCode = 1;
      console.log(current ? `${file} is current` : `${file} is not current; run node scripts/pictures.mjs`);
    } else {
      mkdirSync(at("docs/pictures"), { recursive: true });
      writeFileSync(at(file), picture);
      console.log(`${file} ${current ? "is as it was" : "written"}`);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
