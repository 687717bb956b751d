// Sockets without a file (abstract ones) are part of the network: no mount hides them, and a program that shares the machine's network reaches
// those of the desktop. The kernel can shut them alone (Landlock's scopes, since Linux 6.12). Node has no way to ask it; perl has, and is on almost every
// machine. It runs first inside the sandbox and becomes the shell.

import { startChild } from "./child.ts";
import { findPerl } from "./perl.ts";

/** The first version of Landlock that has scopes. */
const VERSION = 6;
/** landlock_create_ruleset, by the same number on every processor: asked for its version, it makes nothing. */
const ASK = `exit(syscall(444, 0, 0, 1) >= ${VERSION} ? 0 : 1)`;
/** A set of rules that shuts abstract sockets of others and nothing else, put on this process (landlock_restrict_self) and all it starts. */
const SHUT =
  'my $rules = pack("QQQ", 0, 0, 1); my $set = syscall(444, $rules, 24, 0); exit 97 if $set < 0 || syscall(446, $set, 0) != 0; exec { $ARGV[0] } @ARGV; exit 97';

/** What goes before a command so that it reaches no abstract socket from outside of its sandbox; null where this machine cannot do that. */
export async function shutsAbstractSockets(): Promise<readonly string[] | null> {
  const perl = findPerl();
  if (perl === null) return null;
  const plain = { env: {}, cwd: "/", channels: 0, inputs: [], descriptors: [], group: false, attached: false, outputBytes: 1024 };
  const { exitCode } = await startChild({ ...plain, file: perl, args: ["-e", ASK] }).ended;
  return exitCode === 0 ? [perl, "-e", SHUT] : null;
}
