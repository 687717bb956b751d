// Projects, their sessions and chats; the inbox with its count; the other pages.

import { clsx } from "clsx";
import Archive from "lucide-react/icons/archive";
import Bell from "lucide-react/icons/bell";
import ChevronDown from "lucide-react/icons/chevron-down";
import Cpu from "lucide-react/icons/cpu";
import Inbox from "lucide-react/icons/inbox";
import KeyRound from "lucide-react/icons/key-round";
import Monitor from "lucide-react/icons/monitor";
import MonitorSmartphone from "lucide-react/icons/monitor-smartphone";
import Moon from "lucide-react/icons/moon";
import Plus from "lucide-react/icons/plus";
import ScrollText from "lucide-react/icons/scroll-text";
import Search from "lucide-react/icons/search";
import ShieldCheck from "lucide-react/icons/shield-check";
import Sun from "lucide-react/icons/sun";
import { type ReactNode, useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { programOf } from "../../../src/core/guard/card.ts";
import { show } from "../../../src/core/path/show.ts";
import type { WireChat, WireSession } from "../../../src/wire/values.ts";
import { useApp, useStored } from "../app-context.ts";
import { IconButton } from "../parts/icon-button.tsx";
import { Shown } from "../parts/shown.tsx";
import { EndSession } from "../session/end-session.tsx";
import { openAsks } from "../state/model.ts";
import { groupSessions } from "../state/grouping.ts";
import { clockTime } from "../words/times.ts";
import { applyTheme, nextTheme, readTheme } from "./theme.ts";

const row =
  "flex min-h-9 pointer-coarse:min-h-11 w-full items-center gap-2.5 rounded-lg px-2.5 text-sm text-soft hover:bg-raised hover:text-ink";

const pages = [
  { to: "/grants", Icon: KeyRound, name: "Grants" },
  { to: "/policy", Icon: ShieldCheck, name: "Policy" },
  { to: "/models", Icon: Cpu, name: "Models" },
  { to: "/audit", Icon: ScrollText, name: "Audit" },
  { to: "/browsers", Icon: MonitorSmartphone, name: "Browsers" },
];

function Place({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  const [at] = useLocation();
  const here = at === to || (to !== "/" && at.startsWith(`${to}/`));
  return (
    <Link href={to} aria-current={here ? "page" : undefined} className={clsx(row, here && "bg-accent-ground! font-medium text-accent!")}>
      {children}
    </Link>
  );
}

export function Sidebar() {
  const waiting = useStored((state) => openAsks(state).length);
  return (
    <div className="flex h-full min-h-0 flex-col short:overflow-y-auto">
      <div className="flex items-center gap-2.5 px-4 pt-4 pb-3">
        <img src="/favicon.svg" alt="" width={22} height={22} />
        <span className="grow font-semibold tracking-tight">Hallpass</span>
        <ThemeButton />
      </div>
      <nav aria-label="Pages" className="grid gap-0.5 px-2">
        <Place to="/inbox">
          <Inbox size={16} aria-hidden="true" />
          <span className="grow">Inbox</span>
          {waiting > 0 && (
            <span className="rounded-full bg-ask px-1.5 text-xs leading-5 font-bold text-surface" aria-label={`${waiting} waiting for you`}>
              {waiting}
            </span>
          )}
        </Place>
        {pages.map(({ to, Icon, name }) => (
          <Place key={to} to={to}>
            <Icon size={16} aria-hidden="true" /> {name}
          </Place>
        ))}
      </nav>
      <Sessions />
      <footer className="grid gap-1 border-t border-line px-2 py-2">
        <NotifyButton />
        <Connection />
      </footer>
    </div>
  );
}

function Sessions() {
  const [, goTo] = useLocation();
  const { daemon } = useApp();
  const hasEarlier = useStored(({ oldestChat }) => oldestChat !== null);
  const projects = useStored(({ projects }) => projects);
  const sessions = useStored(({ sessions }) => sessions);
  const chats = useStored(({ chats }) => chats);
  const asks = useStored(({ asks }) => asks);
  const groups = useMemo(() => groupSessions(projects ?? [], sessions, chats), [projects, sessions, chats]);
  const waiting = useMemo(() => new Set(Object.values(asks).flatMap(({ state, chat }) => (state === "open" ? [chat] : []))), [asks]);
  const now = Date.now();
  return (
    <nav aria-label="Chats" className="mt-3 min-h-0 grow overflow-y-auto px-2 pb-3 short:shrink-0 short:overflow-visible">
      <div className="flex items-center px-2.5 pb-1">
        <h2 className="grow text-xs font-semibold tracking-wide text-faint uppercase">Sessions</h2>
        <IconButton label="New session" Icon={Plus} className="pointer-fine:size-7" onClick={() => goTo("/new")} />
      </div>
      <SearchField />
      {groups.length === 0 && <p className="px-2.5 py-2 text-xs text-faint">None yet.</p>}
      {groups.map(({ name, path, sessions: held }) => (
        <section key={path} role="group" aria-label={name} className="mb-3">
          <h3 className="truncate px-2.5 py-1 text-xs font-medium text-soft" title={show(path)}>
            <Shown text={name} width={30} />
          </h3>
          {held.map(({ session, chats: own }) => (
            <ul
              key={session.id}
              className={clsx("mb-1.5 ml-2.5 border-l pl-1", session.parent === null ? "border-line" : "border-dashed border-line-strong")}
            >
              {own.map((chat) => (
                <li key={chat.id}>
                  <Place to={`/chat/${chat.id}`}>
                    <span className="min-w-0 grow truncate" title={show(nameIn(chat, session))}>
                      <Shown text={nameIn(chat, session)} width={120} />
                    </span>
                    {waiting.has(chat.id) ? (
                      <span className="shrink-0 rounded-full bg-ask-ground px-1.5 text-2xs font-semibold text-ask">
                        waiting<span className="sr-only"> for you</span>
                      </span>
                    ) : chat.status === "running" ? (
                      <span className="shrink-0 text-2xs text-accent">working</span>
                    ) : (
                      <time className="shrink-0 text-2xs text-faint">{clockTime(chat.at, now)}</time>
                    )}
                  </Place>
                </li>
              ))}
              {session.host === null ? (
                <li>
                  <Link href={`/session/${session.id}`} className={clsx(row, "min-h-7 text-xs! text-faint")}>
                    <Plus size={13} aria-hidden="true" /> new chat in this session
                  </Link>
                </li>
              ) : (
                <li className="px-2.5 text-2xs text-faint">
                  <Shown text={programOf(session.host)} width={30} />
                </li>
              )}
              {session.machine !== null && (
                <li className="px-2.5 text-2xs text-faint">
                  on <Shown text={session.machine} width={30} />
                </li>
              )}
              <li className="px-2.5 py-0.5">
                <EndSession session={session} quiet />
              </li>
            </ul>
          ))}
        </section>
      ))}
      {hasEarlier && (
        <button type="button" className={clsx(row, "text-xs!")} onClick={() => void daemon.earlierChats().catch(() => {})}>
          <ChevronDown size={14} aria-hidden="true" /> Earlier chats
        </button>
      )}
      <Place to="/archived">
        <Archive size={14} aria-hidden="true" /> <span className="text-xs">Archived chats</span>
      </Place>
    </nav>
  );
}

/** What a chat is called in the list. */
function nameIn({ title }: WireChat, { label, host }: WireSession): string {
  return title !== "" ? title : (label ?? (host === null ? "New chat" : programOf(host)));
}

/** What is typed here is looked for on a page of its own. */
function SearchField() {
  const [, goTo] = useLocation();
  return (
    <form
      role="search"
      aria-label="All chats"
      className="relative mb-2 px-1"
      onSubmit={(event) => {
        event.preventDefault();
        const text = new FormData(event.currentTarget).get("text");
        if (typeof text === "string" && text.trim() !== "") goTo(`/search/${encodeURIComponent(text.trim())}`);
      }}
    >
      <Search size={14} aria-hidden="true" className="pointer-events-none absolute top-1/2 left-3.5 -translate-y-1/2 text-faint" />
      <input
        name="text"
        type="search"
        aria-label="Search chats"
        placeholder="Search chats"
        maxLength={200}
        className="min-h-8 w-full rounded-lg border border-line bg-ground pr-2 pl-8 text-sm pointer-coarse:min-h-11"
      />
    </form>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState(() => readTheme(localStorage));
  const Icon = theme === "system" ? Monitor : theme === "light" ? Sun : Moon;
  return (
    <IconButton
      label={`Theme: ${theme}`}
      Icon={Icon}
      onClick={() => {
        const next = nextTheme(theme);
        applyTheme(next, document.documentElement, localStorage);
        setTheme(next);
      }}
    />
  );
}

function NotifyButton() {
  const [isDecided, setDecided] = useState(() => !("Notification" in globalThis) || Notification.permission !== "default");
  if (isDecided) return null;
  return (
    <button type="button" className={row} onClick={() => void Notification.requestPermission().then(() => setDecided(true))}>
      <Bell size={15} aria-hidden="true" /> Tell me when an agent waits
    </button>
  );
}

function Connection() {
  const connection = useStored(({ connection }) => connection);
  const texts = { live: "connected", connecting: "connecting…", lost: "connection lost; trying again", refused: "not signed in" };
  return (
    <p role="status" className={clsx("flex items-center gap-2 px-2.5 text-xs", connection === "lost" ? "text-deny" : "text-faint")}>
      <span
        className={clsx("size-2 rounded-full", connection === "live" ? "bg-allow" : connection === "lost" ? "bg-deny" : "bg-line-strong")}
      />
      {texts[connection]}
    </p>
  );
}
