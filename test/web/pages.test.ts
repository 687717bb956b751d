// The other pages in a real browser: policy, audit, inbox, the session's pane, and a browser without its token.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createClient } from "../../src/wire/client.ts";
import { routes } from "../../src/wire/http.ts";
import { stage, whenArmed } from "./browser.ts";
import { TOKEN } from "./server.ts";

const on = stage();
const place = (path: string): string => on.server.tree.path(`home/code/${path}`);

test("policy: a path is judged as it is typed, with its trace; a change shows what it would do, is checked, and is saved", async () => {
  await on.chat();
  const { page, faults } = await on.open("/policy");
  const tester = page.getByRole("region", { name: "Tester" });
  await page.getByLabel("Path to try").fill(place("shop/.env"));
  await tester.getByText("secret-file").waitFor();
  await tester.getByText("matches the secret pattern").waitFor();
  await page.getByLabel("Path to try").fill("src/cart.ts");
  await tester.getByText("in-workspace").waitFor();
  await page.getByRole("button", { name: "Create one" }).click();
  const file = page.getByLabel("Text of your policy file");
  await file.fill('{ "read": { "**/cart.ts": "deny" } }');
  await tester.getByText("Would change from allow (in-workspace) to deny (policy-deny)").waitFor();
  await file.fill('{ "reed": {} }');
  await page.getByRole("alert").first().waitFor();
  expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  await file.fill('{\n  "read": { "**/cart.ts": "deny" }\n}\n');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved; applies to the next access.").waitFor();
  await tester.getByText("policy-deny").first().waitFor();
  const { layers } = await on.server.client.send(routes.policy, { query: {} });
  const operator = layers.find(({ author }) => author === "operator");
  expect(readFileSync(operator?.file ?? "", "utf8")).toContain("**/cart.ts");
  await page.getByRole("region", { name: "Layers" }).getByText("**/cart.ts").waitFor();

  // The file was changed by somebody else meanwhile: nothing is overwritten.
  await file.fill('{ "read": "ask" }');
  await on.server.client.send(routes.savePolicy, { body: { text: '{ "write": "ask" }', before: operator?.text ?? null } });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("region", { name: "Your policy file" }).getByRole("alert").waitFor();
  expect(readFileSync(operator?.file ?? "", "utf8")).toBe('{ "write": "ask" }');
  await on.server.client.send(routes.savePolicy, { body: { text: "{}", before: '{ "write": "ask" }' } });
  expect(faults).toEqual([]);
});

