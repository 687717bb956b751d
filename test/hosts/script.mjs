// The cases of one variant as the model hands them out, one a turn; before each the person at the inbox is told what to do about it, and
// after it what came to the inbox is kept with it.

import { markOf } from "./scene.mjs";
import { END, dialogCases, inboxCases, plainCases, rewrittenCases, ruledCases, unledCases } from "./cases.mjs";

/** The cases as the model hands them out, one a turn; the person is told what to do about each. */
export function scriptOf(program, around, { cases: list }) {
  /** By label, in each part; a host's servers may come late, so every turn may bring more. */
  const parts = [];
  let [part, person, current, childless] = [0, null, null, false];
  const learn = (names) => {
    for (const [index, cases] of lists[list](program.tools(names, around), around).entries()) {
      const known = parts[index] ?? new Map();
      const fresh = cases.map((one) => known.get(one.label) ?? { ...one, made: false });
      const labels = new Set(fresh.map(({ label }) => label));
      const gone = [...known.values()].filter(({ label }) => !labels.has(label));
      parts[index] = new Map([...gone, ...fresh].map((one) => [one.label, one]));
    }
  };
  const settle = async () => {
    if (current !== null && person !== null) current.seen = await person.end();
    current = null;
  };
  return {
    meet: (somebody) => (person = somebody),
    async turn(names, text) {
      learn(names);
      // Somebody else's conversation, without what was read in this one; else it was not started, and nothing is learned of it.
      if (current?.call.agent === true && text.includes(markOf("asked, answered with yes"))) childless = true;
      await settle();
      const next = [...(parts[part]?.values() ?? [])].find((one) => !one.made && !(childless && one.child === true)) ?? null;
      if (next === null) return null;
      current = next;
      next.made = true;
      if (next.before !== undefined) await person?.[next.before]();
      await person?.begin(next.person);
      return next.call === END ? null : next.call;
    },
    /** The next part is handed out from now on; false where there is none. */
    goOn: () => (part += 1) < parts.length,
    end: settle,
    /** All of them; one that another call asked for has what was seen of that. */
    cases() {
      const all = parts.flatMap((known) => [...known.values()]).filter((one) => !(childless && one.child === true));
      return all.map((one) => {
        const asking = all.find(({ label }) => label === `(asking: ${one.label})`);
        return asking === undefined ? one : { ...one, asked: { seen: asking.seen, person: asking.person } };
      });
    },
  };
}

const lists = {
  plain: (tools, scene) => [plainCases(tools, scene)],
  dialog: (tools, scene) => [dialogCases(tools, scene)],
  inbox: (tools, scene) => inboxCases(tools, scene),
  rules: (tools) => [ruledCases(tools)],
  unled: (tools) => [unledCases(tools)],
  rewritten: (tools, scene) => [rewrittenCases(tools, scene)],
};
