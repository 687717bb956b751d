// Variables by which an environment brings code into Node or has it write files. A host may take a project's `.env` into its environment, so no program of
// ours is started with them.

/** INVARIANT: `bin/hallpass-hook`, `bin/hallpass-enter` and `bin/hallpass-shell` unset the same. */
export const NODE_VARIABLES = [
  "NODE_COMPILE_CACHE",
  "NODE_EXTRA_CA_CERTS",
  "NODE_OPTIONS",
  "NODE_PATH",
  "NODE_REDIRECT_WARNINGS",
  "NODE_V8_COVERAGE",
  "OPENSSL_CONF",
  "OPENSSL_ENGINES",
  "OPENSSL_MODULES",
] as const;
