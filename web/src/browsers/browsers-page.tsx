// The browsers that are signed in: which, since when, last seen when; each can be signed out by itself, and another one let in by a code.

import MonitorSmartphone from "lucide-react/icons/monitor-smartphone";
import { useCallback, useEffect, useState } from "react";
import type { z } from "zod";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { Page } from "../frame/page.tsx";
import { Button } from "../parts/button.tsx";
import { Shown } from "../parts/shown.tsx";
import { useWork } from "../parts/use-work.ts";
import { count } from "../words/counts.ts";
import { clockTime } from "../words/times.ts";
import { Notices } from "./notices.tsx";
import { Pairing } from "./pairing.tsx";

type Browsers = z.infer<typeof routes.listBrowsers.answer>;

export function BrowsersPage() {
  const { client } = useApp();
  const { problem, during } = useWork();
  const [browsers, setBrowsers] = useState<Browsers | null>(null);
  const refresh = useCallback(() => void during(async () => setBrowsers(await client.send(routes.listBrowsers, {}))), [client, during]);
  useEffect(refresh, [refresh]);
  const now = Date.now();
  return (
    <Page
      title="Browsers"
      says={browsers === null ? "" : `${count(browsers.length, "browser")} signed in`}
      busy={browsers === null && problem === null}
      problem={problem}
      className="max-w-2xl gap-6"
    >
      <ul aria-label="Signed in" className="grid gap-2">
        {(browsers ?? []).map((browser) => (
          <li key={browser.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-xl border border-line bg-surface px-4 py-2.5">
            <MonitorSmartphone size={18} aria-hidden="true" className="shrink-0 text-faint" />
            <div className="min-w-0 flex-1">
              <p className="text-sm font-medium">
                <Shown text={browser.name} width={60} />
                {browser.isThis && <span className="ms-2 text-xs font-normal text-accent">this browser</span>}
              </p>
              <p className="text-xs text-faint">
                since {clockTime(browser.at, now)} · last seen {clockTime(browser.seenAt, now)}
              </p>
            </div>
            <Button
              size="small"
              weight="danger"
              className="pointer-coarse:min-h-11"
              onClick={() => void during(async () => setBrowsers(await client.send(routes.removeBrowser, { id: browser.id })))}
            >
              Sign out<span className="sr-only"> {browser.name}</span>
            </Button>
          </li>
        ))}
      </ul>
      <Pairing refresh={refresh} />
      <Notices />
    </Page>
  );
}
