// The pictures in docs/images: every page in both themes, and the flow in one picture for the top of the README. A real server, the
// offline agent, a real browser. Run: npx tsx scripts/screenshots.mjs [name …]

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { offlineModel } from "../src/agent/models/offline.ts";
import { scriptedModel } from "../src/agent/models/scripted.ts";
import { routes } from "../src/wire/http.ts";
import { createClient } from "../src/wire/client.ts";
import { startServer } from "../test/web/server.ts";
import { launchChromium } from "./chromium.mjs";
import { withPalette } from "./palette-png.mjs";

const images = fileURLToPath(new URL("../docs/images/", import.meta.url));
const home = join(tmpdir(), "ada");
const wanted = process.argv.slice(2);
const LARGEST = 150 * 1024;

const FILES = {
  "code/shop/.git/HEAD": "ref: refs/heads/main\n",
  "code/shop/package.json": '{\n  "name": "shop",\n  "version": "1.4.0"\n}\n',
  "code/shop/README.md": "# Shop\n\nSells things.\n",
  "code/shop/src/cart.ts": "export const currency = 'EUR';\nexport const total = (lines: number[]) => lines.reduce((a, b) => a + b, 0);\n",
  "code/shop/src/checkout.ts": "import { total } from './cart';\n\nexport const pay = (lines: number[]) => total(lines);\n",
  "code/shop/.env": "TOKEN=one\n",
  "code/api/.git/HEAD": "ref: refs/heads/main\n",
  "code/api/package.json": '{\n  "name": "api",\n  "version": "2.1.0",\n  "type": "module"\n}\n',
  "code/api/README.md": "# API\n\nThe service behind the shop.\n",
  "code/api/src/server.ts": "export const port = 8080;\n",
  "code/api/src/routes.ts": "export const routes = ['/cart', '/pay'];\n",
  "code/api/src/schema.ts": "export const schema = {};\n",
  "code/api/test/routes.test.ts": "// …\n",
  "code/api/.env": "TOKEN=two\n",
  "code/api/deploy/id_rsa": "-----BEGIN\n",
  "code/api/vendor/money/.git/HEAD": "ref: refs/heads/main\n",
  "code/api/vendor/money/index.js": "1\n",
  "code/design/.git/HEAD": "ref: refs/heads/main\n",
  "code/design/tokens.json": '{ "accent": "#3d4bb8" }\n',
  ".config/hallpass/policy.jsonc":
    '{\n  // what agents may read without asking, wherever they work\n  "read": {\n    "~/code/design/**": "allow",\n    "~/Documents/**": "deny"\n  },\n  "write": {\n    "**/migrations/**": "ask"\n  }\n}\n',
};

function plant() {
  rmSync(home, { recursive: true, force: true });
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  symlinkSync("../api/src", join(home, "code/shop/vendor"));
  const path = (name) => join(home, name.replace(/^home\/?/, ""));
  return { root: home, out: home, path, remove: () => rmSync(home, { recursive: true, force: true }) };
}

// The offline agent, but for one question and one command's worth of writing that it has no words for.
const offline = offlineModel();
const asking = scriptedModel(() => ({
  text: "The totals can be rounded in two places.",
  calls: [
    {
      name: "ask_user_input",
      input: { question: "Round the total once at the end, or every line?", options: ["Once, at the end", "Every line"] },
    },
  ],
}));
const editing = scriptedModel((transcript) =>
  transcript.some(({ role }) => role === "agent")
    ? "Done: prices are now rounded to whole cents **once**, in `total`.\n\n- `src/cart.ts` changed\n- nothing outside the workspace was touched"
    : {
        text: "I round the sum in `total`.",
        calls: [
          {
            name: "edit_file",
            input: {
              path: "src/cart.ts",
              old: "lines.reduce((a, b) => a + b, 0);",
              new: "Math.round(lines.reduce((a, b) => a + b, 0) * 100) / 100;",
            },
          },
        ],
      },
);
const model = {
  name: offline.name,
  turn(prompt, running) {
    const said = prompt.transcript.findLast(({ role }) => role === "person")?.text ?? "";
    return (said.startsWith("Round") ? editing : said.startsWith("Where") ? asking : offline).turn(prompt, running);
  },
};

