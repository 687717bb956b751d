// The roots of a session, as the X-ray begins with them.

import type { WireAsk, WireSession } from "../../../src/wire/values.ts";

export interface XrayRoot {
  readonly path: string;
  readonly label: string;
  readonly kind: "workspace" | "mount" | "grant";
  /** Seen after a yes to this, and not to what is proposed. */
  readonly opens?: "folder" | "repository";
}

/** What the choices of an ask open, each as it would be seen. */
export function offersOf({ proposal, folder, repository }: WireAsk): readonly XrayRoot[] {
  const kind = "grant" as const;
  return [
    ...(proposal === null ? [] : [{ path: proposal.dir, label: "a yes opens", kind }]),
    ...(folder === null ? [] : [{ path: folder, label: "only the folder", kind, opens: "folder" as const }]),
    ...(repository === null ? [] : [{ path: repository.dir, label: "the whole repository", kind, opens: "repository" as const }]),
  ];
}

export function rootsOf(session: WireSession): readonly XrayRoot[] {
  return [
    { path: session.workspace, label: "workspace", kind: "workspace" as const },
    ...session.mounts.map(({ path, mode }) => ({ path, label: `mount (${mode})`, kind: "mount" as const })),
    ...session.allowed_read_paths.map((path) => ({ path, label: "granted for reading", kind: "grant" as const })),
  ];
}
