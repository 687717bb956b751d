// The commands of a chat, in the terminal and on the page: a slash and a word. They go to the server as the person's own acts and never to the
// model; what is no command and looks like one is not sent either.

import { explainRevoked, explainRevokedAll, grantName } from "../core/guard/explain.ts";
import { show } from "../core/path/show.ts";
import type { Client } from "../wire/client.ts";
import { routes } from "../wire/http.ts";
import { UNCOUNTED, usedWords } from "../wire/used-words.ts";
import type { WireGrant, WireSession } from "../wire/values.ts";
import { chatCommands } from "./chat-commands.ts";

export interface SlashAnswer {
  readonly text: string;
  readonly tone: "plain" | "good" | "bad" | "dim";
  /** There is nothing left to say in this chat. */
  readonly leave?: true;
}

export interface SlashPorts {
  readonly client: Client;
  readonly session: WireSession;
  /** The chat it is typed in; null before the first message. */
  readonly chat: string | null;
  /** Makes a path of what was typed. */
  readonly absolute: (path: string) => string;
  /** Called with the session after a change. */
  readonly changed: (session: WireSession) => void;
  /** Opens a page for it; missing where there is none, and then the answer is text. */
  readonly open?: (what: "grants" | "scope" | "policy" | "search", argument: string) => void;
  /** Keeps a text as a file of the person's own; gives where. */
  readonly save: (name: string, lines: AsyncIterable<string>) => Promise<string>;
}

export interface SlashCommand {
  readonly name: string;
  /** What may follow it. */
  readonly takes: string;
  readonly says: string;
  run(argument: string, ports: SlashPorts): Promise<SlashAnswer>;
}

export const mountModes = ["read_only", "extend", "sandboxed"] as const;

export const slashCommands: readonly SlashCommand[] = [
  { name: "/grants", takes: "", says: "list what may be read besides the workspace, and how many reads were counted", run: grants },
  { name: "/revoke", takes: "ID or PATH", says: "end a grant now; the first characters of its id will do", run: revoke },
  { name: "/clear_grants", takes: "", says: "end every grant of this session", run: clear },
  {
    name: "/mount",
    takes: `DIR [${mountModes.join("|")}]`,
    says: "let the agent use another directory too; end it with /mount remove DIR",
    run: mount,
  },
  { name: "/scope", takes: "[PATH]", says: "show what the agent may see, or what would happen with one path", run: scope },
  { name: "/policy", takes: "[PATH]", says: "show the policy in force, or what it says about one path", run: policy },
  { name: "/model", takes: "[PROVIDER/MODEL or usual]", says: "show the model of this chat, or choose another", run: model },
  { name: "/rename", takes: "TITLE", says: "give this chat another name", run: rename },
  ...chatCommands,
  { name: "/compact", takes: "", says: "summarise the conversation so far, to make room in the model's context", run: compact },
  { name: "/undo", takes: "", says: "undo the agent's latest change of files; repeat it for the one before", run: undo },
  { name: "/end", takes: "", says: "end this session: its commands are stopped, its questions closed, its grants end", run: end },
  { name: "/help", takes: "", says: "list the commands", run: async () => ({ text: slashHelp(), tone: "plain" }) },
];

/** One line each. */
export const slashHelp = (): string => slashCommands.map(({ name, takes, says }) => `${`${name} ${takes}`.trimEnd()}: ${says}`).join("\n");

/** What was typed: null where it is no command. `/etc/hosts` is a path, and is said to the agent. */
export function readSlash(typed: string): { readonly name: string; readonly argument: string } | null {
  const match = /^(\/[a-z_]*)(?:\s+(\S[\s\S]*))?$/iu.exec(typed.trim());
  return match === null ? null : { name: match[1] ?? "", argument: match[2] ?? "" };
}

const good = (text: string): SlashAnswer => ({ text, tone: "good" });
const bad = (text: string): SlashAnswer => ({ text, tone: "bad" });
const countOf = (count: number, of: string): string => `${count} ${of}${count === 1 ? "" : "s"}`;

async function activeGrants({ client, session }: SlashPorts): Promise<readonly WireGrant[]> {
  return (await client.send(routes.listGrants, { query: { session: session.id, limit: 1000 } })).filter(
    ({ revokedAt }) => revokedAt === null,
  );
}

