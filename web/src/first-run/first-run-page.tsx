// No project yet: a directory, and a chat in it, in two clicks. Nothing is read before the person says what.

import FolderGit2 from "lucide-react/icons/folder-git-2";
import Hand from "lucide-react/icons/hand";
import LockKeyhole from "lucide-react/icons/lock-keyhole";
import Undo2 from "lucide-react/icons/undo-2";
import FlaskConical from "lucide-react/icons/flask-conical";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import { routes } from "../../../src/wire/http.ts";
import { useApp, useStored } from "../app-context.ts";
import { MenuButton } from "../frame/menu-button.tsx";
import { Button } from "../parts/button.tsx";
import { Form } from "../parts/field.tsx";
import { Problem } from "../parts/note.tsx";
import { ShortPath } from "../parts/shown.tsx";
import { TextLink } from "../parts/text-link.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { useWork } from "../parts/use-work.ts";
import { FolderField, type OfferedFolder } from "./folder-field.tsx";

const promises = [
  { Icon: Hand, title: "It asks", text: "before it reads another repository; a yes is for reading only" },
  { Icon: LockKeyhole, title: "Secrets stay hidden", text: "in every directory, whatever was allowed" },
  { Icon: Undo2, title: "You take it back", text: "with one click; the next read is denied" },
];

/** So many are offered of each kind; others are typed. */
const SHOWN = 8;

export function FirstRunPage() {
  const { daemon, directory } = useApp();
  const [, goTo] = useLocation();
  const projects = useStored(({ projects }) => projects);
  const [path, setPath] = useState(directory ?? "");
  const { busy, problem, during } = useWork();
  const sessions = useStored((state) => state.sessions);
  const { answer: found } = useAnswer(routes.foundProjects, {});
  // The one that was worked in last comes first.
  const recent = useMemo(() => {
    const used = (id: string, at: number): number =>
      Math.max(at, ...Object.values(sessions).flatMap((session) => (session.project === id ? [session.at] : [])));
    return (projects ?? []).toSorted((one, other) => used(other.id, other.at) - used(one.id, one.at)).slice(0, SHOWN);
  }, [projects, sessions]);
  const first = projects !== null && projects.length === 0;
  const begin = (workspace: string): void => void during(async () => goTo(`/session/${(await daemon.begin(workspace)).id}`));
  return (
    <main className="min-w-0 grow overflow-y-auto">
      <div className="p-2 md:hidden">
        <MenuButton />
      </div>
      <div className="mx-auto grid max-w-xl gap-7 px-5 py-10 md:py-[12vh]">
        <div>
          <h1 className="text-2xl font-semibold tracking-tight">{first ? "Give your agent one directory" : "New session"}</h1>
          <p className="mt-2 text-soft">
            An agent reads and writes in its workspace, and nowhere else. When it needs something outside, it asks. You see exactly what a
            yes would open, and you can take it back at any time.
          </p>
        </div>
        <Form
          className="grid gap-3 rounded-2xl border border-line bg-surface p-5"
          submit={() => {
            if (path.trim() !== "") begin(path.trim());
          }}
        >
          <label htmlFor="directory" className="text-sm font-medium">
            The workspace
          </label>
          <FolderField id="directory" path={path} onPath={setPath} />
          <Problem text={problem} />
          <Button type="submit" weight="solid" className="w-fit" disabled={busy || path.trim() === ""}>
            {busy ? "Opening…" : "Start here"}
          </Button>
          <p className="text-xs text-faint">
            You need no key and no account: a built-in agent answers until you choose a model under{" "}
            <TextLink href="/models">Models</TextLink>.
          </p>
        </Form>
        <section
          aria-label="Sample"
          className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-2xl border border-dashed border-line-strong p-4"
        >
          <p className="min-w-60 flex-1 text-sm text-soft">
            No project at hand? This creates a small shop in <code className="font-mono text-[0.9em]">~/hallpass-sample</code>, with another
            repository beside it, secrets and a link. You are asked, look, allow and take it back. It takes a minute.
          </p>
          <Button disabled={busy} onClick={() => void during(async () => goTo(`/chat/${(await daemon.beginSample()).id}`))}>
            <FlaskConical size={16} aria-hidden="true" /> Try it on a sample
          </Button>
        </section>
        {first && (
          <ul className="grid gap-3 text-sm text-soft sm:grid-cols-3">
            {promises.map(({ Icon, title, text }) => (
              <li key={title}>
                <Icon size={17} aria-hidden="true" className="mb-1.5 text-accent" />
                <p className="font-medium text-ink">{title}</p>
                <p>{text}</p>
              </li>
            ))}
          </ul>
        )}
        <Places title="Recent" places={recent} busy={busy} begin={begin} />
        <Places title="Repositories found in your home directory" places={(found ?? []).slice(0, SHOWN)} busy={busy} begin={begin} />
      </div>
    </main>
  );
}

interface PlacesProps {
  readonly title: string;
  readonly places: readonly Pick<OfferedFolder, "path">[];
  readonly busy: boolean;
  readonly begin: (path: string) => void;
}

function Places({ title, places, busy, begin }: PlacesProps) {
  if (places.length === 0) return null;
  return (
    <section aria-label={title} className="grid gap-2">
      <h2 className="text-sm font-medium">{title}</h2>
      <ul className="grid gap-1.5">
        {places.map(({ path }) => (
          <li key={path}>
            <button
              type="button"
              disabled={busy}
              onClick={() => begin(path)}
              className="flex min-h-11 w-full items-center gap-3 rounded-xl border border-line bg-surface px-4 text-start text-sm hover:border-accent"
            >
              <FolderGit2 size={16} aria-hidden="true" className="shrink-0 text-faint" />
              <span className="min-w-0">
                <ShortPath path={path} width={70} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
