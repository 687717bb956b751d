// A root: a directory a session may enter, and where it comes from. What it gives follows from that and is not stored beside it.

import type { Right } from "../access.ts";
import type { LastingIdentity } from "../fs/identity.ts";
import type { GrantId, RealDir } from "../names.ts";

export { type Identity, isSame, type KeptIdentity, type LastingIdentity } from "../fs/identity.ts";

/** What a mount gives: reading; reading and writing, as the workspace does; or the same where no operation may span it and another root. */
export type MountMode = "read_only" | "extend" | "sandboxed";
/** Every mode of a mount. */
export const mountModes: readonly MountMode[] = ["read_only", "extend", "sandboxed"];

interface Place extends LastingIdentity {
  readonly dir: RealDir;
}

export type Workspace = Place & { readonly from: "workspace" };
export type Mount = Place & { readonly from: "mount"; readonly mode: MountMode };
/** A session grant's root has no mode: it only reads. */
export type GrantRoot = Place & {
  readonly from: "grant";
  readonly grant: GrantId;
  /** When it ends by itself; null: with the session. */ readonly expires: number | null;
};
/** A directory that is open to a session: its workspace, a mount or a grant. */
export type Root = Workspace | Mount | GrantRoot;

/** Does the root give this right to what is in it? */
export function gives(root: Root, right: Right): boolean {
  if (right === "read" || root.from === "workspace") return true;
  return root.from === "mount" && root.mode !== "read_only";
}
