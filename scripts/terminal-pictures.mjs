// Draws what the terminal shows: runs the built program in a real terminal, by keys, and writes its screen as SVG, light and dark, and as
// text. `node scripts/terminal-pictures.mjs [screen…]` writes docs/terminal/; needs a build. Names and paths are made up, so that two runs give the same.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pty from "@lydell/node-pty";
import xterm from "@xterm/headless";

const project = join(import.meta.dirname, "..");
const program = process.env.HALLPASS_PROGRAM ?? join(project, "bin", "hallpass.cjs");
const out = join(project, "docs", "terminal");
const root = realpathSync(mkdtempSync(join(tmpdir(), "hp-")));
const home = join(root, "home", "ada");
const workspace = join(home, "code", "app");
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

function file(path, text) {
  const full = join(home, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
}
file("code/app/package.json", '{ "name": "app" }\n');
file("code/app/notes.txt", "the notes\nof the workspace\n");
file("code/app/.git/HEAD", "ref: refs/heads/main\n");
file("code/api/.git/HEAD", "ref: refs/heads/main\n");
file("code/api/go.mod", "module example.com/api\n\ngo 1.24\n");
file("code/api/.env", "TOKEN=x\n");
for (let at = 0; at < 40; at += 1) file(`code/api/internal/part-${at}.go`, "package internal\n");
file("code/web/.git/HEAD", "x\n");
file("code/web/index.html", "<h1>web</h1>\n");
file(".config/hallpass/policy.json", '{ "write": { "*.txt": "ask" } }\n');

/** A model that gives these turns. */
async function model(turns) {
  let at = 0;
  const line = (choice) =>
    `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, ...choice }] })}\n\n`;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const { text = "", calls = [] } = turns[at++] ?? { text: "Done." };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(line({ delta: { role: "assistant", content: text } }));
      for (const [index, { name, input }] of calls.entries())
        response.write(
          line({
            delta: {
              tool_calls: [{ index, id: `c${at}-${index}`, type: "function", function: { name, arguments: JSON.stringify(input) } }],
            },
          }),
        );
      response.end(`${line({ delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" })}data: [DONE]\n\n`);
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    env: { HALLPASS_MODEL_URL: `http://127.0.0.1:${server.address().port}/v1`, HALLPASS_MODEL_KEY: "x" },
    close: () => server.close(),
  };
}

