// The pictures of a message that was sent: fetched when they are shown.

import { useEffect, useState } from "react";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";

export interface SentPicturesProps {
  readonly chat: string;
  readonly message: string;
  readonly count: number;
}

export function SentPictures({ chat, message, count }: SentPicturesProps) {
  return (
    <ul className="mb-2 flex flex-wrap justify-end gap-2" aria-label="Pictures">
      {Array.from({ length: count }, (_, place) => (
        <li key={place}>
          <SentPicture chat={chat} message={message} place={place} />
        </li>
      ))}
    </ul>
  );
}

function SentPicture({ chat, message, place }: Omit<SentPicturesProps, "count"> & { readonly place: number }) {
  const { client } = useApp();
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const given = new AbortController();
    client.send(routes.picture, { id: chat, query: { message, place }, signal: given.signal }).then(
      ({ type, data }) => setAddress(`data:${type};base64,${data}`),
      () => {},
    );
    return () => given.abort();
  }, [client, chat, message, place]);
  // Its place is kept while it comes, so that nothing jumps.
  return (
    <div className="grid h-40 min-w-24 place-items-center overflow-hidden rounded-lg bg-raised">
      {address !== null && <img src={address} alt={`Picture ${place + 1} you sent`} className="max-h-40 max-w-full object-contain" />}
    </div>
  );
}
