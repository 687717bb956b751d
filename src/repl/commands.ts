// The commands of a chat: a slash and a word. They go to the server as the person's own acts and never to the model; what is no
// command and looks like one is not sent either.

import { explainRevoked } from "../core/guard/explain.ts";
import { show } from "../core/path/show.ts";
import { nearNames } from "../tools/near.ts";
import { routes } from "../wire/http.ts";
import type { WireGrant, WireSession } from "../wire/values.ts";
import type { Backend } from "./backend.ts";

export interface Said {
  readonly text: string;
  readonly tone: "plain" | "good" | "bad" | "dim";
  readonly leave?: true;
}

export interface Around {
  readonly backend: Backend;
  readonly session: WireSession;
  /** Makes a path of what was typed: absolute, from the directory the program was started in. */
  readonly absolute: (path: string) => string;
}

const modes = ["read_only", "extend", "sandboxed"] as const;

const commands: Readonly<
  Record<string, { readonly help: string; readonly run: (words: readonly string[], around: Around) => Promise<Said> }>
> = {
  help: { help: "what can be typed here", run: async () => ({ text: chatHelp, tone: "plain" }) },
  grants: { help: "what may be read besides the workspace, and since when", run: (_words, around) => grants(around) },
  revoke: { help: "ID: end a grant now; the first characters of its id will do", run: revoke },
  clear_grants: { help: "end every grant of this session", run: (_words, around) => clear(around) },
  mount: { help: "DIR [read_only|extend|sandboxed]: add a root; `/mount remove DIR` takes it out", run: mount },
  scope: { help: "[PATH]: what the agent may see, or what would happen with one path", run: scope },
  policy: { help: "show the policy in force", run: (_words, around) => policy(around) },
  end: { help: "end this session: what it asks is closed, its grants end", run: (_words, around) => end(around) },
  quit: { help: "leave; the session stays", run: async () => ({ text: "", tone: "dim", leave: true }) },
};

const chatHelp = [
  ...Object.entries(commands).map(([name, { help }]) => `/${name.padEnd(13)} ${help}`),
  "",
  "Enter sends; Alt-Enter, Ctrl-J or \\ and Enter begin a new line; ↑ brings back what was said.",
  "Ctrl-C stops what runs; twice leaves. When a card asks, only its keys count.",
].join("\n");

/** Is it a command? `/etc/hosts` is a path, and is said to the agent. */
export const isCommand = (text: string): boolean => /^\/[a-z_]*(?:\s|$)/iu.test(text);

export async function runCommand(text: string, around: Around | null): Promise<Said> {
  const [name = "", ...words] = text
    .slice(1)
    .split(/\s+/u)
    .filter((word) => word !== "");
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const near = nearNames(name, Object.keys(commands)).map((one) => `/${one}`);
    return {
      text: `there is no command /${name}${near.length === 0 ? "; /help lists them" : `; did you mean ${near.join(" or ")}?`}`,
      tone: "bad",
    };
  }
  if (name === "help" || name === "quit") return command.run(words, around ?? never);
  if (around === null) return { text: "one moment: the chat is not open yet", tone: "bad" };
  return command.run(words, around);
}

/** Commands that need no session never look at it. */
const never: Around = {
  get backend(): never {
    throw new Error("no backend yet");
  },
  get session(): never {
    throw new Error("no session yet");
  },
  absolute: (path) => path,
};

const live = ({ revokedAt, live: there }: WireGrant): boolean => revokedAt === null && there;

async function grants({ backend, session }: Around): Promise<Said> {
  const all = (await backend.client.send(routes.listGrants, { query: { session: session.id } })).filter(live);
  if (all.length === 0) return { text: "nothing is granted in this session", tone: "dim" };
  const rows = all.map(
    ({ id, path, reads, expires }) =>
      `${id.slice(0, 8)}  ${show(path)}  ${reads} ${reads === 1 ? "read" : "reads"}${expires === null ? "" : ", ends by itself"}`,
  );
  return { text: [...rows, "end one with /revoke and its id, all with /clear_grants"].join("\n"), tone: "plain" };
}

