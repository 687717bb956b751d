// The roots of a session, as the X-ray begins with them.

import type { WireSession } from "../../../src/wire/values.ts";

export interface Root {
  readonly path: string;
  readonly label: string;
}

export function rootsOf(session: WireSession): readonly Root[] {
  return [
    { path: session.workspace, label: "workspace" },
    ...session.mounts.map(({ path, mode }) => ({ path, label: `mount (${mode})` })),
    ...session.allowed_read_paths.map((path) => ({ path, label: "granted for reading" })),
  ];
}
