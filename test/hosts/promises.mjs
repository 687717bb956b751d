// What is promised of a case in a variant, and whether it held. A promise is of two kinds: with the guard the case ends as it says; without
// it the same call goes through, or the first shows nothing.

/** How a host is set up in each variant. `cases` names the list, `guard` how the host is guarded. */
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
};

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
  if (guard === "run" || guard === "sync") return label.includes("inside") ? true : opens === true ? null : false;
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
  if (asked && (done.person ?? null) !== null && done.seen?.answered !== 1) return `${variant}: ${done.label}: nobody could answer`;
  return null;
}