async function end({ backend, session }: Around): Promise<Said> {
  await backend.client.send(routes.archiveSession, { id: session.id, query: {} });
  return { text: "the session has ended", tone: "good", leave: true };
}

async function revoke(words: readonly string[], { backend, session }: Around): Promise<Said> {
  const [wanted] = words;
  if (wanted === undefined) return { text: "which one? /grants lists them; then /revoke and its id", tone: "bad" };
  const all = await backend.client.send(routes.listGrants, { query: { session: session.id } });
  const fits = all.filter(({ id, revokedAt }) => id.startsWith(wanted) && revokedAt === null);
  const [grant] = fits;
  if (grant === undefined || fits.length > 1)
    return {
      text: `${fits.length === 0 ? "no grant's" : "more than one grant's"} id begins with ${show(wanted)}; /grants lists them`,
      tone: "bad",
    };
  const { isShut, text } = explainRevoked(grant.path, await backend.client.send(routes.revoke, { id: grant.id }));
  return { text: isShut ? `revoked: ${text}` : text, tone: isShut ? "good" : "bad" };
}

async function clear({ backend, session }: Around): Promise<Said> {
  const { revoked } = await backend.client.send(routes.revokeAll, { id: session.id });
  return { text: revoked === 0 ? "nothing was granted" : `revoked ${revoked} ${revoked === 1 ? "grant" : "grants"}`, tone: "good" };
}

async function mount(words: readonly string[], { backend, session, absolute }: Around): Promise<Said> {
  const [first, second] = words;
  if (first === undefined) {
    if (session.mounts.length === 0) return { text: "nothing is mounted; /mount DIR adds a root that is read only", tone: "dim" };
    return { text: session.mounts.map(({ path, mode }) => `${mode.padEnd(10)} ${show(path)}`).join("\n"), tone: "plain" };
  }
  if (first === "remove" && second !== undefined) {
    await backend.client.send(routes.removeMount, { id: session.id, body: { path: absolute(second) } });
    return { text: `${show(absolute(second))} is no longer mounted`, tone: "good" };
  }
  const mode = second === undefined ? "read_only" : modes.find((one) => one === second);
  if (mode === undefined) return { text: `a mount's mode is one of ${modes.join(", ")}`, tone: "bad" };
  await backend.client.send(routes.addMount, { id: session.id, body: { path: absolute(first), mode } });
  return { text: `mounted ${show(absolute(first))}, ${mode}`, tone: "good" };
}

async function scope(words: readonly string[], { backend, session }: Around): Promise<Said> {
  const [path] = words;
  if (path !== undefined) {
    const judged = (operation: "read" | "replace") => backend.client.send(routes.explain, { id: session.id, body: { path, operation } });
    const [{ verdict, headline, lines, notes }, write] = await Promise.all([judged("read"), judged("replace")]);
    const rows = [`${verdict}: ${headline}`, ...[...lines, ...notes].map((text) => `  ${text}`), `${write.verdict}: ${write.headline}`];
    return { text: rows.join("\n"), tone: "plain" };
  }
  const all = (await backend.client.send(routes.listGrants, { query: { session: session.id } })).filter(live);
  const rows = [
    `workspace   ${show(session.workspace)}`,
    ...session.mounts.map(({ path: dir, mode }) => `${mode.padEnd(11)} ${show(dir)}`),
    ...all.map(({ path: dir, id }) => `granted     ${show(dir)} (read only, ${id.slice(0, 8)})`),
    "everything else is asked for where it can be granted, unless your policy says otherwise; secrets stay shut everywhere",
  ];
  return { text: rows.join("\n"), tone: "plain" };
}

async function policy({ backend, session }: Around): Promise<Said> {
  const { layers, findings, preset } = await backend.client.send(routes.policy, { query: { workspace: session.workspace } });
  const rows = layers.map(
    ({ author, file, exists, rules }) =>
      `${author.padEnd(14)} ${file === null ? "" : `${show(file)} `}${exists || file === null ? `${rules.length} ${rules.length === 1 ? "rule" : "rules"}` : "not there"}`,
  );
  return {
    text: [`preset ${preset}`, ...rows, ...findings.map(({ severity, message }) => `${severity}: ${message}`)].join("\n"),
    tone: "plain",
  };
}
