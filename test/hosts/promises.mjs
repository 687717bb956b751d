// What is promised of a case in a variant, and whether it held. A promise is of two kinds: with the guard the case ends as it says; without
// it the same call goes through, or the first shows nothing.

/**
 * How a host is set up in each variant. `cases` names the list, `guard` how the host is guarded. `copy`: in which copy of Hallpass something is
 * other than it was built. `change`: what the program does to its settings after the installation.
 */
export const setups = {
  without: { cases: "plain", guard: null },
  with: { cases: "plain", guard: "install" },
  untrusted: { cases: "plain", guard: "install" },
  profile: { cases: "plain", guard: "sync" },
  run: { cases: "plain", guard: "run" },
  "without, asked": { cases: "inbox", guard: null },
  dialog: { cases: "dialog", guard: "install" },
  inbox: { cases: "inbox", guard: "install", daemon: true, rules: "none" },
  // A rule about another directory changes nothing about what is asked.
  "inbox, with a rule": { cases: "inbox", guard: "install", daemon: true },
  "inbox, its own questions on": { cases: "inbox", guard: "install", daemon: true, rules: "none" },
  "with, no reader": { cases: "plain", guard: "install", copy: "no reader" },
  "inbox, no reader": { cases: "inbox", guard: "install", daemon: true, rules: "none", copy: "no reader" },
  "run, asked": { cases: "inbox", guard: "run", daemon: true, rules: "none", copy: "impatient" },
  "own rules": { cases: "rules", guard: "install" },
  "setting ignored": { cases: "unled", guard: "install", daemon: true, rules: "none", copy: "impatient", change: "ignore" },
  "second hook, without": { cases: "rewritten", guard: null, change: "second" },
  "second hook": { cases: "rewritten", guard: "install", daemon: true, rules: "none", copy: "impatient", change: "second" },
};

/** Tried in every host, beside what each has of its own. */
export const everywhere = [
  "with, no reader",
  "own rules",
  "inbox, no reader",
  "run, asked",
  "setting ignored",
  "second hook, without",
  "second hook",
];

/** True: it must go through. False: it must not. Null: nothing is promised. */
export function promiseOf({ label, opens, mayHoldItself }, variant, program) {
  if (label.startsWith("(")) return null;
  if (setups[variant].guard === null && mayHoldItself === true) return null;
  if (setups[variant].guard !== null && program.unpromised?.includes(label)) return null;
  const { guard } = setups[variant];
  // What a host holds by itself cannot be shown to leak without us.
  if (guard === null) return itself(program, variant).includes(label) ? null : true;
  if (opens === true && itself(program, variant).includes(label)) return null;
  // A hook that was not trusted is skipped by the host, as the guide says; our own tools hold all the same.
  if (variant === "untrusted") return label.startsWith("our tool") ? opens : null;
  // The sandbox masks secrets that are there when it starts; a new file of such a name is the agent's own.
  if (guard === "run" && label === "write, a secret") return null;
  if ((guard === "run" && setups[variant].daemon !== true) || guard === "sync")
    return label.includes("inside") ? true : opens === true ? null : false;
  return opens;
}

const itself = (program, variant) => program.itself?.(variant) ?? [];

/** Null where it held; else in one line what was promised and what was seen. */
export function broken(done, variant, program) {
  const promise = promiseOf(done, variant, program);
  const asked = setups[variant].daemon === true && !itself(program, variant).includes(done.label);
  if (done.state === "not reached") return `${variant}: ${done.label}: the call was never made`;
  if (promise !== null && promise !== (done.state !== "held back"))
    return `${variant}: ${done.label}: ${done.state}, and was to be ${promise ? "let through" : "held back"}`;
  if (asked && done.asks !== undefined && done.asks !== done.seen?.asks)
    return `${variant}: ${done.label}: ${done.seen?.asks ?? 0} asks in the inbox, and ${done.asks} were to be there`;
  if (asked && done.verified === true && done.seen?.shells !== "verified")
    return `${variant}: ${done.label}: its commands are ${done.seen?.shells ?? "not known"}, and were to be verified`;
  if (asked && done.unverified === true && done.seen?.shells !== "unverified")
    return `${variant}: ${done.label}: its commands are ${done.seen?.shells ?? "not known"}, and were to be unverified`;
  if (asked && done.marked === true && done.state !== "held back" && done.seen?.shells !== "unverified")
    return `${variant}: ${done.label}: it ran unconfined, and its commands are ${done.seen?.shells ?? "not known"}`;
  if (asked && (done.person ?? null) !== null && done.seen?.answered !== 1) return `${variant}: ${done.label}: nobody could answer`;
  return null;
}
