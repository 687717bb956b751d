// Which sockets lead to a desktop, as the kernel's table has them.

import { expect, test } from "vitest";
import { listeningIn } from "./desktop-sockets.ts";

test("a window system and a message bus that listen without a file are found; connections, files and others are not", () => {
  const table = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 23455 @/tmp/.X11-unix/X0
0000000000000000: 00000003 00000000 00000000 0001 03 23456 @/tmp/.X11-unix/X1
0000000000000000: 00000002 00000000 00010000 0001 01 23457 /tmp/.X11-unix/X0
0000000000000000: 00000002 00000000 00010000 0001 01   457 @/tmp/dbus-8WbZJfFhkR
0000000000000000: 00000002 00000000 00010000 0001 01 23458 @/tmp/dbus-8WbZJfFhkR
0000000000000000: 00000002 00000000 00010000 0001 01 23459 @/tmp/.ICE-unix/2100
0000000000000000: 00000002 00000000 00010000 0001 01 23460 @something else
0000000000000000: 00000003 00000000 00000000 0001 03 23461
`;
  expect(listeningIn(table)).toEqual(["@/tmp/.X11-unix/X0", "@/tmp/dbus-8WbZJfFhkR", "@/tmp/.ICE-unix/2100"]);
});
