/** Texts that are tried each time: one that the fuzzer found (a lone carriage return in a path), and others of the kinds that were mended by reading. */
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
  { target: "json-lines", text: `{"a":"${"x".repeat(4000)}","a":1}` },
  { target: "shell", text: `ls ${"*a".repeat(1000)}` },
  { target: "shell", text: `sed -n 's/${"[/".repeat(900)}/p' a` },
];