async function tellChanged({ client, session, changed }: SlashPorts): Promise<void> {
  changed(await client.send(routes.session, { id: session.id }));
}

async function grants(_argument: string, ports: SlashPorts): Promise<SlashAnswer> {
  ports.open?.("grants", "");
  const all = (await activeGrants(ports)).filter(({ live }) => live);
  if (all.length === 0) return { text: "nothing has been granted in this session", tone: "dim" };
  const rows = all.map(
    ({ id, path, reads, expires }) =>
      `${id.slice(0, 8)}  ${grantName(path)}  ${usedWords({ path, reads })}${expires === null ? "" : ", ends by itself"}`,
  );
  return { text: [...rows, UNCOUNTED, "end one with /revoke and its id, or all with /clear_grants"].join("\n"), tone: "plain" };
}

async function revoke(argument: string, ports: SlashPorts): Promise<SlashAnswer> {
  if (argument === "") return bad("which one? /grants lists them; then type /revoke and its id or path");
  const fits = (await activeGrants(ports)).filter(
    ({ id, path }) => id.startsWith(argument) || path === argument || path === ports.absolute(argument),
  );
  const [grant] = fits;
  if (grant === undefined || fits.length > 1)
    return bad(
      `${fits.length === 0 ? "no grant has" : "more than one grant has"} an id that begins with ${show(argument)}, or that path; /grants lists them`,
    );
  const { isShut, text } = explainRevoked(grant.path, await ports.client.send(routes.revoke, { id: grant.id }));
  await tellChanged(ports);
  return isShut ? good(`revoked: ${text}`) : bad(text);
}

async function clear(_argument: string, ports: SlashPorts): Promise<SlashAnswer> {
  const { isShut, text } = explainRevokedAll(await ports.client.send(routes.revokeAll, { id: ports.session.id }));
  await tellChanged(ports);
  return isShut ? good(text) : bad(text);
}

async function mount(argument: string, { client, session, absolute, changed }: SlashPorts): Promise<SlashAnswer> {
  if (argument === "") {
    if (session.mounts.length === 0) return { text: "nothing is mounted; /mount DIR mounts a directory read-only", tone: "dim" };
    return { text: session.mounts.map(({ path, mode }) => `${mode.padEnd(10)} ${show(path)}`).join("\n"), tone: "plain" };
  }
  const removed = /^remove\s+(\S.*)$/su.exec(argument)?.[1];
  if (removed !== undefined) {
    const path = absolute(removed);
    changed(await client.send(routes.removeMount, { id: session.id, body: { path } }));
    return good(`${show(path)} is no longer mounted`);
  }
  const { path: typed, mode } = readMount(argument);
  const path = absolute(typed);
  changed(await client.send(routes.addMount, { id: session.id, body: { path, mode } }));
  return good(`mounted ${show(path)}, ${mode}`);
}

/** A path, and a mode at its end if there is one. */
export function readMount(argument: string): { readonly path: string; readonly mode: (typeof mountModes)[number] } {
  const mode = mountModes.find((one) => argument.endsWith(` ${one}`));
  return mode === undefined ? { path: argument, mode: "read_only" } : { path: argument.slice(0, -mode.length).trim(), mode };
}

async function scope(path: string, ports: SlashPorts): Promise<SlashAnswer> {
  if (path !== "") return explainPath(path, ports);
  const { session, open } = ports;
  if (open !== undefined) return openPage(open, "scope", "");
  const rows = [
    `workspace   ${show(session.workspace)}`,
    ...session.mounts.map(({ path: dir, mode }) => `${mode.padEnd(11)} ${show(dir)}`),
    ...(await activeGrants(ports))
      .filter(({ live }) => live)
      .map(({ path: dir, id }) => `granted     ${show(dir)} (read only, ${id.slice(0, 8)})`),
    "for anything else you are asked where it can be granted, unless your policy says otherwise; secrets stay hidden everywhere",
  ];
  return { text: rows.join("\n"), tone: "plain" };
}

