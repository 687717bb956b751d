// The chat in a real browser: what streams, what is folded and unfolded, what stops, what the composer offers, and that somebody who is
// waited for cannot miss it.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { offlineModel } from "../../src/agent/models/offline.ts";
import { scriptedModel } from "../../src/agent/models/scripted.ts";
import { slashCommands } from "../../src/slash/slash-commands.ts";
import { routes } from "../../src/wire/http.ts";
import { isAccessible } from "./accessible.ts";
import { allSent, drawn, stage, whenArmed } from "./browser.ts";

const offline = offlineModel();
/** Writes to the path that was said, once. */
const writing = scriptedModel((transcript) => {
  const at = transcript.findLastIndex(({ role }) => role === "person");
  const said = transcript[at];
  if (said?.role !== "person" || transcript.slice(at).some(({ role }) => role === "agent")) return "That was all.";
  return { calls: [{ name: "write_file", input: { path: said.text.replace("write to ", ""), content: "new" } }] };
});
let goOn: () => void = () => {};
const on = stage({
  model: {
    name: offline.name,
    async turn(prompt, running) {
      const said = prompt.transcript.findLast(({ role }) => role === "person")?.text ?? "";
      if (said === "speak slowly") {
        running.delta("# The first half\n\n- one\n");
        await new Promise<void>((resolve) => (goOn = resolve));
        running.delta("- two\n");
        return { text: "# The first half\n\n- one\n- two\n", calls: [], usage: null };
      }
      if (said === "never end") {
        running.delta("Still at it");
        await new Promise((_, reject) => running.signal.addEventListener("abort", () => reject(running.signal.reason as Error)));
      }
      if (said.startsWith("write to ")) return writing.turn(prompt, running);
      return offline.turn(prompt, running);
    },
  },
});
const place = (path: string): string => on.server.tree.path(`home/code/${path}`);
const openCard = (page: Page) => page.locator('[data-ask][data-state="open"]');
const composerOf = (page: Page) => page.getByRole("textbox", { name: "Message to the agent" });
const statusOf = async (chat: string) => (await on.server.client.send(routes.chat, { id: chat })).status;
const said = async (chat: string): Promise<readonly string[]> =>
  (await on.server.client.send(routes.messages, { id: chat, query: {} })).messages
    .filter(({ role }) => role === "person")
    .map(({ text }) => text);

test("whoever opens a chat may type at once; on a phone, and while a card is up, the focus stays where it is", async () => {
  const chat = await on.chat();
  const { page, faults } = await on.open(`/chat/${chat.id}`);
  await composerOf(page).waitFor();
  await page.keyboard.type("List the files here");
  expect(await composerOf(page).inputValue()).toBe("List the files here");
  // From one chat to the next, by a link.
  const other = await on.chat();
  await page.locator(`a[href$="/chat/${other.id}"]`).first().click();
  await expect.poll(() => composerOf(page).evaluate((field) => field === document.activeElement)).toBe(true);
  const phone = await on.open(`/chat/${chat.id}`, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 760 } });
  await composerOf(phone.page).waitFor();
  expect(await composerOf(phone.page).evaluate((field) => field === document.activeElement)).toBe(false);
  await on.server.client.send(routes.say, { id: other.id, body: { text: `Read ${place("api/README.md")}` } });
  await openCard(page).waitFor();
  await expect.poll(() => openCard(page).evaluate((card) => card === document.activeElement)).toBe(true);
  const again = await on.open(`/chat/${other.id}`);
  await openCard(again.page).waitFor();
  await expect.poll(() => openCard(again.page).evaluate((card) => card === document.activeElement)).toBe(true);
  await on.server.client.send(routes.archiveSession, { id: other.session, query: {} });
  await openCard(page).waitFor({ state: "detached" });
  expect([...faults, ...phone.faults, ...again.faults]).toEqual([]);
});

