// The frame of every page: the sidebar, or a sheet of it on a phone; the page; and a word when the daemon is gone.

import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { Redirect, Route, Router, Switch, useLocation } from "wouter";
import { useHashLocation } from "wouter/use-hash-location";
import { useStored } from "../app-context.ts";
import { Sheet } from "../parts/sheet.tsx";
import { NoToken } from "../first-run/no-token.tsx";
import { AskPage } from "../ask/ask-page.tsx";
import { InboxPage } from "../inbox/inbox-page.tsx";
import { openAsks } from "../state/model.ts";
import { NoPage } from "./no-page.tsx";
import { PageBoundary } from "./page-boundary.tsx";
import { SidebarContext } from "./menu-button.tsx";
import { Sidebar } from "./sidebar.tsx";
import { StoreLine } from "./store-line.tsx";
import { useWide } from "./use-wide.ts";

const ChatPage = lazy(() => import("../chat/chat-page.tsx").then(({ ChatPage }) => ({ default: ChatPage })));
const DraftPage = lazy(() => import("../chat/draft-page.tsx").then(({ DraftPage }) => ({ default: DraftPage })));
const PolicyPage = lazy(() => import("../policy/policy-page.tsx").then(({ PolicyPage }) => ({ default: PolicyPage })));
const AuditPage = lazy(() => import("../audit/audit-page.tsx").then(({ AuditPage }) => ({ default: AuditPage })));
const GrantsPage = lazy(() => import("../grants/grants-page.tsx").then(({ GrantsPage }) => ({ default: GrantsPage })));
const ModelsPage = lazy(() => import("../models/models-page.tsx").then(({ ModelsPage }) => ({ default: ModelsPage })));
const FirstRunPage = lazy(() => import("../first-run/first-run-page.tsx").then(({ FirstRunPage }) => ({ default: FirstRunPage })));
const BrowsersPage = lazy(() => import("../browsers/browsers-page.tsx").then(({ BrowsersPage }) => ({ default: BrowsersPage })));
const SearchPage = lazy(() => import("../chats/search-page.tsx").then(({ SearchPage }) => ({ default: SearchPage })));
const ArchivedPage = lazy(() => import("../chats/archived-page.tsx").then(({ ArchivedPage }) => ({ default: ArchivedPage })));
const SampleGuide = lazy(() => import("../first-run/sample-guide.tsx").then(({ SampleGuide }) => ({ default: SampleGuide })));

export function Shell() {
  const refused = useStored(({ connection }) => connection === "refused");
  if (refused) return <NoToken />;
  return (
    <Router hook={useHashLocation}>
      <Frame />
    </Router>
  );
}

function Frame() {
  const wide = useWide("(min-width: 48rem)");
  const [menu, setMenu] = useState(false);
  const [place] = useLocation();
  const connection = useStored(({ connection }) => connection);
  const waiting = useStored((state) => openAsks(state).length);
  const sample = useStored((state) => state.sample);
  useEffect(() => setMenu(false), [place]);
  return (
    <SidebarContext value={() => setMenu(true)}>
      <div className="flex h-full flex-col">
        <p role="status" className="sr-only">
          {waiting === 0 ? "" : waiting === 1 ? "An agent is waiting for you" : `${waiting} asks are waiting for you`}
        </p>
        <button
          type="button"
          className="sr-only rounded-lg bg-accent px-4 py-2 text-on-accent focus:not-sr-only focus:fixed! focus:top-2 focus:left-2 focus:z-50"
          onClick={() => {
            const main = document.querySelector("main");
            main?.setAttribute("tabindex", "-1");
            main?.focus();
          }}
        >
          Skip to the page
        </button>
        {connection === "lost" && (
          <header className="bg-deny-ground px-4 py-1.5 text-center text-sm text-deny">
            <p role="alert">The daemon cannot be reached. Nothing can be answered until it is back; trying again.</p>
          </header>
        )}
        <StoreLine />
        {sample !== null && (
          <Suspense>
            <SampleGuide sample={sample} />
          </Suspense>
        )}
        <div className="flex min-h-0 grow">
          {wide && (
            <aside aria-label="Sidebar" className="w-68 shrink-0 border-r border-line bg-surface">
              <Sidebar />
            </aside>
          )}
          {!wide && menu && (
            <Sheet open onOpenChange={setMenu} title="Menu" side="left">
              <Sidebar />
            </Sheet>
          )}
          <PageBoundary place={place}>
            <Suspense fallback={<main className="grow" aria-busy="true" />}>
              <Switch>
                <Route path="/inbox" component={InboxPage} />
                <Route path="/chat/:id/:message?">
                  {({ id, message }) => <ChatPage key={`${id}/${message}`} id={id} message={message ?? null} />}
                </Route>
                <Route path="/session/:id">{({ id }) => <DraftPage key={id} id={id} />}</Route>
                <Route path="/policy/:path?">{({ path }) => <PolicyPage path={decodeText(path ?? "")} />}</Route>
                <Route path="/grants" component={GrantsPage} />
                <Route path="/models" component={ModelsPage} />
                <Route path="/audit" component={AuditPage} />
                <Route path="/browsers" component={BrowsersPage} />
                <Route path="/search/:text?">{({ text }) => <SearchPage text={decodeText(text ?? "")} />}</Route>
                <Route path="/archived" component={ArchivedPage} />
                <Route path="/asks/:id">{({ id }) => <AskPage key={id} id={id} />}</Route>
                <Route path="/new" component={FirstRunPage} />
                <Route path="/" component={Home} />
                <Route>
                  <NoPage title="There is no such page">The address may be incomplete, or from another version.</NoPage>
                </Route>
              </Switch>
            </Suspense>
          </PageBoundary>
        </div>
      </div>
    </SidebarContext>
  );
}

/** The newest chat, or the beginning. */
function Home() {
  const projects = useStored(({ projects }) => projects);
  const chats = useStored(({ chats }) => chats);
  const newest = useMemo(
    () =>
      Object.values(chats)
        .filter(({ archivedAt }) => archivedAt === null)
        .sort((a, b) => b.at - a.at)[0],
    [chats],
  );
  if (projects === null) return <main className="grow" aria-busy="true" />;
  return <Redirect to={newest === undefined ? "/new" : `/chat/${newest.id}`} replace />;
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
