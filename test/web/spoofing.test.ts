// Every row of the attack table that tries to fool the person before the card: rendered in the open card and in the answered ones, denied
// and allowed, it is harmless, and every character of it can be read back from the screen.

import { statSync } from "node:fs";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { askId, callId, sessionId } from "../../src/core/names.ts";
import { unshow } from "../../src/core/path/show.ts";
import { routes } from "../../src/wire/http.ts";
import { loadCorpus } from "../corpus.ts";
import { stage } from "./browser.ts";

const on = stage();
let raisedSoFar = 0;
const rows = loadCorpus().filter(({ id }) => id.startsWith("UIS-"));

interface Raised {
  readonly id: string;
  readonly chat: string;
  readonly session: string;
  readonly real: string;
  readonly root: string;
}

/** An open ask with these words in it, as an agent could have raised it: its call waits, its chat waits. */
async function raised(path: string, reason: string): Promise<Raised> {
  const chat = await on.chat();
  const { store } = on.server.inside();
  const now = Date.now();
  raisedSoFar += 1;
  const root = on.server.tree.path("home/code/api");
  const real = `${root}/src/routes.ts`;
  const { dev, ino } = statSync(root);
  const call = callId(`call-${now}-${raisedSoFar}`);
  const input = { path, reason };
  await store.append(
    chat.id,
    {
      role: "agent",
      id: `m-${now}-${raisedSoFar}`,
      at: now,
      text: "",
      usage: null,
      error: null,
      calls: [{ id: call, name: "request_read_access", input, state: { at: "proposed" } }],
    },
    "running",
  );
  const id = `ask-${now}-spoofing-${raisedSoFar}`;
  await store.openAsk({
    id: askId(id),
    session: sessionId(chat.session),
    chat: chat.id,
    kind: "pending_grant",
    calls: [call],
    tool: "request_read_access",
    requested: [path],
    path: real,
    right: "read",
    offers: "session",
    proposal: { dir: root, dev, ino, because: ".git" },
    survey: { repositories: 1, secrets: 1, files: 5, worktree: false, submodule: false, complete: true },
    reason: "out-of-scope",
    words: reason,
    question: null,
    options: [],
    at: now,
    state: "open",
    answer: null,
  });
  return { id, chat: chat.id, session: chat.session, real, root };
}

/** Nothing of the row's words became markup, and nothing of it is on the page raw. */
async function isHarmless(card: Locator, raw: readonly string[]): Promise<void> {
  const { html, text, wild } = await card.evaluate((element) => ({
    html: element.innerHTML,
    text: element.textContent ?? "",
    wild: element.querySelectorAll("a, img, script, iframe, object, form[action], [onclick], [onerror]").length,
  }));
  expect(wild).toBe(0);
  for (const one of raw) {
    expect(html).not.toContain(one);
    // Marks of markup are text, letter by letter; everything else is written out.
    if (!one.startsWith("![")) expect(text).not.toContain(one);
  }
}

/** An answered card with what was asked unfolded: harmless, and the path and the words are all there. */
async function isAnswered(card: Locator, asked: Raised, path: string, reason: string, raw: readonly string[]): Promise<void> {
  await card.getByText("What was asked").click();
  const all = card.getByRole("button", { name: /show all \d/ });
  while ((await all.count()) > 0) await all.first().click();
  await isHarmless(card, raw);
  const written = (await card.locator("code").allTextContents()).map(unshow);
  for (const one of [path, asked.real, asked.root]) expect(written).toContain(one);
  const words = (await card.locator("blockquote").textContent()) ?? "";
  expect(await card.locator("figcaption").textContent()).toContain("The agent says (unverified)");
  if (words.includes("…")) expect(reason.startsWith(words.split("…")[0] ?? "?")).toBe(true);
  else expect(unshow(words)).toBe(reason);
}

