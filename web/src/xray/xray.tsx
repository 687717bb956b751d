// X-ray: the directory tree as the agent sees it. Fetched one directory at a time, when it is opened; every entry carries its state in
// colour, sign and word, and why.

import { clsx } from "clsx";
import Ban from "lucide-react/icons/ban";
import ChevronRight from "lucide-react/icons/chevron-right";
import EyeOff from "lucide-react/icons/eye-off";
import Eye from "lucide-react/icons/eye";
import FolderCheck from "lucide-react/icons/folder-check";
import FolderGit2 from "lucide-react/icons/folder-git-2";
import FolderSymlink from "lucide-react/icons/folder-symlink";
import LockKeyhole from "lucide-react/icons/lock-keyhole";
import Pencil from "lucide-react/icons/pencil";
import { useState } from "react";
import type { z } from "zod";
import { meanings } from "../../../src/core/guard/explain.ts";
import { routes, type treeEntrySchema } from "../../../src/wire/http.ts";
import { Note } from "../parts/note.tsx";
import { FullPath, Shown } from "../parts/shown.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import type { XrayRoot } from "./roots.ts";

type Entry = z.infer<typeof treeEntrySchema>;
type EntryColor = "writable" | "readable" | "secret" | "denied" | "outside";

const looks: Readonly<
  Record<EntryColor, { readonly Icon: typeof Eye; readonly className: string; readonly word: string; readonly says: string }>
> = {
  writable: { Icon: Pencil, className: "text-accent", word: "writable", says: "it may read and change it" },
  readable: { Icon: Eye, className: "text-allow", word: "readable", says: "it may read it" },
  secret: { Icon: LockKeyhole, className: "text-secret", word: "secret", says: "hidden, whatever was allowed" },
  denied: { Icon: Ban, className: "text-deny", word: "denied", says: "denied by a rule" },
  outside: { Icon: EyeOff, className: "text-faint", word: "outside", says: "only after a yes" },
};
const order: readonly EntryColor[] = ["writable", "readable", "secret", "denied", "outside"];

const lookOf = ({ state, reason }: Entry): EntryColor => (state !== "withheld" ? state : reason === "secret-file" ? "secret" : "denied");

const rootLooks: Readonly<Record<XrayRoot["kind"], { readonly Icon: typeof Eye; readonly text: string; readonly edge: string }>> = {
  workspace: { Icon: FolderGit2, text: "text-accent", edge: "border-l-accent" },
  mount: { Icon: FolderSymlink, text: "text-mount", edge: "border-l-mount" },
  grant: { Icon: FolderCheck, text: "text-allow", edge: "border-l-allow" },
};

export interface XrayProps {
  readonly session: string;
  /** As it would be after a yes to this ask; null: as it is. */
  readonly ask: string | null;
  readonly roots: readonly XrayRoot[];
}

export function Xray({ session, ask, roots }: XrayProps) {
  return (
    <div className="grid gap-4 p-4">
      <ul aria-label="Legend" className="grid gap-x-6 gap-y-1 text-xs sm:grid-cols-2">
        {order.map((look) => {
          const { Icon, className, word, says } = looks[look];
          return (
            <li key={look} className="flex items-center gap-1.5">
              <Icon size={14} aria-hidden="true" className={className} />
              <span className={clsx("w-16 font-semibold", className)}>{word}</span>
              <span className="text-faint">{says}</span>
            </li>
          );
        })}
      </ul>
      {ask !== null && <Note>This shows what it could see after a yes for the session. Nothing is granted yet.</Note>}
      {roots.map(({ path, label, kind, opens }) => {
        const { Icon, text, edge } = rootLooks[kind];
        return (
          <section
            key={`${kind} ${path}`}
            role="group"
            aria-label={label}
            className={clsx("rounded-lg border border-l-4 border-line", edge)}
          >
            <div className="border-b border-line px-3 py-2">
              <p className={clsx("flex items-center gap-1.5 text-2xs font-semibold tracking-wide uppercase", text)}>
                <Icon size={13} aria-hidden="true" /> {label}
              </p>
              <FullPath path={path} className="font-semibold" />
            </div>
            <div className="p-1.5">
              <Branch look={{ session, ask, opens }} path={path} />
            </div>
          </section>
        );
      })}
    </div>
  );
}

/** Whose eyes these are, and after which yes. */
type XrayView = Pick<XrayProps, "session" | "ask"> & { readonly opens: XrayRoot["opens"] | undefined };

/** One directory's entries. */
function Branch({ look, path }: { readonly look: XrayView; readonly path: string }) {
  const { session, ask, opens } = look;
  const { answer: found, problem } = useAnswer(routes.tree, { id: session, query: { path, limit: 300, ask: ask ?? undefined, opens } });
  if (problem !== null) return <Note kind="problem">{problem}</Note>;
  if (found === null) return <p className="px-2 py-1 text-xs text-faint">Looking…</p>;
  if (found.entries.length === 0) return <p className="px-2 py-1 text-xs text-faint">empty</p>;
  return (
    <ul>
      {found.entries.map((entry) => (
        <Leaf key={entry.path} through={look} entry={entry} />
      ))}
      {found.more && <li className="px-2 py-1 text-xs text-faint">and more than are shown</li>}
    </ul>
  );
}

function Leaf({ through, entry }: { readonly through: XrayView; readonly entry: Entry }) {
  const [open, setOpen] = useState(false);
  const look = lookOf(entry);
  const { Icon, className, word } = looks[look];
  const opens = entry.kind === "directory" && (entry.state === "readable" || entry.state === "writable");
  const known: Readonly<Record<string, string>> = meanings;
  const line = (
    <>
      <ChevronRight
        size={14}
        aria-hidden="true"
        className={clsx("shrink-0 text-faint transition-transform", open && "rotate-90", !opens && "invisible")}
      />
      <Icon size={14} aria-hidden="true" className={clsx("shrink-0", className)} />
      <span
        className={clsx(
          "min-w-0 grow font-mono text-[0.82rem]",
          entry.state === "withheld" && "line-through decoration-1 opacity-80",
          entry.state === "outside" && "text-faint",
        )}
      >
        <Shown text={entry.kind === "directory" ? `${entry.name}/` : entry.name} />
        {entry.leads !== null && (
          <span className="text-faint">
            {" → "}
            <Shown text={entry.leads} />
          </span>
        )}
      </span>
      <span className={clsx("text-2xs whitespace-nowrap", className)} title={known[entry.reason] ?? entry.reason}>
        {entry.state === "withheld" ? `${lookOf(entry) === "secret" ? "hidden" : "denied"} · ${entry.reason}` : word}
      </span>
    </>
  );
  return (
    <li>
      {opens ? (
        <button
          type="button"
          aria-expanded={open}
          className="flex min-h-7 w-full items-center gap-1.5 rounded-md px-1.5 text-left hover:bg-raised"
          onClick={() => setOpen(!open)}
        >
          {line}
        </button>
      ) : (
        <div className="flex min-h-7 items-center gap-1.5 px-1.5">{line}</div>
      )}
      {open && (
        <div className="ml-4 border-l border-line pl-1.5">
          <Branch look={through} path={entry.path} />
        </div>
      )}
    </li>
  );
}
