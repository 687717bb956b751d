// A notice in the form its receiver reads: our own JSON, or the messages of the chat programs people already have open. What agents
// chose (names, paths) is shown as plain text everywhere: it must not become a link, a mention or a heading in somebody's chat.

import { HallpassError } from "../core/errors.ts";
import { shorten } from "../core/path/show.ts";

/** One ask that opened, without the agent's own words. */
export interface WebhookNotice {
  readonly event: "ask_open";
  readonly ask: string;
  readonly title: string;
  readonly facts: readonly { readonly label: string; readonly text: string }[];
  /** Opens the card; carries no token. */
  readonly link: string;
}

/** Where a notice goes and what is posted there. */
export interface WebhookRequest {
  readonly url: string;
  readonly body: unknown;
}

type Write = (notice: WebhookNotice, url: URL) => WebhookRequest;

/** By their names in `HALLPASS_WEBHOOK_FORMAT`: whose addresses they are, and what is posted. */
const formats: Readonly<Record<string, { readonly host: RegExp | null; readonly write: Write }>> = {
  json: { host: null, write: (notice, { href }) => ({ url: href, body: notice }) },
  slack: {
    host: /^hooks\.slack(-gov)?\.com$/,
    write: ({ title, facts, link }, { href }) => {
      const plain = (text: string, most: number): object => ({ type: "plain_text", text: shorten(text, most), emoji: false });
      return {
        url: href,
        body: {
          text: escapeSlack(title),
          blocks: [
            { type: "header", text: plain(title, 150) },
            // A section takes ten fields.
            ...tens(facts).map((some) => ({ type: "section", fields: some.map(({ label, text }) => plain(`${label}: ${text}`, 1000)) })),
            { type: "section", text: { type: "mrkdwn", text: `<${link}|Open the card>` } },
          ],
        },
      };
    },
  },
  teams: {
    host: /\.(webhook\.office\.com|logic\.azure\.com|powerplatform\.com)$/,
    write: ({ title, facts, link }, { href }) => ({
      url: href,
      body: {
        type: "message",
        attachments: [
          {
            contentType: "application/vnd.microsoft.card.adaptive",
            content: {
              $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
              type: "AdaptiveCard",
              version: "1.4",
              body: [
                { type: "TextBlock", text: escapeMarkdown(title), weight: "bolder", size: "medium", wrap: true },
                { type: "FactSet", facts: facts.map(({ label, text }) => ({ title: label, value: escapeMarkdown(shorten(text, 1000)) })) },
              ],
              actions: [{ type: "Action.OpenUrl", title: "Open the card", url: link }],
            },
          },
        ],
      },
    }),
  },
  discord: {
    host: /^(canary\.|ptb\.)?discord(app)?\.com$/,
    write: ({ title, facts, link }, { href }) => ({
      url: href,
      body: {
        allowed_mentions: { parse: [] },
        embeds: [
          {
            title: escapeMarkdown(shorten(title, 120)),
            url: link,
            // It takes 25 fields, and 6000 characters in all, of which escaping may double each.
            fields: facts.slice(0, 25).map(({ label, text }) => ({
              name: label,
              value: escapeMarkdown(shorten(text, Math.min(400, Math.floor(2400 / facts.length)))),
            })),
          },
        ],
      },
    }),
  },
  ntfy: {
    host: /^ntfy\.sh$/,
    // Posted to the server itself, which takes JSON there; to the topic's own address it would take headers, which hold no text but ASCII.
    write: ({ title, facts, link }, url) => ({
      url: new URL("/", url).href,
      body: {
        topic: url.pathname.split("/").find((part) => part !== "") ?? "",
        title: shorten(title, 200),
        message: facts.map(({ label, text }) => `${label}: ${shorten(text, 250)}`).join("\n"),
        click: link,
        tags: ["lock"],
      },
    }),
  },
};

/** How notices are written for this address: as the operator says, else as the address shows, else as plain JSON. */
export function webhookFormat(url: URL, name: string | undefined): (notice: WebhookNotice) => WebhookRequest {
  const format = name === undefined || name === "" ? byHost(url) : Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format === undefined) throw new HallpassError("bad-request", `HALLPASS_WEBHOOK_FORMAT is one of: ${Object.keys(formats).join(", ")}`);
  return (notice) => format.write(notice, url);
}

const byHost = ({ hostname }: URL): (typeof formats)[string] | undefined =>
  Object.values(formats).find(({ host }) => host?.test(hostname) === true) ?? formats["json"];

const tens = <T>(all: readonly T[]): readonly (readonly T[])[] => (all.length === 0 ? [] : [all.slice(0, 10), ...tens(all.slice(10))]);

const escapeSlack = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Marks of Markdown as plain characters. A zero-width space keeps `@name` from becoming a mention, and `://` from becoming a link. */
const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\\`*_{}[\]()#+!|<>~-]/g, "\\$&").replaceAll(/@(?=\S)|:(?=\/\/)/g, "$&\u200B");
