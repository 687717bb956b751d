// A line over every page while the daemon's store is not well: what it cannot read is in no list, and nobody would miss it.

import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { routes } from "../../../src/wire/http.ts";
import { storeFaults } from "../../../src/wire/words.ts";
import { useApp, useStored } from "../app-context.ts";

export function StoreLine() {
  const { client, quiet } = useApp();
  const isLive = useStored(({ connection }) => connection === "live");
  const [place] = useLocation();
  const [faults, setFaults] = useState<readonly string[]>([]);
  useEffect(() => {
    if (isLive)
      client.send(routes.health, {}).then(
        (health) => setFaults(storeFaults(health)),
        () => {},
      );
  }, [client, isLive, place]);
  // It moves what is under the person's hand.
  useEffect(() => quiet.disturb(), [quiet, faults.length]);
  if (faults.length === 0) return null;
  return (
    <header className="bg-deny-ground px-4 py-1.5 text-center text-sm text-deny">
      {faults.map((fault) => (
        <p key={fault} role="alert">
          The daemon reports a problem: {fault}.
        </p>
      ))}
    </header>
  );
}
