// The daemon as a service of the user: the file that the system's own manager reads, and the commands that make it read it. Pure.

import { join } from "node:path";

export interface ServiceFiles {
  /** The manager's own file for our daemon. */
  readonly file: string;
  readonly text: string;
  /** Run in this order after the file was written. */
  readonly start: readonly (readonly [string, ...string[]])[];
  /** Run before the file is removed. */
  readonly stop: readonly (readonly [string, ...string[]])[];
  /** Ends with 0 where the manager keeps the daemon running. */
  readonly isRunning: readonly [string, ...string[]];
}

export interface ServicePlan {
  readonly home: string;
  /** The user's own directory for configuration. Absolute. */
  readonly config: string;
  readonly uid: number;
  /** What is to be run, word for word. The first is an absolute path. */
  readonly command: readonly string[];
}

/** Null where we know no manager. */
export function serviceOn(platform: NodeJS.Platform, plan: ServicePlan): ServiceFiles | null {
  if (platform === "linux") return systemd(plan);
  return platform === "darwin" ? launchd(plan) : null;
}

function systemd({ config, command }: ServicePlan): ServiceFiles {
  const name = "hallpass.service";
  const ask = ["systemctl", "--user"] as const;
  return {
    file: join(config, "systemd", "user", name),
    text: `[Unit]
Description=Hallpass, the file boundary for AI coding agents

[Service]
ExecStart=${command.map(systemdWord).join(" ")}
Restart=on-failure

[Install]
WantedBy=default.target
`,
    start: [
      [...ask, "daemon-reload"],
      [...ask, "enable", "--now", name],
    ],
    stop: [[...ask, "disable", "--now", name]],
    isRunning: [...ask, "is-active", "--quiet", name],
  };
}

function launchd({ home, uid, command }: ServicePlan): ServiceFiles {
  const label = "dev.hallpass.daemon";
  const file = join(home, "Library", "LaunchAgents", `${label}.plist`);
  const argumentLines = command.map((word) => `    <string>${xml(word)}</string>`).join("\n");
  return {
    file,
    text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${argumentLines}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
</dict>
</plist>
`,
    start: [["launchctl", "bootstrap", `gui/${uid}`, file]],
    stop: [["launchctl", "bootout", `gui/${uid}/${label}`]],
    isRunning: ["launchctl", "print", `gui/${uid}/${label}`],
  };
}

/** A word of `ExecStart`, in quotes: `%` and `$` mean something to systemd, quotes and backslashes are escaped. */
function systemdWord(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("$", "$$$$");
  return `"${escaped.replaceAll("\n", "\\n")}"`;
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
