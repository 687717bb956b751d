/** Texts that are tried each time: those that the fuzzer found (a lone carriage return in a path, a host that no address can have, an upgrade to something else), and others of the kinds that were mended by reading. */
export const found: readonly { readonly target: string; readonly text: string }[] = [
  { target: "git-directory", text: `gitdir: x${" ".repeat(4000)}x` },
  { target: "git-directory", text: `[${"a".repeat(4000)}` },
  { target: "git-directory", text: "[user] [core] hooksPath = h\n" },
  { target: "git-directory", text: "[core]hooksPath=a\rb\n" },
  { target: "git-directory", text: "[core]\n# a comment \\\nhooksPath = h\n" },
  { target: "git-directory", text: "[core]\nhooksPath = a\\\\\nhooksPath = h\n" },
  { target: "git-directory", text: "[core]\nhooksPath = a\\tb\n" },
  { target: "git-directory", text: '[core]\nhooksPath = "a "\n' },
  { target: "git-directory", text: "[core]\nhooksPath = \u00a0a\u2028b\n" },
  ...["//", "http://[", "http://%/"].map((address) => ({
    target: "http",
    text: `GET ${address} HTTP/1.1\nHost: $HOST\nConnection: upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\n\n`,
  })),
  ...["h127.0.0.1:7", "127.0.0.1.5", "1.2.3.4.5:7777"].map((host) => ({
    target: "http",
    text: `GET /api/health HTTP/1.1\nHost: ${host}\n\n`,
  })),
  ...["Upgrade: websocket\nSec-WebSocket-Key: x", "Upgrade: other"].map((headers) => ({
    target: "http",
    text: `GET /api/socket HTTP/1.1\nHost: $HOST\nAuthorization: Bearer $AGENT\nConnection: upgrade\nSec-WebSocket-Version: 13\n${headers}\n\n`,
  })),
  {
    target: "http",
    text: 'POST /api/agent/asks HTTP/1.1\nHost: $HOST\nAuthorization: Bearer $AGENT\nContent-Type: application/json\nContent-Length: $LENGTH\n\n{"call":"c9","tool":"Read","operation":"read","path":"$LIB/$SESSION","reason":"r"}',
  },
  { target: "json-lines", text: `{"a":"${"x".repeat(4000)}","a":1}` },
  { target: "shell", text: `ls ${"*a".repeat(1000)}` },
  { target: "shell", text: `sed -n 's/${"[/".repeat(900)}/p' a` },
];
