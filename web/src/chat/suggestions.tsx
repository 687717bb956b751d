// An empty chat: what to try first. One of the offers walks through the whole flow: the agent wants a file outside, is stopped, asks, and
// a card appears.

import { useState } from "react";
import type { WireSession } from "../../../src/wire/values.ts";
import { useNeighbours } from "../first-run/use-neighbours.ts";
import { Button } from "../parts/button.tsx";
import { Field, Form } from "../parts/field.tsx";
import { FullPath, ShortPath } from "../parts/shown.tsx";

export function Suggestions({ session, say }: { readonly session: WireSession; readonly say: (text: string) => void }) {
  const [place, setPlace] = useState("");
  const neighbours = useNeighbours(session);
  const offers = ["List the files here", "What can you read and write?", ...neighbours.map((path) => `List ${path}`)];
  return (
    <div className="mx-auto grid max-w-2xl gap-6 px-5 py-10">
      <div>
        <h2 className="text-xl font-semibold tracking-tight">What should it do?</h2>
        <p className="mt-1 text-sm text-soft">
          The agent reads and writes in <FullPath path={session.workspace} className="text-ink" />. To read anything else it has to ask you,
          and secrets stay hidden.
        </p>
      </div>
      <ul className="grid gap-2 sm:grid-cols-2">
        {offers.map((offer) => (
          <li key={offer} className="sm:odd:last:col-span-2">
            <button
              type="button"
              className="h-full min-h-14 w-full rounded-xl border border-line bg-surface px-4 py-2.5 text-left text-sm hover:border-accent hover:bg-accent-ground"
              onClick={() => say(offer)}
            >
              {offer.startsWith("List /") ? (
                <>
                  List <ShortPath path={offer.slice(5)} width={40} />
                  <span className="block text-xs text-faint">outside: it will have to ask</span>
                </>
              ) : (
                offer
              )}
            </button>
          </li>
        ))}
      </ul>
      <Form
        className="grid gap-2 rounded-xl border border-line bg-surface p-4"
        submit={() => {
          if (place.trim() !== "") say(`Read ${place.trim()}`);
        }}
      >
        <label className="text-sm font-medium" htmlFor="outside">
          See how asking works
        </label>
        <p className="text-sm text-soft">
          Name a file in another repository on this machine. The agent tries to read it, is stopped, and asks. You see exactly what a yes
          would open.
        </p>
        <div className="flex flex-wrap gap-2">
          <Field
            id="outside"
            className="min-w-56 flex-1 font-mono"
            placeholder="/path/to/another/repository/README.md"
            value={place}
            set={setPlace}
          />
          <Button type="submit" weight="solid" disabled={place.trim() === ""}>
            Try it
          </Button>
        </div>
      </Form>
    </div>
  );
}
