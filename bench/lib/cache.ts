// Where the benchmarks keep what they make: trees, built suites and the trend file.
import { join } from "node:path";

/** HALLPASS_BENCH_CACHE, or else a folder that belongs to the project and is never committed. */
export function cacheDir(project: string, environment: NodeJS.ProcessEnv): string {
  return environment["HALLPASS_BENCH_CACHE"] ?? join(project, "node_modules", ".cache", "hallpass-bench");
}

/** Built suites. Always inside the project: from there they find its packages. */
export function buildDir(project: string): string {
  return join(project, "node_modules", ".cache", "hallpass-bench", "build");
}
