// The table of commands is text, so that no type tells a slip in it.

import { describe, expect, test } from "vitest";
import { commandForms } from "./commands.ts";

const ROLES =
  "read expression text create replace remove output second copy move fetch carry carry-assigned carry-second carry-fetched lead shell git".split(
    " ",
  );

describe("every row of the table of commands", () => {
  test.each([...commandForms])("%s has a role and options that are read", (name, { role, options }) => {
    expect(name).toMatch(/^(?:\w[\w-]*(?: [\w-]+)?|:)$/u);
    expect(ROLES).toContain(role);
    const slips = options.split(" ").filter((item) => !/^(?:-#|(?:--|-|\+)[\w-]+[#:~<>/!@]*)?$/u.test(item));
    expect(slips).toEqual([]);
  });

  test("every role has a row", () => {
    expect(new Set(Array.from(commandForms.values(), ({ role }) => role))).toEqual(new Set(ROLES));
  });
});
