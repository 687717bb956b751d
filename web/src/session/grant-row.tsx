// One grant: what it opens, who gave it, when and for which words, what was read under it, and Revoke.

import { useState } from "react";
import { personWords } from "../../../src/core/guard/card.ts";
import { grantName, isNetwork } from "../../../src/core/guard/explain.ts";
import { routes } from "../../../src/wire/http.ts";
import { UNCOUNTED, usedWords } from "../../../src/wire/used-words.ts";
import type { WireGrant, WireRead } from "../../../src/wire/values.ts";
import { useApp } from "../app-context.ts";
import { Button } from "../parts/button.tsx";
import { FullPath, ShortPath, Shown } from "../parts/shown.tsx";
import { clockTime, exactTime } from "../words/times.ts";

/** How it ended; null where it holds. Whoever revokes what is over already ends nothing. */
function endedWords({ revokedAt, expires, live }: WireGrant, now: number): string | null {
  if (expires !== null && expires <= (revokedAt ?? now)) return `expired ${clockTime(expires, now)}`;
  if (revokedAt !== null) return `revoked ${clockTime(revokedAt, now)}`;
  return live ? null : "another directory is there now";
}

export function GrantRow({ grant, revoke }: { readonly grant: WireGrant; readonly revoke: (() => void) | null }) {
  const { client } = useApp();
  const now = Date.now();
  const ended = endedWords(grant, now);
  return (
    <li className="rounded-lg border border-line px-3 py-2.5 text-sm">
      <div className="flex items-start gap-2">
        <Granted path={grant.path} />
        {revoke !== null && (
          <Button size="small" weight="danger" onClick={revoke} aria-label={`Revoke ${grantName(grant.path)}`}>
            Revoke
          </Button>
        )}
      </div>
      <p className="mt-1 text-xs text-soft">
        given by <Shown text={personWords(grant.by)} /> · <time title={exactTime(grant.at)}>{clockTime(grant.at, now)}</time> ·{" "}
        {ended ?? (grant.expires === null ? "until the session ends" : `until ${clockTime(grant.expires, now)}`)}
      </p>
      {grant.words !== null && (
        <p className="mt-1 text-xs text-soft">
          the agent said (unverified): <Shown text={grant.words} width={200} />
        </p>
      )}
      <Reads of={grant} isComplete load={() => client.send(routes.grantReads, { id: grant.id, query: { limit: 100 } })} />
    </li>
  );
}

/** What a grant or a kept rule opens: a directory, or the network. */
export function Granted({ path }: { readonly path: string }) {
  return isNetwork(path) ? (
    <span className="min-w-0 grow font-semibold">{grantName(path)}</span>
  ) : (
    <FullPath path={path} className="min-w-0 grow font-semibold" />
  );
}

interface ReadsProps {
  readonly of: { readonly path: string; readonly reads: number; readonly lastRead: number | null };
  /** False where there may be more than were counted. */
  readonly isComplete: boolean;
  readonly load: () => Promise<readonly WireRead[]>;
}

/** How many reads were counted under it, or commands that used the network; opened, which. */
export function Reads({ of, isComplete, load }: ReadsProps) {
  const [reads, setReads] = useState<readonly WireRead[] | null>(null);
  const now = Date.now();
  return (
    <details
      className="mt-1 text-xs"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) load().then(setReads, () => setReads([]));
      }}
    >
      <summary className="w-fit rounded text-soft pointer-coarse:py-3.5">
        {usedWords(of, isComplete)}
        {of.lastRead !== null && `, last ${clockTime(of.lastRead, now)}`}
      </summary>
      {!isNetwork(of.path) && <p className="mt-1 text-faint">{UNCOUNTED}</p>}
      <ul className="mt-1 grid gap-0.5">
        {(reads ?? []).map(({ path, at, operation }, index) => (
          <li key={index} className="flex gap-2">
            <time className="shrink-0 text-faint">{clockTime(at, now)}</time>
            <span className="shrink-0 text-faint">{operation}</span>
            {isNetwork(path) ? grantName(path) : <ShortPath path={path} width={60} />}
          </li>
        ))}
      </ul>
    </details>
  );
}
