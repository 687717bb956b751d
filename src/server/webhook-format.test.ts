import { describe, expect, test } from "vitest";
import { type WebhookNotice, webhookFormat } from "./webhook-format.ts";

const notice: WebhookNotice = {
  event: "ask_open",
  ask: "ask_1",
  title: "Let <!channel> @everyone read *lib*?",
  facts: [
    { label: "Path", text: "/code/[lib](https://evil.example)/_a_" },
    { label: "Long", text: "x".repeat(5000) },
  ],
  link: "http://127.0.0.1:7777/#/asks/ask_1",
};

function written(url: string, name?: string): { readonly url: string; readonly text: string; readonly body: unknown } {
  const { url: to, body } = webhookFormat(new URL(url), name)(notice);
  return { url: to, body, text: JSON.stringify(body) };
}

test.each([
  ["https://hooks.slack.com/services/T/B/x", "slack"],
  ["https://acme.webhook.office.com/webhookb2/x", "teams"],
  ["https://prod-1.westeurope.logic.azure.com/workflows/x?sig=1", "teams"],
  ["https://discord.com/api/webhooks/1/x", "discord"],
  ["https://ntfy.sh/mine", "ntfy"],
  ["https://hooks.example.org/x", "json"],
  ["https://hooks.slack.com.evil.example/x", "json"],
])("%s is written to as %s", (url, name) => {
  expect(written(url)).toEqual(written(url, name));
});

test("a name that is none is refused with the names there are", () => {
  expect(() => webhookFormat(new URL("https://a.example"), "toString")).toThrow(/json, slack, teams, discord, ntfy/);
});

describe.each(["slack", "teams", "discord", "ntfy"])("%s", (name) => {
  const { text, url } = written("https://a.example/topic?sig=1", name);

  test("shows the title, every fact and the link, within the receiver's limits", () => {
    for (const word of ["read", "Path", "Long", notice.link]) expect(text).toContain(word);
    expect(text.length).toBeLessThan(4000);
    expect(url).toBe(name === "ntfy" ? "https://a.example/" : "https://a.example/topic?sig=1");
  });

  test("leaves no fact out, however many there are", () => {
    const many = { ...notice, facts: Array.from({ length: 23 }, (_, at) => ({ label: `Fact ${at}`, text: "x".repeat(500) })) };
    const body = JSON.stringify(webhookFormat(new URL("https://a.example/topic"), name)(many).body);
    for (const { label } of many.facts) expect(body).toContain(label);
    const longest = /"fields":(\[.*?\])/u.exec(body)?.[1];
    if (name === "slack") expect((JSON.parse(longest ?? "[]") as unknown[]).length).toBe(10);
    if (name === "discord") expect(body.length).toBeLessThan(6000);
  });

  test("what an agent chose is nothing but text", () => {
    // Slack's plain text and ntfy's messages are not read as Markdown; the one field of Slack's that is has its marks escaped.
    const read = name === "slack" ? JSON.stringify((written("https://a.example", name).body as { text: string }).text) : text;
    if (name !== "ntfy") expect(read).not.toContain("<!channel>");
    if (name === "teams" || name === "discord") {
      expect(text).not.toContain("@everyone");
      expect(text).not.toContain("](https://evil");
      expect(text).not.toContain("https://evil");
    }
  });
});

test("Discord is told to mention nobody; ntfy's topic is the address's", () => {
  expect(written("https://discord.com/api/webhooks/1/x").body).toMatchObject({ allowed_mentions: { parse: [] } });
  expect(written("https://ntfy.sh/mine").body).toMatchObject({ topic: "mine", click: notice.link });
});