test("audit: what happened is there, can be filtered, is drawn, and can be taken along", async () => {
  const chat = await on.chat();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read README.md and ${place("api/.env")}` } });
  await expect.poll(async () => (await on.server.client.send(routes.chat, { id: chat.id })).status).toBe("idle");
  const { page, faults } = await on.open("/audit");
  const rows = page.getByRole("list", { name: "Timeline" }).getByRole("listitem");
  await rows.first().waitFor();
  await page.locator(".plot canvas").waitFor();
  const all = await rows.count();
  const decisions = (await rows.allInnerTexts()).filter((text) => text.includes("read with"));
  for (const text of decisions) expect(text).toContain(`the agent in shop in ${place("shop")}`);
  expect(decisions).not.toEqual([]);
  await page.getByLabel("Path").fill("api/.env");
  await expect.poll(() => rows.count()).toBeLessThan(all);
  for (const text of await rows.allInnerTexts()) expect(text).toContain("api/.env");
  await page.getByLabel("Path").fill("");
  await expect.poll(() => rows.count()).toBe(all);
  await page.getByLabel("Verdict").selectOption("deny");
  await expect.poll(() => rows.count()).toBeLessThan(all);
  for (const text of await rows.allInnerTexts()) expect(text).toContain("deny");
  expect(await page.content()).not.toContain("very-secret");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
  const exported = readFileSync((await download.path()) ?? "", "utf8")
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  // All of it, whatever the filters show, and each line with its kind and its time.
  expect(exported).toHaveLength(all);
  for (const line of exported)
    expect(line).toMatchObject({ hash: expect.any(String), event: { kind: expect.any(String), at: expect.any(Number) } });
  expect(download.suggestedFilename()).toBe("hallpass-audit.jsonl");

  // The picture says in words what it draws, and draws in the colours of the verdicts.
  await page.getByLabel("Verdict").selectOption("");
  await expect.poll(() => rows.count()).toBe(all);
  const counted = { allow: 0, ask: 0, deny: 0 };
  const { records } = await on.server.client.send(routes.audit, { query: { kind: "decision" } });
  for (const { event } of records) {
    const { verdict } = event;
    if (verdict === "allow" || verdict === "ask" || verdict === "deny") counted[verdict] += 1;
  }
  expect(counted.deny).toBeGreaterThan(0);
  const label = (await page.getByRole("img", { name: /Decisions over time/ }).getAttribute("aria-label")) ?? "";
  expect(label.match(/\d+/g)?.map(Number)).toEqual([counted.allow, counted.ask, counted.deny]);
  const drawn = await page.locator(".plot canvas").evaluate((canvas: HTMLCanvasElement) => {
    const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    const found = new Set<string>();
    for (let at = 0; at < pixels.length; at += 4)
      if (pixels[at + 3] === 255) found.add(`${pixels[at]} ${pixels[at + 1]} ${pixels[at + 2]}`);
    return [...found];
  });
  expect(drawn).toContain("23 107 58");
  expect(drawn).toContain("168 35 35");
  expect(faults).toEqual([]);
});

test("audit: filters by session, kind and time, each by itself and together, and what is left says so if it is nothing", async () => {
  const [one, other] = [await on.chat(), await on.chat()];
  for (const chat of [one, other]) {
    await on.server.client.send(routes.say, { id: chat.id, body: { text: "Read README.md" } });
    await expect.poll(async () => (await on.server.client.send(routes.chat, { id: chat.id })).status).toBe("idle");
  }
  await on.server.client.send(routes.say, { id: one.id, body: { text: `Read ${place("api/README.md")}` } });
  await expect.poll(async () => (await on.server.client.send(routes.chat, { id: one.id })).status).toBe("waiting_for_input");
  const [ask] = await on.server.client.send(routes.listAsks, { query: { session: one.session, state: "open" } });
  await on.server.client.send(routes.answer, { id: ask?.id ?? "", body: { decision: "deny", note: "not <b>now</b>" } });
  await expect.poll(async () => (await on.server.client.send(routes.chat, { id: one.id })).status).toBe("idle");
  const { page, faults } = await on.open("/audit");
  const rows = page.getByRole("list", { name: "Timeline" }).getByRole("listitem");
  await rows.first().waitFor();
  const all = await rows.count();
  await page.getByLabel("Session", { exact: true }).selectOption(other.session);
  const own = (await on.server.client.send(routes.audit, { query: { session: other.session } })).records.length;
  await expect.poll(() => rows.count()).toBe(own);
  expect(own).toBeLessThan(all);
  await page.getByLabel("Kind").selectOption("answer");
  await page.getByText("No matching records").waitFor();
  await page.getByLabel("Session", { exact: true }).selectOption(one.session);
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.first().innerText()).toContain("note: not <b>now</b>");
  await page.getByLabel("Kind").selectOption("");
  await page.getByLabel("Session", { exact: true }).selectOption("");
  // An hour is measured from now: a clock that is two hours on sees nothing in it, and everything in a week.
  await page.clock.setFixedTime(Date.now() + 7_200_000);
  await page.getByLabel("Time", { exact: true }).selectOption("the last hour");
  await page.getByText("No matching records").waitFor();
  await page.getByLabel("Time", { exact: true }).selectOption("the last week");
  await expect.poll(() => rows.count()).toBe(all);
  expect(faults).toEqual([]);
});

test("policy: while it is written, the change is tried on what agents have touched, and what it would change is listed", async () => {
  const chat = await on.chat();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: "Read README.md and src/cart.ts" } });
  await expect.poll(async () => (await on.server.client.send(routes.chat, { id: chat.id })).status).toBe("idle");
  const { layers } = await on.server.client.send(routes.policy, { query: {} });
  const before = layers.find(({ author }) => author === "operator")?.text ?? null;
  await on.server.client.send(routes.savePolicy, { body: { text: "{}\n", before } });
  const { page, faults } = await on.open("/policy");
  const file = page.getByLabel("Text of your policy file");
  const changes = page.getByRole("region", { name: "What would change" });
  await file.waitFor();
  expect(await changes.count()).toBe(0);
  await file.fill('{\n  "read": { "**/cart.ts": "deny" }\n}\n');
  await changes.getByText(/1 verdict of the last \d+ accesses/).waitFor();
  expect((await changes.getByRole("listitem").innerText()).replaceAll(/\s+/g, " ")).toBe(`allow to deny read ${place("shop/src/cart.ts")}`);
  await file.fill('{\n  // nothing that was touched\n  "read": { "**/never.ts": "deny" }\n}\n');
  await changes.getByText(/0 verdicts of the last/).waitFor();
  expect(await changes.getByRole("listitem").count()).toBe(0);
  // What is wrong with it stands beneath it with its line, and it cannot be saved.
  await file.fill('{\n  "read": {},\n  "reed": {}\n}\n');
  const own = page.getByRole("region", { name: "Your policy file" });
  await own.getByRole("alert").first().waitFor();
  expect(await own.getByRole("alert").first().innerText()).toMatch(/line 3:\d+[\s\S]*reed/);
  expect(await own.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  // A daemon that refuses what the page let through: nothing is written, and it is said.
  await page.route("**/policy/lint", (route) => route.fulfill({ json: { findings: [] } }));
  await file.fill('{ "read": { "**": "perhaps" } }');
  await own.getByRole("button", { name: "Save" }).click();
  await own.getByRole("alert").first().waitFor();
  const { layers: after } = await on.server.client.send(routes.policy, { query: {} });
  expect(after.find(({ author }) => author === "operator")?.text).toBe("{}\n");
  await own.getByRole("button", { name: "Undo changes" }).click();
  expect(await file.inputValue()).toBe("{}\n");
  expect(faults).toEqual([]);
});

test("policy: every layer stands there with its file, and every rule with its line", async () => {
  const { layers } = await on.server.client.send(routes.policy, { query: {} });
  const before = layers.find(({ author }) => author === "operator");
  const text = '{\n  "read": {\n    "**/attic/**": "deny"\n  }\n}\n';
  await on.server.client.send(routes.savePolicy, { body: { text, before: before?.text ?? null } });
  await on.chat();
  const { page, faults } = await on.open("/policy");
  const region = page.getByRole("region", { name: "Layers" });
  const own = region.locator("details", { hasText: "You (operator)" });
  await own.getByText("**/attic/**").waitFor();
  expect(await own.locator("summary").innerText()).toContain(before?.file ?? "?");
  expect(await own.getByRole("row", { name: /attic/ }).getByRole("cell").last().innerText()).toBe("3");
  expect(await region.locator("details", { hasText: "Built in" }).first().locator("summary").innerText()).toMatch(/\d+ rules/);
  await on.server.client.send(routes.savePolicy, { body: { text: "{}", before: text } });
  expect(faults).toEqual([]);
});

test("inbox: j and k go forth and back, Enter opens the chosen one, and Escape denies that one alone", async () => {
  const chats = [await on.chat(), await on.chat()];
  for (const chat of chats) {
    await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${place("api/package.json")}` } });
    await expect.poll(async () => (await on.server.client.send(routes.chat, { id: chat.id })).status).toBe("waiting_for_input");
  }
  const { page, faults } = await on.open("/inbox");
  await expect.poll(() => page.locator("[data-ask]").count()).toBe(2);
  const [first, second] = await page.locator("[data-ask]").evaluateAll((cards) => cards.map((card) => card.getAttribute("data-ask")));
  const at = (): Promise<string | null | undefined> => page.evaluate(() => document.activeElement?.getAttribute("data-ask"));
  const after = async (key: string): Promise<string | null | undefined> => {
    await page.keyboard.press(key);
    return at();
  };
  expect([await after("j"), await after("j"), await after("j"), await after("k"), await after("k"), await after("j")]).toEqual([
    first,
    second,
    second,
    first,
    first,
    second,
  ]);
  await page.keyboard.press("Escape");
  await page
    .locator(`[data-ask="${second ?? ""}"]`)
    .getByText("Denied reading")
    .waitFor();
  expect(await page.locator(`[data-ask="${first ?? ""}"]`).getAttribute("data-state")).toBe("open");
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain(`/chat/${chats[0]?.id ?? ""}`);
  for (const chat of chats) await on.server.client.send(routes.cancel, { id: chat.id });
  expect(faults).toEqual([]);
});

