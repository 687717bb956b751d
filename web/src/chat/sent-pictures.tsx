// The pictures of a message that was sent: fetched when they are shown.

import { routes } from "../../../src/wire/http.ts";
import { useAnswer } from "../parts/use-answer.ts";

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
  const { answer: picture } = useAnswer(routes.picture, { id: chat, query: { message, place } });
  // Its place is kept while it comes, so that nothing jumps.
  return (
    <div className="grid h-40 min-w-24 place-items-center overflow-hidden rounded-lg bg-raised">
      {picture !== null && (
        <img
          src={`data:${picture.type};base64,${picture.data}`}
          alt={`Picture ${place + 1} you sent`}
          className="max-h-40 max-w-full object-contain"
        />
      )}
    </div>
  );
}
