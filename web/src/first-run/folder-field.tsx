// A field for a directory of this machine: what is there is offered as one types, and chosen by keys or a press. Enter in it begins.

import { clsx } from "clsx";
import Folder from "lucide-react/icons/folder";
import FolderGit2 from "lucide-react/icons/folder-git-2";
import { type KeyboardEvent, useRef, useState } from "react";
import { show } from "../../../src/core/path/show.ts";
import { routes } from "../../../src/wire/http.ts";
import { useApp } from "../app-context.ts";
import { Field } from "../parts/field.tsx";
import { useDebounced } from "../parts/use-answer.ts";
import { useFirstFocus } from "../parts/use-first-focus.ts";

export interface OfferedFolder {
  readonly path: string;
  readonly isRepository: boolean;
}

export interface FolderFieldProps {
  readonly id: string;
  readonly path: string;
  readonly onPath: (path: string) => void;
}

/** Milliseconds without a key before it is looked up. */
const PAUSE = 120;

export function FolderField({ id, path, onPath }: FolderFieldProps) {
  const { client } = useApp();
  const field = useRef<HTMLInputElement>(null);
  useFirstFocus(field);
  const [typed, setTyped] = useState<string | null>(null);
  const [found, setFound] = useState<readonly OfferedFolder[]>([]);
  const [chosen, setChosen] = useState(-1);
  const look = async (signal: AbortSignal): Promise<void> => {
    const folders = typed === null ? [] : await client.send(routes.directories, { query: { prefix: typed }, signal }).catch(() => []);
    if (signal.aborted) return;
    setFound(folders);
    setChosen(-1);
  };
  useDebounced(PAUSE, look, [client, typed]);
  // What is typed in full needs no offer, which would lie over the button that begins.
  const isWhole = found.length === 1 && found[0]?.isRepository === true && found[0].path === typed;
  const offers = typed === null || isWhole ? [] : found;

  const type = (text: string): void => {
    onPath(text);
    setTyped(text);
  };
  /** A repository is what was looked for; anything else is looked into. */
  const take = ({ path: taken, isRepository }: OfferedFolder): void => {
    onPath(isRepository ? taken : `${taken}/`);
    setTyped(isRepository ? null : `${taken}/`);
    setChosen(-1);
    field.current?.focus();
  };
  const handleKey = (event: KeyboardEvent): void => {
    const offer = offers[chosen];
    if (event.key === "Escape" && typed !== null) {
      event.preventDefault();
      setTyped(null);
    } else if (event.key === "ArrowDown" && offers.length === 0) {
      setTyped(path);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && offers.length > 0) {
      event.preventDefault();
      setChosen(event.key === "ArrowDown" ? (chosen + 1) % offers.length : (Math.max(chosen, 0) + offers.length - 1) % offers.length);
    } else if (event.key === "Enter" && offer !== undefined) {
      event.preventDefault();
      take(offer);
    } else if (event.key === "Enter") {
      // What it answers stands below the field, where the offers would lie over it.
      setTyped(null);
    } else if (event.key === "Tab" && !event.shiftKey && offers.length > 0 && path !== "") {
      event.preventDefault();
      take(offer ?? offers[0] ?? { path, isRepository: false });
    }
  };
  const isOpen = typed !== null && offers.length > 0;
  return (
    <div className="relative">
      <Field
        ref={field}
        id={id}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls="folders"
        aria-autocomplete="list"
        {...(isOpen && chosen >= 0 ? { "aria-activedescendant": `folder-${chosen}` } : {})}
        dir="ltr"
        className="font-mono"
        placeholder="~/code/project"
        value={path}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        set={type}
        onClick={() => setTyped(path)}
        onKeyDown={handleKey}
        onBlur={() => setTyped(null)}
      />
      {isOpen && (
        <ul
          id="folders"
          role="listbox"
          aria-label="Directories"
          dir="ltr"
          className="absolute inset-x-0 top-full z-10 mt-1 max-h-72 overflow-y-auto rounded-xl border border-line bg-surface p-1.5 shadow-lift"
        >
          {offers.map((offer, index) => (
            <li
              key={offer.path}
              id={`folder-${index}`}
              role="option"
              aria-selected={index === chosen}
              className={clsx(
                "flex min-h-9 items-center gap-2.5 rounded-md px-2.5 text-sm hover:bg-raised pointer-coarse:min-h-11",
                index === chosen && "bg-raised",
              )}
              onPointerDown={(event) => {
                event.preventDefault();
                take(offer);
              }}
            >
              {offer.isRepository ? (
                <FolderGit2 size={15} aria-hidden="true" className="shrink-0 text-accent" />
              ) : (
                <Folder size={15} aria-hidden="true" className="shrink-0 text-faint" />
              )}
              <code className="min-w-0 truncate font-mono text-[0.9em]">{show(offer.path)}</code>
              {offer.isRepository && <span className="ml-auto shrink-0 text-xs text-faint">repository</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