test("inbox: asks of agents from elsewhere stand together with ours by directory, name who asks, and are answered in place", async () => {
  const { credential, session } = await on.server.client.send(routes.register, {
    body: { host: "claude-code", hostSession: "one", workspace: place("docs"), label: "writer" },
  });
  const agent = createClient({ address: on.server.address, token: credential, fetch: (request) => fetch(request), via: "hook" });
  const asked = await agent.send(routes.agentAsk, {
    body: { call: "call-1", tool: "Read", operation: "read", path: place("api/README.md"), reason: "to compare" },
  });
  expect(asked.state).toBe("waiting");
  const chat = await on.chat();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${place("api/package.json")}` } });
  const { page, faults } = await on.open("/inbox");
  const group = page.getByRole("region", { name: place("api") });
  await expect.poll(() => group.locator("[data-ask]").count()).toBe(2);
  const card = group.locator("[data-ask]", { hasText: "Claude Code" });
  expect(await card.innerText()).toContain("writer");
  // By the name people know it by, in the list of sessions too.
  expect(await page.getByRole("navigation", { name: "Chats" }).innerText()).toMatch(/writer[^]*Claude Code/u);
  await whenArmed(page);
  await card.getByRole("button", { name: /^Allow reading \S+ for this session$/ }).click();
  await card.getByText("Allowed reading for this session").waitFor();
  expect((await on.server.client.send(routes.session, { id: session.id })).allowed_read_paths).toEqual([place("api")]);
  // The other session was not answered by it.
  expect((await on.server.client.send(routes.session, { id: chat.session })).allowed_read_paths).toEqual([]);
  expect(await group.locator('[data-ask][data-state="open"]').count()).toBe(1);
  await card.getByRole("button", { name: "Revoke" }).click();
  await card.getByText("no longer granted").waitFor();
  await on.server.client.send(routes.cancel, { id: chat.id });
  expect(faults).toEqual([]);
});

test("grants: every agent's stand on one page with what was read; revoked there, the page says which rule still allows it", async () => {
  const chat = await on.chat();
  const { page: asking, say } = await on.open(`/chat/${chat.id}`);
  await say(`Read ${place("api/package.json")}`);
  await whenArmed(asking);
  await asking.getByRole("button", { name: /^Allow reading \S+ for this session$/ }).click();
  await asking.locator(".prose", { hasText: "2.1.0" }).last().waitFor();
  const { page, faults } = await on.open("/grants");
  await page.getByRole("button", { name: `Revoke ${place("api")}` }).waitFor();
  await page
    .getByText(/\d reads? counted, last/)
    .first()
    .click();
  await page.getByText("package.json").last().waitFor();
  const { layers } = await on.server.client.send(routes.policy, { query: {} });
  const before = layers.find(({ author }) => author === "operator")?.text ?? null;
  const text = `{\n  "workspaces": { "${place("shop")}": { "read": { "${place("docs")}/**": "allow" } } },\n  "read": {\n    "${place("api")}/**": "allow"\n  }\n}\n`;
  const { file } = await on.server.client.send(routes.savePolicy, { body: { text, before } });
  await page.getByRole("button", { name: `Revoke ${place("api")}` }).click();
  await page.getByRole("alert").getByText(`${file}:4`).waitFor();
  const kept = page.getByRole("region", { name: "Kept rules" });
  await kept.getByText(`${file}:2`).waitFor();
  await kept.getByRole("button", { name: /^Revoke/ }).click();
  await page.getByText("No grants").waitFor();
  const { layers: now } = await on.server.client.send(routes.policy, { query: {} });
  await on.server.client.send(routes.savePolicy, {
    body: { text: "{}", before: now.find(({ author }) => author === "operator")?.text ?? null },
  });
  expect(faults).toEqual([]);
});

test("the session's pane: mounts are added, changed and taken out; grants show their reads and are revoked together", async () => {
  const chat = await on.chat();
  const { page, faults, say } = await on.open(`/chat/${chat.id}`);
  await say(`Read ${place("api/package.json")}`);
  await whenArmed(page);
  await page.getByRole("button", { name: /^Allow reading \S+ for this session$/ }).click();
  await page.locator(".prose", { hasText: "2.1.0" }).last().waitFor();
  await page.getByRole("button", { name: "workspace + 1 directory" }).click();
  const pane = page.getByRole("complementary", { name: "Session" });
  await pane.getByText("given by a person in the browser").waitFor();
  await pane.getByText(/\d reads? counted, last/).click();
  await pane.getByText("package.json").last().waitFor();
  await pane.getByLabel("Directory to mount").fill(place("docs"));
  await pane.getByRole("button", { name: "Mount" }).click();
  await page.getByRole("button", { name: "workspace + 2 directories" }).waitFor();
  await pane.getByLabel(`Mode of ${place("docs")}`).selectOption("extend");
  await expect
    .poll(async () => (await on.server.client.send(routes.session, { id: chat.session })).mounts)
    .toEqual([{ path: place("docs"), mode: "extend" }]);
  await pane.getByRole("button", { name: `Unmount ${place("docs")}` }).click();
  await page.getByRole("button", { name: "workspace + 1 directory" }).waitFor();
  await pane.getByRole("button", { name: "Revoke all" }).click();
  await page.getByRole("button", { name: "workspace only" }).waitFor();
  await pane.getByText("No grants").waitFor();
  expect((await on.server.client.send(routes.session, { id: chat.session })).allowed_read_paths).toEqual([]);
  expect(faults).toEqual([]);
});

test("the session's pane: one grant of two is revoked, and the other stays", async () => {
  const chat = await on.chat();
  const { page, faults, say } = await on.open(`/chat/${chat.id}`);
  for (const [path, answer] of [
    ["api/package.json", "2.1.0"],
    ["docs/guide.md", "Guide"],
  ] as const) {
    await say(`Read ${place(path)}`);
    await page.locator('[data-ask][data-state="open"]').waitFor();
    await whenArmed(page);
    await page.getByRole("button", { name: /^Allow reading \S+ for this session$/ }).click();
    await page.locator(".prose", { hasText: answer }).last().waitFor();
  }
  await page.getByRole("button", { name: "workspace + 2 directories" }).click();
  const pane = page.getByRole("complementary", { name: "Session" });
  await pane.getByRole("button", { name: `Revoke ${place("api")}` }).click();
  await page.getByRole("button", { name: "workspace + 1 directory" }).waitFor();
  expect((await on.server.client.send(routes.session, { id: chat.session })).allowed_read_paths).toEqual([place("docs")]);
  await pane.getByRole("button", { name: `Revoke ${place("api")}` }).waitFor({ state: "detached" });
  expect(await pane.getByRole("button", { name: `Revoke ${place("docs")}` }).count()).toBe(1);
  expect(faults).toEqual([]);
});

test("X-ray of a session: workspace, mounts and grants, secrets and denied, each with its colour, drawn only as far as it is opened", async () => {
  const { layers } = await on.server.client.send(routes.policy, { query: {} });
  const before = layers.find(({ author }) => author === "operator")?.text ?? null;
  const text = '{ "read": { "**/cart.ts": "deny" } }';
  await on.server.client.send(routes.savePolicy, { body: { text, before } });
  const chat = await on.chat();
  await on.server.client.send(routes.addMount, { id: chat.session, body: { path: place("docs"), mode: "read_only" } });
  const { page, faults, say } = await on.open(`/chat/${chat.id}`);
  await say(`Read ${place("api/package.json")}`);
  await page.locator('[data-ask][data-state="open"]').waitFor();
  await whenArmed(page);
  await page.getByRole("button", { name: /^Allow reading \S+ for this session$/ }).click();
  await page.locator(".prose", { hasText: "2.1.0" }).last().waitFor();
  const looked: string[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith("/tree")) looked.push(searchParams.get("path") ?? "");
  });
  await say("/scope");
  const sheet = page.getByRole("dialog", { name: "What can it see?" });
  await sheet.getByText("guide.md").waitFor();
  await sheet.getByText("server.ts").or(sheet.getByText("vendor/")).first().waitFor();
  // Each root once, and nothing below it yet.
  expect([...new Set(looked)].toSorted()).toEqual([place("api"), place("docs"), place("shop")].toSorted());
  expect(
    (await sheet.getByRole("list", { name: "Legend" }).getByRole("listitem").allInnerTexts()).map((line) => line.split(/\s/)[0]),
  ).toEqual(["writable", "readable", "secret", "denied", "outside"]);
  const workspace = sheet.getByRole("group", { name: "workspace" });
  await workspace.getByRole("button", { name: /src\// }).click();
  await workspace.getByText("cart.ts").waitFor();
  expect(looked).toContain(place("shop/src"));
  const colour = (root: string, name: string) =>
    sheet
      .getByRole("group", { name: root })
      .locator("li", { has: page.getByText(name, { exact: true }) })
      .last()
      .evaluate((row) => getComputedStyle(row.querySelector("svg:not(.invisible)") ?? row).color);
  const line = (root: string, name: string) =>
    sheet
      .getByRole("group", { name: root })
      .locator("li", { has: page.getByText(name, { exact: true }) })
      .last()
      .innerText();
  expect(await line("workspace", "cart.ts")).toContain("denied · policy-deny");
  expect(await line("workspace", ".env")).toContain("hidden · secret-file");
  expect(await line("workspace", "README.md")).toContain("writable");
  expect(await line("granted for reading", "README.md")).toContain("readable");
  expect(await line("mount (read_only)", "guide.md")).toContain("readable");
  const colours = [
    await colour("workspace", "cart.ts"),
    await colour("workspace", ".env"),
    await colour("workspace", "README.md"),
    await colour("granted for reading", "README.md"),
  ];
  expect(new Set(colours).size).toBe(4);
  const edges = await sheet.locator("section").evaluateAll((roots) => roots.map((root) => getComputedStyle(root).borderLeftColor));
  expect(new Set(edges).size).toBe(3);
  await on.server.client.send(routes.savePolicy, { body: { text: "{}", before: text } });
  expect(faults).toEqual([]);
});

test("a browser without the token sees nothing, and one with a wrong token gets nothing", async () => {
  const { page } = await on.open("/inbox");
  await page.evaluate(() => localStorage.clear());
  await page.goto(`${on.server.address}/`);
  await page.getByRole("heading", { name: "This browser isn't signed in" }).waitFor();
  // In the same tab only the part after the # changes: the page takes it and begins again.
  await page.goto(`${on.server.address}/#token=wrong-token`);
  await page.getByRole("alert").waitFor();
  await page.getByRole("heading", { name: "This browser isn't signed in" }).waitFor();
  expect(await page.evaluate(() => localStorage.getItem("hallpass.token"))).toBeNull();
  expect(await page.locator("[data-ask]").count()).toBe(0);
});