test("a write that was refused for where it went can be let in from its row: which directory, and what that opens", async () => {
  const chat = await on.chat();
  const { page, say, faults } = await on.open(`/chat/${chat.id}`);
  await say(`write to ${place("api/src/new.ts")}`);
  const button = page.getByRole("button", { name: "Allow writing…" });
  await button.click();
  const sheet = page.getByRole("dialog", { name: "Allow writing?" });
  // The whole repository, by its own name, and what is said of it.
  expect(await sheet.getByLabel("Directory").inputValue()).toBe(place("api"));
  expect(await sheet.innerText()).toContain("may read, change and run commands in all of it without asking");
  await sheet.getByRole("button", { name: "Back" }).click();
  expect((await on.server.client.send(routes.session, { id: chat.session })).mounts).toEqual([]);
  await button.click();
  await sheet.locator('button[data-grants][aria-disabled="false"]').click();
  await page.getByText("Allowed. Tell the agent to try again.").waitFor();
  expect((await on.server.client.send(routes.session, { id: chat.session })).mounts).toEqual([{ path: place("api"), mode: "extend" }]);
  await say(`write to ${place("api/src/new.ts")}`);
  await page.locator("summary", { hasText: "new.ts" }).filter({ hasText: "allowed" }).waitFor();
  expect(readFileSync(place("api/src/new.ts"), "utf8")).toBe("new");
  // Undone with a press, or with /undo; not where it was changed since, which is said.
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("You undid this change.").waitFor();
  expect(existsSync(place("api/src/new.ts"))).toBe(false);
  await say("/undo");
  await page.getByText("the agent has changed nothing here that can be undone").waitFor();
  await say(`write to ${place("shop/README.md")}`);
  await page.getByRole("button", { name: "Undo" }).waitFor();
  writeFileSync(place("shop/README.md"), "mine");
  await say("/undo");
  await page.getByText("was changed since the agent wrote it").waitFor();
  expect(readFileSync(place("shop/README.md"), "utf8")).toBe("mine");
  writeFileSync(place("shop/README.md"), "new");
  await say("/undo");
  await expect.poll(() => page.getByText("You undid this change.").count()).toBe(2);
  expect(readFileSync(place("shop/README.md"), "utf8")).not.toMatch(/^(new|mine)$/);
  // What cannot be mounted says so; nothing is open then.
  await say("write to /new.ts");
  await page.getByRole("button", { name: "Allow writing…" }).last().click();
  await sheet.locator('button[data-grants][aria-disabled="false"]').click();
  await page.getByRole("alert").waitFor();
  expect((await on.server.client.send(routes.session, { id: chat.session })).mounts).toHaveLength(1);
  expect(faults).toEqual([]);
});

test("markdown is set while it arrives, and goes on where it was", async () => {
  const chat = await on.chat();
  const { page, say, faults } = await on.open(`/chat/${chat.id}`);
  await say("speak slowly");
  await page.locator(".prose h1", { hasText: "The first half" }).waitFor();
  await page.locator(".prose li", { hasText: "one" }).waitFor();
  expect(await statusOf(chat.id)).toBe("running");
  expect(await page.locator(".prose li", { hasText: "two" }).count()).toBe(0);
  goOn();
  await page.locator(".prose li", { hasText: "two" }).waitFor();
  expect(await page.locator(".prose li").count()).toBe(2);
  expect(faults).toEqual([]);
});

test("Stop ends a turn that is running: the agent is told at once, and something else can be said", async () => {
  const chat = await on.chat();
  const { page, say, faults } = await on.open(`/chat/${chat.id}`);
  await say("never end");
  await page.getByText("Still at it").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect.poll(() => statusOf(chat.id)).not.toBe("running");
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  await say("Read README.md");
  await page.locator(".prose", { hasText: "Sells things" }).last().waitFor();
  expect(faults).toEqual([]);
});

test("a call is folded with its verdict and reason in sight; its output is cut, and all of it is there on demand", async () => {
  const lines = Array.from({ length: 90 }, (_, index) => `line number ${index + 1}`);
  writeFileSync(place("shop/long.txt"), `${lines.join("\n")}\n`);
  const chat = await on.chat();
  const { page, say, faults } = await on.open(`/chat/${chat.id}`);
  await say("Read long.txt and .env");
  const call = page.locator("details", { hasText: "long.txt" }).filter({ hasText: "allowed" });
  const refused = page.locator("details", { hasText: ".env" }).filter({ hasText: "denied" });
  await refused.waitFor();
  expect(await refused.locator("summary").innerText()).toMatch(/\bit is on the list of secrets.* secret-file/u);
  const output = call.getByLabel("Output");
  expect(await output.isVisible()).toBe(false);
  await call.locator("summary").click();
  await output.getByText("line number 20").waitFor();
  expect((await output.innerText()).trim().split("\n")).toEqual(lines.slice(0, 20));
  await call.getByRole("button", { name: "show more (90 lines)" }).click();
  expect((await output.innerText()).trim().split("\n")).toEqual(lines);
  await call.getByRole("button", { name: "show less" }).click();
  expect(await output.innerText()).not.toContain("line number 90");
  expect(faults).toEqual([]);
});

