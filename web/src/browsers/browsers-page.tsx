// The browsers that are signed in: which, since when, last seen when; each can be signed out by itself, and another one let in by a code.

import MonitorSmartphone from "lucide-react/icons/monitor-smartphone";
import { useCallback, useEffect, useState } from "react";
import type { z } from "zod";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { PageHead } from "../frame/page-head.tsx";
import { Button } from "../parts/button.tsx";
import { Note } from "../parts/note.tsx";
import { Shown } from "../parts/shown.tsx";
import { count } from "../words/counts.ts";
import { clockTime } from "../words/times.ts";
import { Notices } from "./notices.tsx";
import { Pairing } from "./pairing.tsx";

type Browsers = z.infer<typeof routes.listBrowsers.answer>;

export function BrowsersPage() {
  const { client } = useApp();
  const [browsers, setBrowsers] = useState<Browsers | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const fetched = useCallback(async (work: Promise<Browsers>): Promise<void> => {
    try {
      setBrowsers(await work);
      setProblem(null);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }, []);
  const refresh = useCallback(() => void fetched(client.send(routes.listBrowsers, {})), [client, fetched]);
  useEffect(refresh, [refresh]);
  const now = Date.now();
  return (
    <main className="flex min-w-0 grow flex-col" aria-busy={browsers === null && problem === null}>
      <PageHead title="Browsers" says={browsers === null ? "" : `${count(browsers.length, "browser")} signed in`} />
      <div className="min-h-0 grow overflow-y-auto">
        <div className="mx-auto grid max-w-2xl grid-cols-1 gap-6 px-4 py-5">
          {problem !== null && <Note kind="problem">{problem}</Note>}
          <ul aria-label="Signed in" className="grid gap-2">
            {(browsers ?? []).map((browser) => (
              <li
                key={browser.id}
                className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-xl border border-line bg-surface px-4 py-2.5"
              >
                <MonitorSmartphone size={18} aria-hidden="true" className="shrink-0 text-faint" />
                <div className="min-w-0 flex-1">
                  <p className="text-sm font-medium">
                    <Shown text={browser.name} width={60} />
                    {browser.isThis && <span className="ms-2 text-xs font-normal text-accent">this one</span>}
                  </p>
                  <p className="text-xs text-faint">
                    since {clockTime(browser.at, now)} · last seen {clockTime(browser.seenAt, now)}
                  </p>
                </div>
                <Button
                  size="small"
                  weight="danger"
                  className="pointer-coarse:min-h-11"
                  onClick={() => void fetched(client.send(routes.removeBrowser, { id: browser.id }))}
                >
                  Sign out<span className="sr-only"> {browser.name}</span>
                </Button>
              </li>
            ))}
          </ul>
          <Pairing refresh={refresh} />
          <Notices />
        </div>
      </div>
    </main>
  );
}