test("a pasted address signs a browser in, in the field or in the same tab, and leaves no token behind", async () => {
  const { page, faults } = await on.open("/inbox");
  const heading = page.getByRole("heading", { name: "This browser isn't signed in" });
  const out = async (): Promise<void> => {
    await page.evaluate(() => localStorage.clear());
    await page.goto(`${on.server.address}/`);
    await heading.waitFor();
  };
  await out();
  await page.keyboard.type("no token, at all");
  expect(await page.getByLabel("Code, address or token").inputValue()).toBe("no token, at all");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Code, address or token").fill(` ${on.server.address}/#token=${TOKEN}&dir=/x `);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("connected").waitFor();
  expect(page.url()).not.toContain("token");
  await out();
  await page.evaluate((token) => void (location.hash = `#token=${token}`), TOKEN);
  await page.getByText("connected").waitFor();
  expect(page.url()).not.toContain("token");
  expect(faults).toEqual([]);
});

test("an address of a chat that is not there says so", async () => {
  const { page, faults } = await on.open("/chat/no-such-chat-0123456789");
  await page.getByRole("heading", { name: "There is no such chat" }).waitFor();
  expect(faults).toEqual([]);
});

test("somebody who is elsewhere is told by a notification, if they allowed it, and it says nothing an agent wrote", async () => {
  const chat = await on.chat();
  const { page, context, faults } = await on.open("/inbox");
  await context.addInitScript(() => {
    const shown: string[] = [];
    class Told extends EventTarget {
      static readonly permission = "granted";
      constructor(title: string, options: { readonly body?: string }) {
        super();
        shown.push(`${title} ${options.body ?? ""}`);
      }
    }
    Object.assign(window, { Notification: Told, shown });
    document.hasFocus = () => false;
  });
  await page.reload();
  await page.getByText("connected").waitFor();
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${place("api/package.json")}` } });
  await page.locator("[data-ask]").first().waitFor();
  const shown: unknown = await page.evaluate(() => Reflect.get(window, "shown"));
  expect(shown).toEqual(["An agent is waiting for you Open Hallpass to see what it asks for."]);
  await on.server.client.send(routes.cancel, { id: chat.id });
  expect(faults).toEqual([]);
});

test("notifications are asked for by the person alone, and without a yes there is none", async () => {
  const chat = await on.chat();
  const { page, context, faults } = await on.open("/inbox");
  await context.addInitScript(() => {
    const asked: string[] = [];
    class Told extends EventTarget {
      static permission = "default";
      static requestPermission(): Promise<string> {
        asked.push("asked");
        Told.permission = "denied";
        return Promise.resolve("denied");
      }
      constructor() {
        super();
        asked.push("shown");
      }
    }
    Object.assign(window, { Notification: Told, asked });
    document.hasFocus = () => false;
  });
  await page.reload();
  const button = page.getByRole("button", { name: "Tell me when an agent waits" });
  await button.waitFor();
  const asked = (): Promise<unknown> => page.evaluate(() => Reflect.get(window, "asked"));
  expect(await asked()).toEqual([]);
  await button.click();
  await button.waitFor({ state: "detached" });
  await on.server.client.send(routes.say, { id: chat.id, body: { text: `Read ${place("api/package.json")}` } });
  await page.locator("[data-ask]").first().waitFor();
  expect(await asked()).toEqual(["asked"]);
  await on.server.client.send(routes.cancel, { id: chat.id });
  expect(faults).toEqual([]);
});
