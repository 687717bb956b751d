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
  /** What a person types to read why it did not start. */
  readonly log: string;
}

export interface ServicePlan {
  readonly home: string;
  /** The user's own directory for configuration. Absolute. */
  readonly config: string;
  readonly uid: number;
  /** What is to be run, word for word. The first is an absolute path. */
  readonly command: readonly string[];
  /** The variables it is run with, beside those of the manager. */
  readonly env: Readonly<Record<string, string>>;
}

/** Null where we know no manager. */
export function serviceOn(platform: NodeJS.Platform, plan: ServicePlan): ServiceFiles | null {
  if (platform === "linux") return systemd(plan);
  return platform === "darwin" ? launchd(plan) : null;
}

function systemd({ config, command, env }: ServicePlan): ServiceFiles {
  const name = "hallpass.service";
  const ask = ["systemctl", "--user"] as const;
  return {
    file: join(config, "systemd", "user", name),
    text: `[Unit]
Description=Hallpass, the file boundary for AI coding agents

[Service]
${Object.entries(env)
  .map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}\n`)
  .join("")}ExecStart=${command.map(commandWord).join(" ")}
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
    log: `journalctl --user -u ${name}`,
  };
}

function launchd({ home, uid, command, env }: ServicePlan): ServiceFiles {
  const label = "dev.hallpass.daemon";
  const file = join(home, "Library", "LaunchAgents", `${label}.plist`);
  const argumentLines = command.map((word) => `    <string>${xml(word)}</string>`).join("\n");
  const variableLines = Object.entries(env).map(([name, value]) => `    <key>${xml(name)}</key>\n    <string>${xml(value)}</string>\n`);
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
  <key>EnvironmentVariables</key>
  <dict>
${variableLines.join("")}  </dict>
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
    log: `launchctl print gui/${uid}/${label}`,
  };
}

/** A word of a unit file, in quotes: `%` means something to systemd, quotes and backslashes are escaped. */
function unitWord(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return `"${escaped.replaceAll("\n", "\\n")}"`;
}

/** A word of `ExecStart`, where `$` means something too. */
const commandWord = (word: string): string => unitWord(word).replaceAll("$", "$$$$");

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
