// What the kernel says is mounted decides, not what was asked for.

import { expect, test } from "vitest";
import { misplaced, mountIn, numberedMounts, strayCover } from "./mount-table.ts";
import type { SandboxMount } from "./mount-draft.ts";
import { pin } from "../core/fs/pin.ts";

const table = `65 42 0:40 /newroot / ro,nosuid - tmpfs tmpfs rw
79 77 254:0 /home/ada/ws /home/ada/ws rw,nosuid,nodev,relatime shared:1 - ext4 /dev/vda rw
80 79 254:0 /lib /home/ada/my\\040lib ro,nosuid - ext4 /dev/vda rw
81 79 0:6 /null /home/ada/ws/.env ro,nosuid - devtmpfs devtmpfs rw,size=1
82 79 0:45 / /home/ada/ws/.aws ro,nosuid - tmpfs tmpfs rw,mode=555
82 79 0:46 / /home/ada/ws/.ssh rw,nosuid - tmpfs tmpfs rw,mode=555
83 79 254:0 /home/ada/ws/.vscode /home/ada/ws/.vscode rw,nosuid - ext4 /dev/vda rw
84 83 254:0 /home/ada/ws/.vscode /home/ada/ws/.vscode ro,nosuid - ext4 /dev/vda rw
end
`;
const at = pin("/");
at.close();
const writable = (path: string): SandboxMount => ({ make: "writable", path, pin: at });
const readOnly = (path: string): SandboxMount => ({ make: "read-only", path, pin: at });

test("all in their places", () => {
  const mounts: readonly SandboxMount[] = [
    writable("/home/ada/ws"),
    readOnly("/home/ada/my lib"),
    readOnly("/home/ada/ws/.vscode"),
    { make: "hidden-file", path: "/home/ada/ws/.env" },
    { make: "hidden-dir", path: "/home/ada/ws/.aws" },
  ];
  expect(misplaced(mounts, table)).toBeNull();
  expect(misplaced([], "")).toBeNull();
});

test.each<[string, SandboxMount]>([
  ["one that is not there", { make: "hidden-file", path: "/home/ada/ws/d/.env" }],
  ["one that should be read-only", readOnly("/home/ada/ws")],
  ["a file that is not the empty one", { make: "hidden-file", path: "/home/ada/ws/.vscode" }],
  ["a directory that is not an empty one", { make: "hidden-dir", path: "/home/ada/ws/.vscode" }],
  ["an empty directory that can be filled", { make: "hidden-dir", path: "/home/ada/ws/.ssh" }],
  ["a place of which only the name's beginning is mounted", writable("/home/ada")],
])("%s is found out", (_what, mount) => {
  expect(misplaced([writable("/home/ada/ws"), mount], table)).toBe(mount.path);
});

test("a mount is known by its number and by the groups it shares mounts with", () => {
  const line = "75 121 0:27 /lib /home/ada/my\\040lib ro,nosuid shared:7 master:3 propagate_from:2 - ext4 /dev/vda rw";
  expect(numberedMounts(`${line}\nend\n`)).toEqual([{ id: 75, parent: 121, point: "/home/ada/my lib", groups: [7, 3] }]);
  expect(mountIn("pos:\t0\nflags:\t0100000\nmnt_id:\t75\nino:\t2528107\n")).toBe(75);
  expect(mountIn("pos:\t0\n")).toBeNull();
});

test.each<[string, SandboxMount, string, boolean]>([
  ["a file that is hidden", { make: "hidden-file", path: "/home/ada/ws/.env" }, "null", true],
  ["a file that is another one in its directory", { make: "hidden-file", path: "/home/ada/ws/.env" }, "81", false],
  ["a file that cannot be read there", { make: "hidden-file", path: "/home/ada/ws/.env" }, "-", false],
  ["a directory that is hidden", { make: "hidden-dir", path: "/home/ada/ws/.aws" }, "82", true],
  ["a directory on which another mount stands", { make: "hidden-dir", path: "/home/ada/ws/.aws" }, "79", false],
  ["a directory that cannot be read there", { make: "hidden-dir", path: "/home/ada/ws/.aws" }, "-", false],
  ["the last of two mounts in one place", readOnly("/home/ada/ws/.vscode"), "84", true],
  ["the first of them", readOnly("/home/ada/ws/.vscode"), "83", false],
  ["something bound that cannot be read", readOnly("/home/ada/ws/.vscode"), "-", true],
  ["what nothing was told of", readOnly("/home/ada/ws/.vscode"), "", false],
])("a cover is found in its directory: %s", (_what, mount, found, isThere) => {
  expect(strayCover([mount], `cover ${found}\n${table}`)).toBe(isThere ? null : mount.path);
});
