// The further roots of a session, which the operator put there: add one, change its mode, take it out.

import Trash2 from "lucide-react/icons/trash-2";
import { useState } from "react";
import { show } from "../../../src/core/path/show.ts";
import { routes } from "../../../src/wire/http.ts";
import type { WireSession } from "../../../src/wire/values.ts";
import { useApp } from "../app-context.ts";
import { mountModes } from "../../../src/slash/slash-commands.ts";
import { Button } from "../parts/button.tsx";
import { Field, Form, Select } from "../parts/field.tsx";
import { IconButton } from "../parts/icon-button.tsx";
import { SectionHeading } from "../parts/note.tsx";
import { FullPath } from "../parts/shown.tsx";

const says = {
  read_only: "reading only",
  extend: "reading and writing",
  sandboxed: "reading and writing, but nothing moves between it and the rest",
};

const modes = mountModes.map((one) => [one, `${one}: ${says[one]}`] as const);

export function Mounts({ session, fail }: { readonly session: WireSession; readonly fail: (error: unknown) => void }) {
  const { client, daemon } = useApp();
  const [path, setPath] = useState("");
  const [mode, setMode] = useState<(typeof mountModes)[number]>("read_only");
  const put = async (body: { path: string; mode: (typeof mountModes)[number] }): Promise<void> => {
    daemon.session(await client.send(routes.addMount, { id: session.id, body }));
  };
  const takeOut = async (mountPath: string): Promise<void> => {
    daemon.session(await client.send(routes.removeMount, { id: session.id, body: { path: mountPath } }));
  };
  return (
    <section>
      <SectionHeading>Mounts</SectionHeading>
      <ul className="grid grid-cols-1 gap-2">
        {session.mounts.map((mount) => (
          <li key={mount.path} className="rounded-lg border border-line px-3 py-2 text-sm">
            <FullPath path={mount.path} className="font-semibold" />
            <div className="mt-1.5 flex items-center gap-2">
              <Select
                label={`Mode of ${show(mount.path)}`}
                value={mount.mode}
                set={(next) => void put({ path: mount.path, mode: next }).catch(fail)}
                options={modes}
                className="min-h-8! min-w-0 flex-1 text-xs!"
              />
              <IconButton
                label={`Unmount ${show(mount.path)}`}
                Icon={Trash2}
                sign={15}
                onClick={() => void takeOut(mount.path).catch(fail)}
              />
            </div>
          </li>
        ))}
      </ul>
      <Form
        className="mt-2 grid grid-cols-1 gap-2"
        submit={() => {
          if (path.trim() !== "") put({ path: path.trim(), mode }).then(() => setPath(""), fail);
        }}
      >
        <Field className="font-mono" aria-label="Directory to mount" placeholder="/path/of/a/directory" value={path} set={setPath} />
        <div className="flex gap-2">
          <Select label="Mode" value={mode} set={setMode} options={modes} className="min-w-0 flex-1" />
          <Button type="submit" disabled={path.trim() === ""}>
            Mount
          </Button>
        </div>
      </Form>
    </section>
  );
}
