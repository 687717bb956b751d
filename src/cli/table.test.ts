import { describe, expect, test } from "vitest";
import { UsageError } from "./host.ts";
import { oneOf, readWords } from "./flags.ts";
import { paintFor } from "./paint.ts";
import { ago, table } from "./table.ts";

const paint = paintFor({ isTTY: false }, {});

describe("tables", () => {
  const rows = [
    { id: "a", path: "/home/ada/code/a-very-long-name/that-goes-on/and-on/end.txt" },
    { id: "bbb", path: "日本語" },
  ];
  const columns = [
    { name: "id", value: ({ id }: (typeof rows)[number]) => id },
    { name: "path", value: ({ path }: (typeof rows)[number]) => path, cut: true },
    { name: "since", value: () => "1 s ago" },
  ] as const;

  test("columns stand under their names, and what is too long is cut in the middle", () => {
    const [head = "", first = "", second = ""] = table(rows, columns, { width: 50, paint }).split("\n");
    expect(head.indexOf("SINCE")).toBe(first.indexOf("1 s ago"));
    expect(first).toMatch(/^a {4}\/home\/ada.*….*end\.txt {2}1 s ago$/u);
    expect(first.length).toBeLessThanOrEqual(50);
    expect(second).toContain("日本語");
  });

  test("the widest column is cut first: a short one stays legible beside a long one", () => {
    const both = [
      { name: "why", value: () => "revoked by a person", cut: true },
      { name: "path", value: () => "/home/ada/code/a-very-long-name/that-goes-on/and-on/end.txt", cut: true },
    ] as const;
    expect(table([{}], both, { width: 60, paint })).toMatch(/^revoked by a person {2}\/home.*….*end\.txt$/mu);
  });

  test("times are told as people tell them", () => {
    expect([5_000, 300_000, 7_200_000, 172_800_000].map((past) => ago(1e12 - past, 1e12))).toEqual([
      "5 s ago",
      "5 min ago",
      "2 h ago",
      "2 d ago",
    ]);
  });
});

describe("flags", () => {
  const options = { json: { type: "boolean" }, session: { type: "string", short: "s" } } as const;

  test("known ones are read, and what is nearly one is named", () => {
    expect(readWords(["--json", "-s", "x", "word"], options)).toMatchObject({
      values: { json: true, session: "x" },
      positionals: ["word"],
    });
    expect(() => readWords(["--jsn"], options)).toThrow("unknown flag --jsn; did you mean --json?");
    expect(() => readWords(["--\u001b[2K"], options)).toThrow("unknown flag --\\u{1b}[2K");
    expect(() => readWords(["--session"], options)).toThrow(UsageError);
  });

  test("one word of a few", () => {
    expect(oneOf("--ask", "by-guard", ["by-guard", "by-model"])).toBe("by-guard");
    expect(() => oneOf("--ask", "by-gard", ["by-guard", "by-model"])).toThrow("did you mean by-guard?");
  });
});