/** What would happen with one path, and why. */
async function explainPath(path: string, { client, session }: SlashPorts): Promise<SlashAnswer> {
  const judge = (operation: "read" | "replace") => client.send(routes.explain, { id: session.id, body: { path, operation } });
  const [{ verdict, headline, lines }, write] = await Promise.all([judge("read"), judge("replace")]);
  const rows = [`${verdict}: ${headline}`, ...lines.map((text) => `  ${text}`), `${write.verdict}: ${write.headline}`];
  return { text: rows.join("\n"), tone: "plain" };
}

async function policy(path: string, ports: SlashPorts): Promise<SlashAnswer> {
  if (ports.open !== undefined) return openPage(ports.open, "policy", path);
  if (path !== "") return explainPath(path, ports);
  const { layers, findings, preset } = await ports.client.send(routes.policy, { query: { workspace: ports.session.workspace } });
  const rows = layers.map(
    ({ author, file, exists, rules }) =>
      `${author.padEnd(14)} ${file === null ? "" : `${show(file)} `}${exists || file === null ? countOf(rules.length, "rule") : "not there"}`,
  );
  return {
    text: [`preset ${preset}`, ...rows, ...findings.map(({ severity, message }) => `${severity}: ${message}`)].join("\n"),
    tone: "plain",
  };
}

function openPage(open: NonNullable<SlashPorts["open"]>, what: "scope" | "policy", path: string): SlashAnswer {
  open(what, path);
  return { text: "", tone: "plain" };
}

async function model(name: string, { client, chat }: SlashPorts): Promise<SlashAnswer> {
  const { model: usual, providers } = await client.send(routes.models, {});
  if (name === "") {
    const own = chat === null ? null : (await client.send(routes.chat, { id: chat })).model;
    const ready = providers.filter(({ address, needsKey, keptIn }) => address !== null && (!needsKey || keptIn !== "nowhere"));
    const rows = [
      own === null
        ? `this chat uses the default model, ${show(usual)}`
        : `this chat uses ${show(own)}; the default model is ${show(usual)}`,
      `set up: ${["offline", ...ready.map(({ provider }) => `${provider}/…`)].join(", ")}`,
      "/model PROVIDER/MODEL chooses another, /model usual the default; `hallpass models` sets up more",
    ];
    return { text: rows.join("\n"), tone: "plain" };
  }
  if (chat === null) return bad("send a message first, then choose a model for this chat");
  const { model: now } = await client.send(routes.changeChat, { id: chat, body: { model: name === "usual" ? null : name } });
  return good(`this chat uses ${show(now ?? usual)} from its next turn on`);
}

async function rename(title: string, { client, chat }: SlashPorts): Promise<SlashAnswer> {
  if (title === "") return bad("what should it be called? Type /rename and the new name");
  if (chat === null) return bad("send a message first, then name this chat");
  const { title: now } = await client.send(routes.changeChat, { id: chat, body: { title: title.slice(0, 200) } });
  return good(`this chat is now called ${show(now)}`);
}

async function compact(_argument: string, { client, chat }: SlashPorts): Promise<SlashAnswer> {
  const done = chat !== null && (await client.send(routes.compact, { id: chat })).compacted;
  return done ? good("earlier messages were summarised") : { text: "there is nothing to summarise yet", tone: "dim" };
}

async function undo(_argument: string, { client, chat }: SlashPorts): Promise<SlashAnswer> {
  const messages = chat === null ? [] : (await client.send(routes.messages, { id: chat, query: { limit: 200 } })).messages;
  const call = messages
    .flatMap((message) => (message.role === "agent" ? message.calls : []))
    .findLast(({ state }) => state.at === "done" && state.outcome.ok && state.outcome.undo === "possible");
  if (chat === null || call === undefined) return { text: "the agent has changed nothing here that can be undone", tone: "dim" };
  const { files } = await client.send(routes.undo, { id: chat, body: { call: call.id } });
  return good(`undone: ${files.map(show).join(", ")}`);
}

async function end(_argument: string, { client, session, changed }: SlashPorts): Promise<SlashAnswer> {
  changed(await client.send(routes.archiveSession, { id: session.id, query: {} }));
  return { text: "the session has ended", tone: "good", leave: true };
}
