// The roots of a session, as the X-ray begins with them.

import type { WireSession } from "../../../src/wire/values.ts";

export interface XrayRoot {
  readonly path: string;
  readonly label: string;
  readonly kind: "workspace" | "mount" | "grant";
}

export function rootsOf(session: WireSession): readonly XrayRoot[] {
  return [
    { path: session.workspace, label: "workspace", kind: "workspace" as const },
    ...session.mounts.map(({ path, mode }) => ({ path, label: `mount (${mode})`, kind: "mount" as const })),
    ...session.allowed_read_paths.map((path) => ({ path, label: "granted for reading", kind: "grant" as const })),
  ];
}