for (const row of rows.filter(({ op }) => op === "render")) {
  const { id, title, op, path, args } = row;
  const raw = "must_not_contain_raw" in row && Array.isArray(row.must_not_contain_raw) ? row.must_not_contain_raw.map(String) : [];
  test(`${id}: ${title}`, async () => {
    const reason = typeof args?.["reason"] === "string" ? args["reason"] : "";
    expect(op).toBe("render");
    const asked = await raised(String(path), reason);
    const { page, faults } = await on.open(`/chat/${asked.chat}`);
    const card = page.locator(`[data-ask="${asked.id}"]`);
    await card.waitFor();
    await isHarmless(card, raw);
    // The real path and the directory stand there in full whatever the rest says, and the buttons are on the screen.
    const text = (await card.textContent()) ?? "";
    expect(text).toContain(asked.real);
    expect(text).toContain(asked.root);
    expect(text).toContain("The agent says (unverified)");
    for (const name of [/^Allow reading .+ for this session$/s, /^Deny( Esc)?$/]) {
      const box = await card.getByRole("button", { name }).first().boundingBox();
      expect(box).not.toBeNull();
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(860);
    }
    // On the smallest phone too: nothing an agent writes pushes the answers out of the window or the words across its edge.
    await page.setViewportSize({ width: 360, height: 640 });
    for (const name of [/^Allow reading .+ for this session$/s, /^Deny( Esc)?$/]) {
      const button = card.getByRole("button", { name }).first();
      await expect.poll(async () => ((await button.boundingBox())?.y ?? 999) + 40).toBeLessThanOrEqual(640);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 860 });
    const words = (await card.locator("blockquote").textContent()) ?? "";
    if (words.includes("…")) {
      expect(words.length).toBeLessThanOrEqual(500);
      expect(reason.startsWith(words.split("…")[0] ?? "")).toBe(true);
    } else expect(unshow(words)).toBe(reason);
    const all = card.getByRole("button", { name: /show all/ });
    if ((await all.count()) > 0) {
      const shown = (await card.locator('[data-fact="wants"] code').first().textContent()) ?? "";
      const [head, tail] = shown.split("…");
      expect([String(path).startsWith(head ?? "?"), String(path).endsWith(tail ?? "?")]).toEqual([true, true]);
      await all.click();
    }
    const written = await card.locator("dd code").allTextContents();
    expect(written.map(unshow)).toContain(String(path));
    if (/[^\u0000-\u007f]/.test(String(path))) {
      expect(text).toContain("Check closely");
      expect((await card.locator('[title^="letters outside ASCII"]').count()) + (await card.getByText("\\u{").count())).toBeGreaterThan(0);
    }

    const note = reason.slice(0, 200) || "no";
    await on.server.client.send(routes.answer, { id: asked.id, body: { decision: "deny", note } });
    await card.getByText("Denied reading").waitFor();
    await isAnswered(card, asked, String(path), reason, raw);
    const told = (await card.locator("p", { hasText: "With the note:" }).textContent()) ?? "";
    expect(unshow(told.replace("With the note: ", ""))).toBe(note);
    expect(faults).toEqual([]);

    // The same words in a card that was allowed: it stays longest, beside Revoke.
    const again = await raised(String(path), reason);
    const allowed = await on.open(`/chat/${again.chat}`);
    const other = allowed.page.locator(`[data-ask="${again.id}"]`);
    await other.waitFor();
    const [ask] = await on.server.client.send(routes.listAsks, { query: { session: again.session, state: "open" } });
    await on.server.client.send(routes.answer, { id: again.id, body: { decision: "allow", digest: ask?.digest ?? "" } });
    await other.getByText("Allowed reading for this session").waitFor();
    await other.getByRole("button", { name: "Revoke" }).waitFor();
    expect(await other.locator("p code").first().textContent()).toBe(again.root);
    await isAnswered(other, again, String(path), reason, raw);
    expect(allowed.faults).toEqual([]);
  });
}

test("UIS-19: Escape denies and the focus is on nothing that grants", async () => {
  expect(rows.find(({ id }) => id === "UIS-19")?.expect).toBe("deny");
  const asked = await raised("/opt/a", "ok");
  const { page } = await on.open(`/chat/${asked.chat}`);
  const card = page.locator(`[data-ask="${asked.id}"]`);
  await card.waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-ask"))).toBe(asked.id);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Space");
  expect(await card.getAttribute("data-state")).toBe("open");
  await page.keyboard.press("Escape");
  await card.getByText("Denied reading").waitFor();
});

test("every row of the table that is about the screen is rendered here", () => {
  expect(rows.map(({ op }) => op).every((op) => op === "render" || op === "behaviour")).toBe(true);
  expect(rows.length).toBeGreaterThanOrEqual(11);
});