const server = await startServer({ model, tree: plant() });
const browser = await launchChromium();
const { client } = server;
const code = (path) => join(home, "code", path);
const made = [];
const panels = {};
// What is waited for are roles, attributes and what the agents were given: the words of the pages change.
const pane = (page) => page.getByRole("complementary", { name: "Session" });
const openPane = (page) => page.locator("main header button[aria-expanded]").click();

async function settled(chat) {
  for (;;) {
    const { status } = await client.send(routes.chat, { id: chat });
    if (status !== "running") return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
async function chatIn(session, text) {
  const chat = await client.send(routes.addChat, { body: { session, title: text.replaceAll(`${home}/code/`, "") } });
  await client.send(routes.say, { id: chat.id, body: { text } });
  await settled(chat.id);
  return chat;
}

try {
  mkdirSync(images, { recursive: true });
  await shoot("first-run", "/", async (page) => page.locator("#directory").fill(code("shop")));

  const project = await client.send(routes.addProject, { body: { path: code("shop") } });
  await client.send(routes.addProject, { body: { path: code("design") } });
  const session = await client.send(routes.addSession, { body: { workspace: code("shop"), project: project.id } });
  await shoot("new-chat", `/session/${session.id}`, (page) => page.locator("main textarea").waitFor());

  const written = await chatIn(session.id, "Round prices to whole cents");
  const chat = await chatIn(session.id, `Read ${code("api/package.json")}`);
  await shoot("ask", `/chat/${chat.id}`, armed);
  await shoot("ask-phone", `/chat/${chat.id}`, armed, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  const look = async (page) => {
    await armed(page);
    await page.getByRole("button", { name: /X-ray/ }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /deploy/ })
      .click();
    await page.getByRole("dialog").getByRole("button", { name: /src\// }).click();
    await page.getByText("id_rsa").waitFor();
    await page.getByText("schema.ts").waitFor();
  };
  await shoot("x-ray", `/chat/${chat.id}`, look);
  await panel("ask", `/chat/${chat.id}`, armed);
  await panel("x-ray", `/chat/${chat.id}`, look);

  // Agents from elsewhere: one of them under another.
  const registered = await client.send(routes.register, {
    body: { host: "claude-code", hostSession: "one", workspace: code("design"), label: "redesign" },
  });
  const agent = createClient({ address: server.address, token: registered.credential, fetch: (request) => fetch(request), via: "hook" });
  await agent.send(routes.agentAsk, {
    body: {
      call: "call-1",
      tool: "Read",
      operation: "read",
      path: code("api/src/routes.ts"),
      reason: "The buttons need the names of the routes; [docs](http://example.com) say they are in routes.ts",
    },
  });
  const question = await chatIn(session.id, "Where should it round?");
  await shoot("inbox", "/inbox", armed);
  await shoot("question", `/chat/${question.id}`, armed);

  const [ask] = await client
    .send(routes.listAsks, { query: { session: session.id, state: "open" } })
    .then((asks) => asks.filter((one) => one.chat === chat.id));
  await createClient({ address: server.address, token: client.token, fetch: (request) => fetch(request), via: "web" }).send(routes.answer, {
    id: ask.id,
    body: { decision: "allow", digest: ask.digest },
  });
  await settled(chat.id);
  await client.send(routes.say, { id: chat.id, body: { text: `Read ${code("api/src/server.ts")} and ${code("api/.env")}` } });
  await settled(chat.id);
  const allowed = async (page) => {
    await page.getByText("secret-file").first().waitFor();
    // The list follows its end until a person scrolls, and measures what comes into view: said until it stands.
    for (let times = 0; times < 6; times += 1) {
      await page
        .locator("[data-ask]")
        .first()
        .evaluate((card) => card.scrollIntoView({ block: "start" }));
      await page.waitForTimeout(120);
    }
    await page.getByRole("button", { name: "Revoke" }).waitFor();
  };
  await shoot("answered", `/chat/${chat.id}`, allowed);
  await panel("answered", `/chat/${chat.id}`, allowed);
  await client.send(routes.addMount, { id: session.id, body: { path: code("design"), mode: "read_only" } });
  await shoot("session", `/chat/${chat.id}`, async (page) => {
    await openPane(page);
    const reads = pane(page).locator("details").first();
    await reads.locator("summary").click();
    await reads.getByRole("listitem").first().waitFor();
    await page.waitForTimeout(300);
  });
  await shoot("scope", `/chat/${chat.id}`, async (page) => {
    await openPane(page);
    await pane(page).getByRole("button", { name: /X-ray/ }).click();
    await page.getByRole("dialog").getByText("tokens.json").waitFor();
    await page.getByRole("dialog").getByText("README.md").last().waitFor();
  });
  await shoot("diff", `/chat/${written.id}`, (page) => page.getByText("Math.round").first().waitFor());
  await shoot("policy", "/policy", async (page) => {
    await page.getByLabel("Path to try").fill("../api/.env");
    await page.getByText("secret-file").first().waitFor();
  });
  await shoot("policy-change", "/policy", async (page) => {
    await page.getByLabel("Workspace").selectOption(code("shop"));
    await page.getByLabel("Path to try").fill("../api/package.json");
    const file = page.getByLabel("Text of your policy file");
    await file.fill((await file.inputValue()).replace('"~/Documents/**"', '"~/code/api/**": "deny",\n    "~/Documents/**"'));
    await page.getByRole("region", { name: "What would change" }).getByRole("listitem").first().waitFor();
    await page.getByRole("region", { name: "What would change" }).scrollIntoViewIfNeeded();
  });
  await shoot("audit", "/audit", async (page) => {
    await page.locator("[aria-label=Timeline] li").first().waitFor();
    await page.locator(".plot canvas").waitFor();
  });
  if (wanted.length === 0 || wanted.includes("flow")) await flow();
} finally {
  await browser.close();
  await server.close();
}
for (const { name, bytes } of made) console.log(`${String(Math.round(bytes / 1024)).padStart(4)} KB  ${name}`);
const heavy = made.filter(({ bytes }) => bytes > LARGEST);
if (heavy.length > 0) throw new Error(`too large: ${heavy.map(({ name }) => name).join(", ")}`);

async function armed(page) {
  await page.locator('[data-state="open"] button[data-grants][aria-disabled="false"]').first().waitFor();
  await page.waitForTimeout(150);
}

async function shoot(name, place, ready, options = { viewport: { width: 1280, height: 860 } }) {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  for (const colorScheme of ["light", "dark"])
    save(`${name}-${colorScheme}.png`, await pictured(place, ready, { ...options, colorScheme }));
}

/** One page as it looks. */
async function pictured(place, ready, options) {
  const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(server.page(place));
  await ready(page);
  await page.waitForTimeout(250);
  const png = await page.screenshot();
  await context.close();
  return png;
}

function save(name, png) {
  const small = withPalette(png);
  writeFileSync(join(images, name), small);
  made.push({ name, bytes: small.length });
}

/** A panel of the picture of the flow: the page where it has no sidebar. */
async function panel(name, place, ready) {
  if (wanted.length === 0 || wanted.includes("flow"))
    panels[name] = await pictured(place, ready, { viewport: { width: 660, height: 790 }, colorScheme: "light" });
}

/** The flow in one picture, with a line under each part of it. */
async function flow() {
  const parts = [
    ["ask", "It needs another repository, is stopped, and asks. You see what a yes would open."],
    ["x-ray", "Look inside before you answer. Secrets stay hidden whatever you say."],
    ["answered", "Allowed for this session, reading only. One click takes it back."],
  ];
  const cells = parts.map(
    ([name, text], index) =>
      `<figure><div><img src="data:image/png;base64,${panels[name].toString("base64")}"></div><figcaption><b>${index + 1}</b>${text}</figcaption></figure>`,
  );
  const page = await browser.newPage({ viewport: { width: 1500, height: 656 } });
  await page.setContent(
    `<style>body{margin:0;padding:20px;background:#e9e7e1;font:15.5px/1.4 Inter,system-ui,"DejaVu Sans",sans-serif;display:grid;grid-template-columns:repeat(3,1fr);gap:20px;color:#1c1e22}
    figure{margin:0;display:grid;gap:12px;align-content:start}figure div{overflow:hidden;border:1px solid #cfcbc1;border-radius:12px;line-height:0;background:#fff}
    img{width:100%}figcaption{display:flex;gap:10px;padding:0 6px}b{flex:none;width:23px;height:23px;border-radius:50%;background:#3d4bb8;color:#fff;text-align:center;font-size:13px;line-height:23px}</style>${cells.join("")}`,
  );
  save("flow.png", await page.screenshot());
  await page.close();
}