test("waiting for you cannot be missed: the title, the tab's icon, the badge, the chat in the sidebar, and all of it goes away", async () => {
  const project = await on.server.client.send(routes.addProject, { body: { path: place("shop") } });
  const session = await on.server.client.send(routes.addSession, { body: { workspace: place("shop"), project: project.id } });
  const chat = await on.server.client.send(routes.addChat, { body: { session: session.id, title: "look <b>there</b>" } });
  const other = await on.server.client.send(routes.addChat, { body: { session: session.id, title: "something else" } });
  const { page, faults } = await on.open(`/chat/${other.id}`);
  const sidebar = page.getByRole("navigation", { name: "Chats" });
  const group = sidebar.getByRole("group", { name: "shop" }).first();
  await group.getByRole("link", { name: "something else" }).waitFor();
  const entry = group.getByRole("link", { name: "look <b>there</b>" });
  expect(await entry.innerText()).not.toContain("waiting");
  expect([await page.title(), await page.locator("#favicon").getAttribute("href")]).toEqual(["Hallpass", "/favicon.svg"]);
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${place("api/package.json")}` } });
  await expect.poll(() => page.title()).toBe("(1) waiting for you · Hallpass");
  expect(await page.locator("#favicon").getAttribute("href")).toBe("/favicon-waiting.svg");
  await page.getByLabel("1 waiting for you", { exact: true }).waitFor();
  await page.getByRole("status").filter({ hasText: "An agent is waiting for you" }).waitFor();
  expect(await entry.innerText()).toContain("waiting");
  await entry.click();
  await openCard(page).waitFor();
  await page.locator("main header", { hasText: "waiting for you" }).first().waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.title()).toBe("Hallpass");
  expect(await page.locator("#favicon").getAttribute("href")).toBe("/favicon.svg");
  expect(await page.getByLabel("1 waiting for you", { exact: true }).count()).toBe(0);
  expect(await entry.innerText()).not.toContain("waiting");
  expect(faults).toEqual([]);
});

test("slash commands: offered as they are typed, chosen by keys, done by the person; what is no command is said so and not sent", async () => {
  const chat = await on.chat();
  const { page, say, faults } = await on.open(`/chat/${chat.id}`);
  await say(`Read ${place("api/package.json")}`);
  await whenArmed(page);
  await openCard(page)
    .getByRole("button", { name: /^Allow reading \S+ for this session$/ })
    .click();
  await page.getByText("workspace + 1 directory").waitFor();
  const composer = composerOf(page);
  await composer.fill("/");
  await expect.poll(() => page.getByRole("option").count()).toBe(slashCommands.length);
  await composer.press("ArrowDown");
  expect(await page.getByRole("option", { selected: true }).innerText()).toContain("/revoke");
  await composer.press("Enter");
  expect(await composer.inputValue()).toBe("/revoke ");
  await composer.fill("/nonsense now");
  await composer.press("Enter");
  await page.getByText("unknown command /nonsense").waitFor();
  await say(`/revoke ${place("api")}`);
  await page.getByText(`${place("api")} is shut again`).waitFor();
  await page.getByText("workspace only").waitFor();
  expect((await on.server.client.send(routes.session, { id: chat.session })).allowed_read_paths).toEqual([]);
  await say("/clear_grants");
  await page.getByText("there was nothing to revoke").waitFor();
  await say("/compact");
  await page.getByText("Earlier messages were summarised", { exact: true }).click();
  await page.getByText("Asks and answers:").waitFor();
  await say("/scope");
  await page.getByRole("dialog", { name: "What can it see?" }).waitFor();
  await page.keyboard.press("Escape");
  await say("/policy src/cart.ts");
  await expect.poll(() => page.getByLabel("Path to try").inputValue()).toBe("src/cart.ts");
  expect(await said(chat.id)).toEqual([`Read ${place("api/package.json")}`]);
  expect(faults).toEqual([]);
});

test("paths are completed inside the scope, and outside only once it is granted", async () => {
  const chat = await on.chat();
  const { page, say, faults } = await on.open(`/chat/${chat.id}`);
  const composer = composerOf(page);
  const offered = async (typed: string): Promise<readonly string[]> => {
    await composer.fill("");
    const prefix = typed.replace(/^Read @?/u, "");
    const answered = page.waitForResponse((response) => {
      const { pathname, searchParams } = new URL(response.url());
      return pathname.endsWith("/complete") && searchParams.get("prefix") === prefix;
    });
    await composer.fill(typed);
    await (await answered).finished();
    await drawn(page);
    return page.getByRole("option").allInnerTexts();
  };
  expect((await offered("Read ./src/")).join(" ")).toContain("src/cart.ts");
  expect(await offered(`Read ${place("api/pack")}`)).toEqual([]);
  expect(await offered("Read ../api/pack")).toEqual([]);
  await composer.fill("");
  await say(`Read ${place("api/README.md")}`);
  await whenArmed(page);
  await openCard(page)
    .getByRole("button", { name: /^Allow reading \S+ for this session$/ })
    .click();
  await page.getByText("workspace + 1 directory").waitFor();
  expect((await offered(`Read ${place("api/pack")}`)).join(" ")).toContain(place("api/package.json"));
  await composer.press("Tab");
  expect(await composer.inputValue()).toBe(`Read ${place("api/package.json")}`);
  // A few letters after an @ are looked for in every root.
  expect((await offered("Read @crt"))[0]).toBe("src/cart.ts");
  expect(await offered("Read @apackjs")).toContain(place("api/package.json"));
  // Enter takes it, as it takes a command. A path that is typed is sent as it is, unless an arrow key chose another.
  expect((await offered("Read @crt"))[0]).toBe("src/cart.ts");
  await composer.press("Enter");
  expect(await composer.inputValue()).toBe("Read src/cart.ts");
  expect(await offered("Read ./src/")).toContain("./src/cart.ts");
  await composer.press("ArrowDown");
  await composer.press("Enter");
  expect(await composer.inputValue()).toBe("Read ./src/cart.ts");
  await composer.fill("List src/");
  await page.getByRole("option").first().waitFor();
  await composer.press("Enter");
  expect(await composer.inputValue()).toBe("");
  expect(faults).toEqual([]);
});

test("Escape in the composer closes what it offers, and only the next one denies", async () => {
  const chat = await on.chat();
  const { page, say } = await on.open(`/chat/${chat.id}`);
  const answers: string[] = [];
  page.on("request", (request) => void (request.url().endsWith("/answer") && answers.push(request.url())));
  await say(`Read ${place("api/package.json")}`);
  await openCard(page).waitFor();
  await composerOf(page).fill("/gr");
  await page.getByRole("option").first().waitFor();
  await composerOf(page).press("Escape");
  await page.getByRole("option").first().waitFor({ state: "detached" });
  await allSent(page);
  expect(answers).toEqual([]);
  await composerOf(page).press("Escape");
  await page.getByText("Denied reading").waitFor();
  expect(answers).toHaveLength(1);
});

test("pictures are pasted and dropped, made small, left out again, sent and shown; what is no picture is said", async () => {
  const chat = await on.chat();
  const { page, faults } = await on.open(`/chat/${chat.id}`);
  const composer = composerOf(page);
  await composer.waitFor();
  /** Gives the composer a file as a browser does: a drawing of that size, or a text that calls itself one. */
  const give = (how: "paste" | "drop", side: number | null, name: string): Promise<void> =>
    composer.evaluate(
      async (field, [event, size, called]) => {
        const transfer = new DataTransfer();
        if (size === null) transfer.items.add(new File(["text"], called, { type: "text/plain" }));
        else {
          const canvas = new OffscreenCanvas(size, size);
          const context = canvas.getContext("2d");
          // What compresses badly.
          const noise = context?.createImageData(size, size);
          if (noise !== undefined)
            for (let at = 0; at < noise.data.length; at += 1) noise.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
          if (noise !== undefined) context?.putImageData(noise, 0, 0);
          transfer.items.add(new File([await canvas.convertToBlob()], called, { type: "image/png" }));
        }
        const options = { bubbles: true, cancelable: true };
        field.dispatchEvent(
          event === "paste"
            ? new ClipboardEvent("paste", { ...options, clipboardData: transfer })
            : new DragEvent("drop", { ...options, dataTransfer: transfer }),
        );
      },
      [how, side, name] as const,
    );
  const ready = page.getByRole("list", { name: "Pictures to send" }).getByRole("img");
  await give("drop", null, "notes.txt");
  await page.getByText("notes.txt is not a PNG, JPEG, WebP or GIF picture").waitFor();
  await give("paste", 40, "small.png");
  await expect.poll(() => ready.count()).toBe(1);
  await give("drop", 900, "large.png");
  await expect.poll(() => ready.count()).toBe(2);
  await give("paste", 30, "other.png");
  await expect.poll(() => ready.count()).toBe(3);
  await page.getByRole("button", { name: "Remove other.png" }).click();
  await expect.poll(() => ready.count()).toBe(2);
  await isAccessible(page);
  await composer.fill("hello");
  await composer.press("Enter");
  await page.getByText("I cannot see pictures").waitFor();
  expect(await ready.count()).toBe(0);
  await expect.poll(() => page.getByRole("img", { name: /you sent/ }).count()).toBe(2);
  const [message] = (await on.server.client.send(routes.messages, { id: chat.id })).messages;
  expect(message).toMatchObject({ pictures: [{ type: "image/png" }, { type: "image/jpeg" }] });
  expect(faults).toEqual([]);
});