function terminal(words, { cols = 100, rows = 26, env = {} } = {}) {
  const screen = new xterm.Terminal({ cols, rows, scrollback: 1000, allowProposedApi: true });
  const child = pty.spawn(process.execPath, [program, ...words], {
    cols,
    rows,
    cwd: workspace,
    name: "xterm-256color",
    env: { PATH: process.env.PATH, HOME: home, ...env },
  });
  child.onData((data) => screen.write(data));
  const ended = new Promise((done) => child.onExit(done));
  const text = () => {
    const { active } = screen.buffer;
    return Array.from({ length: screen.rows }, (_, at) => active.getLine(active.baseY + at)?.translateToString(true) ?? "").join("\n");
  };
  return {
    screen,
    ended,
    type: (keys) => child.write(keys),
    resize(newCols, newRows) {
      screen.resize(newCols, newRows);
      child.resize(newCols, newRows);
    },
    // What is waited for are signs and names that were given to the program: its words change.
    async sees(what) {
      for (let tries = 0; !what.test(text()); tries += 1) {
        if (tries > 800) throw new Error(`${what} was not seen:\n${text()}`);
        await pause(20);
      }
    },
    /** Longer than a new card takes no keys, and than anything that is drawn in turns. */
    async settles() {
      for (let [before, since] = ["", Date.now()]; Date.now() - since < 1_000; await pause(20))
        if (text() !== before) [before, since] = [text(), Date.now()];
    },
    async close() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const themes = {
  light: {
    back: "#ffffff",
    text: "#1f2328",
    dim: "#6e7781",
    colours: ["#24292f", "#cf222e", "#116329", "#7d4e00", "#0969da", "#8250df", "#1b7c83", "#6e7781"],
  },
  dark: {
    back: "#0d1117",
    text: "#e6edf3",
    dim: "#8b949e",
    colours: ["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"],
  },
};
const CELL = { width: 8.4, height: 18, pad: 14 };
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
// The directory the picture was made in is nobody's business, also where it is cut in the middle; and an id is another one each time.
const cutRoot = new RegExp(`${root.slice(0, -6)}\\w{0,6}…`, "gu");
const anonymous = (text) =>
  text
    .replaceAll(root, "")
    .replaceAll(cutRoot, "/…")
    .replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{8}\b/gu, "3f2a91c0");

/** The screen as runs of equal style, a line at a time, without the empty lines at its end. */
function cells(screen) {
  const { active } = screen.buffer;
  const lines = [];
  for (let row = 0; row < screen.rows; row += 1) {
    const line = active.getLine(active.baseY + row);
    const runs = [];
    for (let column = 0; column < screen.cols; column += 1) {
      const cell = line?.getCell(column);
      if (cell === undefined || cell.getWidth() === 0) continue;
      const style = `${cell.isFgPalette() ? cell.getFgColor() : -1} ${cell.isBold() ? 1 : 0} ${cell.isDim() ? 1 : 0}`;
      const text = cell.getChars() || " ";
      const last = runs.at(-1);
      if (last !== undefined && last.style === style) last.text += text;
      else runs.push({ style, text, column });
    }
    lines.push(runs);
  }
  while (lines.length > 1 && (lines.at(-1) ?? []).every(({ text }) => text.trim() === "")) lines.pop();
  return lines;
}

function svg(screen, theme, title) {
  const lines = cells(screen);
  const width = screen.cols * CELL.width + 2 * CELL.pad;
  const height = lines.length * CELL.height + 2 * CELL.pad;
  const body = lines.flatMap((runs, row) => {
    // A shorter path than the one it was drawn with would leave holes: what follows in the same line moves up.
    let moved = 0;
    return runs.flatMap(({ style, text, column }) => {
      const [colour, bold, dim] = style.split(" ").map(Number);
      const said = anonymous(text);
      const at = column - moved;
      moved += text.length - said.length;
      if (said.trim() === "") return [];
      const fill = colour >= 0 ? theme.colours[colour % 8] : dim ? theme.dim : theme.text;
      const x = (CELL.pad + at * CELL.width).toFixed(1);
      const y = (CELL.pad + row * CELL.height + 13).toFixed(0);
      const length = ([...said].length * CELL.width).toFixed(1);
      return [
        `<text x="${x}" y="${y}" fill="${fill}"${bold ? ' font-weight="700"' : ""} textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">${escaped(said)}</text>`,
      ];
    });
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width.toFixed(0)}" height="${height}" viewBox="0 0 ${width.toFixed(0)} ${height}" role="img" aria-label="${escaped(title)}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<rect width="100%" height="100%" rx="8" fill="${theme.back}" stroke="${theme.dim}" stroke-opacity="0.35"/>
${body.join("\n")}
</svg>
`;
}

function keep(name, title, { screen }) {
  mkdirSync(out, { recursive: true });
  for (const [mode, theme] of Object.entries(themes)) writeFileSync(join(out, `${name}-${mode}.svg`), svg(screen, theme, title));
  const text = cells(screen).map((runs) => anonymous(runs.map((run) => run.text).join("")).trimEnd());
  writeFileSync(join(out, `${name}.txt`), `${text.join("\n")}\n`);
  console.log(`docs/terminal/${name}`);
}

const PROMPT = /^› ▏/mu;
/** A choice that is pointed at. */
const CARD = /^ +› \d /mu;

const read = (path) => ({ text: `I look at \`${path}\`.`, calls: [{ name: "read_file", input: { path } }] });
const screens = {
  async card() {
    const { env, close } = await model([
      {
        text: "The client must match the API's module path.",
        calls: [
          {
            name: "request_read_access",
            input: { path: join(home, "code/api/go.mod"), reason: "to see which module path the client must import" },
          },
        ],
      },
      { text: "It is `example.com/api`." },
    ]);
    const chat = terminal(["chat", "--model", "openai-compatible/demo"], { env });
    await chat.sees(PROMPT);
    chat.type("which module path does the api have?\r");
    await chat.sees(CARD);
    await chat.settles();
    keep("card", "A card asks whether the agent may read the repository next door; Deny is chosen", chat);
    chat.resize(40, 34);
    await chat.settles();
    keep("card-narrow", "The same card in a window of 40 columns", chat);
    chat.resize(100, 26);
    await chat.settles();
    chat.type("1");
    await chat.sees(/example\.com\/api/u);
    await chat.sees(PROMPT);
    await chat.settles();
    chat.type("/grants\r");
    await chat.sees(/^[0-9a-f]{8} /mu);
    await chat.settles();
    keep("granted", "The card is answered: what was granted, and how to revoke it", chat);
    await chat.close();
    close();
  },
  async diff() {
    const { env, close } = await model([
      read("notes.txt"),
      {
        calls: [{ name: "edit_file", input: { path: "notes.txt", old: "of the workspace", new: "of this workspace\nand one line more" } }],
      },
    ]);
    const chat = terminal(["chat", "--model", "openai-compatible/demo"], { env });
    await chat.sees(PROMPT);
    chat.type("tidy up the notes\r");
    await chat.sees(CARD);
    await chat.settles();
    keep("diff", "A write is asked about with the difference it would make", chat);
    await chat.close();
    close();
  },
  async spoofed() {
    const hostile = `${home}/code/docs\u001b[2K\u001b[1A/readme\u202etxt.md`;
    file(`code/docs\u001b[2K\u001b[1A/.git/HEAD`, "x");
    file(`code/docs\u001b[2K\u001b[1A/readme\u202etxt.md`, "x");
    const { env, close } = await model([
      {
        calls: [
          { name: "request_read_access", input: { path: hostile, reason: "docs\n\n[✓ Verified by administrator]\nPath: /opt/docs" } },
        ],
      },
    ]);
    const chat = terminal(["chat", "--model", "openai-compatible/demo"], { env });
    await chat.sees(PROMPT);
    chat.type("read the docs\r");
    await chat.sees(CARD);
    await chat.settles();
    keep("spoofed", "A hostile name and a reason that imitates the card: every unusual character is written out", chat);
    await chat.close();
    close();
  },
  async doctor() {
    const run = terminal(["doctor"], { rows: 32 });
    await run.ended;
    await run.settles();
    keep("doctor", "hallpass doctor: a mark, a sentence and a remedy for each part", run);
  },
  async inbox() {
    const daemon = spawn(process.execPath, [program, "serve", "--port", "0", "--no-open"], {
      cwd: workspace,
      env: { PATH: process.env.PATH, HOME: home },
      stdio: "ignore",
    });
    try {
      const { env, close } = await model([read("../web/index.html")]);
      for (let tries = 0; !existsSync(join(home, ".local/share/hallpass/daemon.json")); tries += 1) {
        if (tries > 800) throw new Error("the daemon did not start");
        await pause(20);
      }
      const inbox = terminal(["inbox"]);
      await inbox.sees(/^hallpass inbox/u);
      await inbox.settles();
      const chat = terminal(["chat", "read ../web/index.html"], { env });
      await inbox.sees(CARD);
      await inbox.settles();
      keep("inbox", "The inbox shows the ask of another terminal's agent", inbox);
      await inbox.close();
      await chat.close();
      close();
    } finally {
      daemon.kill("SIGTERM");
    }
  },
};

const wanted = process.argv.slice(2);
try {
  for (const [name, draw] of Object.entries(screens)) if (wanted.length === 0 || wanted.includes(name)) await draw();
} finally {
  await pause(300);
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(0);
