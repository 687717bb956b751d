// Starting a host: with nothing of the machine's own environment, every way out but loopback a closed door, and ended with all it started.

import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { rgPath } from "@vscode/ripgrep";

export function environment(home, more, bin) {
  const closed = "http://127.0.0.1:9";
  // opencode searches with ripgrep, and would fetch one.
  const path = [bin, dirname(rgPath), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":");
  return {
    HOME: home,
    PATH: path,
    TERM: "dumb",
    LANG: "C.UTF-8",
    CI: "1",
    // Where there is to be a daemon, it is started before the host.
    HALLPASS_START: "never",
    HTTP_PROXY: closed,
    HTTPS_PROXY: closed,
    http_proxy: closed,
    https_proxy: closed,
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
    ...more,
  };
}

/** The program and its words; with `run` inside our sandbox, which sees the workspace, what the host keeps in the home, and its program. */
export function started(program, bin, around, hallpass) {
  const words = program.words(around);
  if (!around.inside) return [bin, words];
  // Its own files are found by the table of hosts. The programs stand in for some that are installed where programs are looked for.
  const programs = [dirname(dirname(dirname(bin))), ...(program.ripgrep === true ? [dirname(rgPath)] : [])];
  const names = [...Object.keys(program.env(around)), "NO_PROXY", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY"];
  const flags = [...programs.flatMap((path) => ["--mount", `${path}:read_only`]), ...names.flatMap((name) => ["--env", name])];
  return [process.execPath, [hallpass, "run", "--quiet", ...flags, "--", bin, ...words]];
}

export function run(bin, words, { cwd, env, milliseconds, talk = null }) {
  const child = spawn(bin, words, { cwd, env, stdio: [talk === null ? "ignore" : "pipe", "pipe", "pipe"], detached: true });
  child.stdin?.on("error", () => undefined);
  talk?.(child);
  // The whole group: a host starts programs of its own.
  const stop = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It is gone.
    }
  };
  const ended = new Promise((resolve) => {
    let text = "";
    const timer = setTimeout(stop, milliseconds);
    child.stdout.on("data", (part) => (text += part));
    child.stderr.on("data", (part) => (text += part));
    child.on("error", (error) => resolve({ exit: null, text: error.message }));
    child.on("close", (exit) => {
      clearTimeout(timer);
      stop();
      resolve({ exit, text });
    });
  });
  return Object.assign(ended, { stop });
}
