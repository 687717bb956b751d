// The program of the other processes that share a store with a test: bundled as the package is, in a `dist/` with `migrations/` beside it.

import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";

const project = resolve(import.meta.dirname, "../..");

/** Build it into `sandbox`; the file to run. Its first argument is a file, or PostgreSQL's address. */
export async function buildStoreProgram(sandbox: string): Promise<string> {
  const program = join(sandbox, "package", "dist", "program.js");
  mkdirSync(dirname(program), { recursive: true });
  cpSync(join(project, "migrations"), join(sandbox, "package", "migrations"), { recursive: true });
  symlinkSync(join(project, "node_modules"), join(sandbox, "package", "node_modules"));
  await build({
    stdin: {
      contents: `
        import { perform } from "../../test/store-conformance/tasks.ts";
        import { openStore } from "./open.ts";
        const [place, ...rest] = process.argv.slice(2);
        const databaseUrl = place.startsWith("postgres:") ? place : null;
        await perform(() => openStore({ databaseUrl, file: place }), rest);`,
      resolveDir: join(project, "src/store"),
      loader: "ts",
    },
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    external: ["libsql", "pg"],
    logLevel: "error",
  });
  return program;
}

export function startStoreProgram(program: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"], env: lean() });
}

/** Node reads a machine's whole list of certificates at its start where it is told to. */
export function lean(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...rest } = process.env;
  return rest;
}
