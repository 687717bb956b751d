// No project yet: a directory, and a chat in it, in two clicks. Nothing is read before the person says what.

import FolderGit2 from "lucide-react/icons/folder-git-2";
import Hand from "lucide-react/icons/hand";
import LockKeyhole from "lucide-react/icons/lock-keyhole";
import Undo2 from "lucide-react/icons/undo-2";
import { useState } from "react";
import { useLocation } from "wouter";
import { useApp, useStored } from "../app-context.ts";
import { MenuButton } from "../frame/menu-button.tsx";
import { Button } from "../parts/button.tsx";
import { fieldClass, Note } from "../parts/note.tsx";
import { ShortPath } from "../parts/shown.tsx";

const promises = [
  { Icon: Hand, title: "It asks", text: "for every directory outside, once a session, for reading only" },
  { Icon: LockKeyhole, title: "Secrets stay hidden", text: "in every directory, whatever was allowed" },
  { Icon: Undo2, title: "You take it back", text: "with one click; the next read is denied" },
];

export function FirstRunPage() {
  const { daemon, directory } = useApp();
  const [, goTo] = useLocation();
  const projects = useStored(({ projects }) => projects);
  const [path, setPath] = useState(directory ?? "");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const first = projects !== null && projects.length === 0;
  const begin = async (workspace: string): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      const session = await daemon.begin(workspace);
      goTo(`/session/${session.id}`);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className="min-w-0 grow overflow-y-auto">
      <div className="p-2 md:hidden">
        <MenuButton />
      </div>
      <div className="mx-auto grid max-w-xl gap-7 px-5 py-10 md:py-[12vh]">
        <div>
          <h1 className="text-2xl font-semibold tracking-tight">{first ? "Give your agent one directory" : "New session"}</h1>
          <p className="mt-2 text-soft">
            It reads and writes there, and nowhere else. When it needs something outside, it asks, you see exactly what a yes would open,
            and you can take it back at any time.
          </p>
        </div>
        <form
          className="grid gap-3 rounded-2xl border border-line bg-surface p-5"
          onSubmit={(event) => {
            event.preventDefault();
            if (path.trim() !== "") void begin(path.trim());
          }}
        >
          <label htmlFor="directory" className="text-sm font-medium">
            The workspace
          </label>
          <input
            id="directory"
            className={`${fieldClass} font-mono`}
            placeholder="~/code/project"
            value={path}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setPath(target.value)}
          />
          {problem !== null && <Note kind="problem">{problem}</Note>}
          <Button type="submit" weight="solid" className="w-fit" disabled={busy || path.trim() === ""}>
            {busy ? "Opening…" : "Begin here"}
          </Button>
          <p className="text-xs text-faint">No key and no account are needed: without a model of your own, an offline agent answers.</p>
        </form>
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
        {projects !== null && projects.length > 0 && (
          <section aria-label="Projects" className="grid gap-2">
            <h2 className="text-sm font-medium">Or in a project that is known already</h2>
            <ul className="grid gap-1.5">
              {projects.map((project) => (
                <li key={project.id}>
                  <button
                    type="button"
                    disabled={busy}
                    onClick={() => void begin(project.path)}
                    className="flex min-h-11 w-full items-center gap-3 rounded-xl border border-line bg-surface px-4 text-left text-sm hover:border-accent"
                  >
                    <FolderGit2 size={16} aria-hidden="true" className="shrink-0 text-faint" />
                    <span className="min-w-0">
                      <ShortPath path={project.path} width={70} />
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </main>
  );
}
