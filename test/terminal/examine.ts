// The doctor as a program calls it: what it says of each part, and its exit code; on this machine, or on one with something missing.

import { execFile } from "node:child_process";
import { join } from "node:path";
import type { DoctorFinding } from "../../src/cli/doctor/finding.ts";
import { type Place, program } from "./terminal.ts";

export interface Examined {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly findings: readonly DoctorFinding[];
  part(name: string): DoctorFinding | undefined;
}

export interface ExamineOptions {
  readonly words?: readonly string[];
  /** Run as this user. */
  readonly uid?: number | undefined;
  readonly path?: string;
  /** A program to run it in, with its words. */
  readonly within?: readonly string[];
}

export function examine(at: Place, { words = [], uid, path, within = [] }: ExamineOptions = {}): Promise<Examined> {
  const [file = "", ...args] = [...within, process.execPath, program, "doctor", "--json", ...words];
  const env = { PATH: path ?? process.env["PATH"] ?? "", HOME: at.home };
  const who = uid === undefined ? {} : { uid, gid: uid };
  return new Promise((resolve) => {
    execFile(file, args, { cwd: at.workspace, env, timeout: 120_000, ...who }, (error, out, err) => {
      const { findings } = JSON.parse(out) as { findings: readonly DoctorFinding[] };
      resolve({
        code: typeof error?.code === "number" ? error.code : 0,
        out,
        err,
        findings,
        part: (name) => findings.find(({ part }) => part === name),
      });
    });
  });
}

/** The data directory of a home. */
export const dataOf = (at: Place): string => join(at.home, ".local/share/hallpass");
