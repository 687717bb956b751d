// The copies of Hallpass that `npm run hosts` builds with a change: no setting of Hallpass's own does the same, so that nobody can be talked into it.

/** Nobody answers some of the calls, and a program waits a hundred seconds for a person. */
const impatient = [
  "src/cli/lookup-asking.ts",
  (text) => {
    if (!text.includes("const PATIENCE = 100_000;")) throw new Error("src/cli/lookup-asking.ts no longer says how long a program waits");
    return text.replace("const PATIENCE = 100_000;", "const PATIENCE = 4_000;");
  },
];

/** For each copy, the files that are different in it, each with a function from the text it has to the text it gets. */
export const changedCopies = {
  impatient: [impatient],
  // It finds nothing in a command, and is in doubt about none: what is held is held by the sandbox.
  "no reader": [
    impatient,
    ["src/adapters/hook/shell/command-paths.ts", () => "export const commandPaths = () => ({ accesses: [], doubts: [], changes: [] });\n"],
  ],
};
