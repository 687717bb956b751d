// The table of escapes against the resolver, the guard and the tools' door; and with no guard, where the same paths do the harm.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Operation } from "../src/core/access.ts";
import { resolveTarget } from "../src/core/fs/resolve.ts";
import { callId } from "../src/core/names.ts";
import { tools } from "../src/tools/registry.ts";
import { expected, GUARDED, operations, type Shape, shapes, soil, spellings, type Target, targets } from "./escapes.ts";
import { keepAlive, startHallpass } from "./line-process.ts";
import { grow, nothingStaysPinned, scene, type Scene } from "./scene.ts";

nothingStaysPinned();

const rows = targets.flatMap((target) => shapes.map((shape) => ({ name: `${shape.name} to ${target.name}`, target, shape })));
const plant = (target: Target, shape: Shape): Scene => scene([...soil, ...shape.links(target.path)]);

/** What must stay as it is: every guarded text, and what there is outside the workspace and beside its secret. */
function guarded(it: Scene): object {
  const files = soil.filter((line) => GUARDED.test(line)).map((line) => line.slice(0, line.indexOf(": ")));
  return {
    texts: files.map((file) => [file, readFileSync(it.path(file), "utf8")]),
    names: ["lib", "diary"].map((dir) => readdirSync(it.path(dir)).toSorted()),
    madeSecret: existsSync(it.path("ws/sub/.env.local")),
  };
}

describe("the resolver finds what the path leads to, however it is spelt", () => {
  test.each(rows)("$name", ({ target, shape }) => {
    const it = plant(target, shape);
    for (const { name, spell } of spellings) {
      const path = spell(shape.path(target.path), it.path("ws"));
      const { target: found } = resolveTarget(path.startsWith("/") ? path : `${it.path("ws")}/${path}`);
      found.pin?.close();
      expect([name, found.state, found.path]).toEqual([name, target.missing === true ? "absent" : "present", it.path(`ws/${target.path}`)]);
    }
  });
});

/** Judge, and do what was allowed; gives what came back. */
async function work(it: Scene, operation: Operation, path: string): Promise<string> {
  const access = { call: callId("c"), tool: "escape", path };
  switch (operation) {
    case "read":
      return JSON.stringify(await it.guard.use({ ...access, operation }, it.session, (file) => file.lend(1000, String)));
    case "list":
    case "search":
      return JSON.stringify(await it.guard.use({ ...access, operation }, it.session, async (opened) => opened.path));
    case "create":
    case "replace":
      return JSON.stringify(
        await it.guard.use({ ...access, operation }, it.session, async (file) =>
          file.replace(Buffer.from("CHANGED"), { createParents: true }),
        ),
      );
    case "remove":
      return JSON.stringify(await it.guard.use({ ...access, operation }, it.session, async (file) => file.remove()));
  }
}

describe("the guard says what the description says, and nothing else is read or changed", () => {
  test.each(rows)("$name", async ({ target, shape }) => {
    let it = plant(target, shape);
    const before = guarded(it);
    for (const operation of operations) {
      const verdict = expected(target, shape, operation);
      const changes = verdict.startsWith("allow") && !["read", "list", "search"].includes(operation);
      for (const { name, spell } of spellings) {
        const path = spell(shape.path(target.path), it.path("ws"));
        expect([operation, name, it.words(operation, path)]).toEqual([operation, name, verdict]);
        const back = await work(it, operation, path);
        expect([operation, name, GUARDED.test(back.replaceAll(it.root, ""))]).toEqual([operation, name, false]);
        // What was allowed may have changed the workspace; the next one finds it as it was.
        if (changes) {
          expect(guarded(it)).toEqual(before);
          it = plant(target, shape);
        }
      }
      expect([operation, guarded(it)]).toEqual([operation, before]);
    }
  });
});

describe("the tools' door says the same", () => {
  const door = keepAlive(() => startHallpass("tool"));
  afterAll(() => door.stop());
  const calls: readonly { readonly operation: Operation; call(path: string): object }[] = [
    { operation: "read", call: (path) => ({ tool: "read_file", input: { path } }) },
    { operation: "list", call: (path) => ({ tool: "list_dir", input: { path } }) },
    { operation: "search", call: (path) => ({ tool: "grep", input: { pattern: "OUTSIDE|SECRET", path } }) },
    { operation: "search", call: (path) => ({ tool: "find_files", input: { pattern: "*", path } }) },
    { operation: "replace", call: (path) => ({ tool: "edit_file", input: { path, old: "SIDE", new: "CHANGED" } }) },
    { operation: "create", call: (path) => ({ tool: "write_file", input: { path, content: "CHANGED", create_parents: true } }) },
  ];
  test("every tool that opens the path of its input is among them", () => {
    const opens = Object.values(tools).filter(
      ({ input, asks, starts }) => asks === undefined && starts === undefined && "path" in (z.toJSONSchema(input).properties ?? {}),
    );
    const called = new Set(calls.map(({ call }) => (call("a") as { readonly tool: string }).tool));
    expect(opens.length).toBeGreaterThan(0);
    expect(opens.filter(({ name }) => !called.has(name)).map(({ name }) => name)).toEqual([]);
  });

  test.each(rows)("$name", async ({ target, shape }) => {
    const it = plant(target, shape);
    const situation = { workspace: it.path("ws"), ceilings: [it.root], home: it.path("home") };
    const before = guarded(it);
    for (const { operation, call } of calls) {
      for (const { name, spell } of spellings.slice(0, 2)) {
        const { answer, text } = await door.ask({ ...situation, ...call(spell(shape.path(target.path), it.path("ws"))) });
        const verdict = expected(target, shape, operation);
        const said =
          answer.ok === true || answer.verdict === "allow" || answer.code === "bad-request"
            ? "allow in-workspace"
            : `${answer.verdict} ${answer.code}`;
        expect([operation, name, said, GUARDED.test(text.replaceAll(it.root, ""))]).toEqual([operation, name, verdict, false]);
      }
    }
    expect(guarded(it)).toEqual(before);
  });
});

describe("with no guard the same paths do the harm", () => {
  const harmful = rows.filter(({ target }) => target.secret === true || target.place !== "inside");
  test.each(harmful.filter(({ target }) => target.missing === undefined))("$name: it is read, and written over", ({ target, shape }) => {
    for (const { spell } of spellings) {
      const it = grow([...soil, ...shape.links(target.path)]);
      const path = spell(shape.path(target.path), it.path("ws"));
      const byName = path.startsWith("/") ? path : `${it.path("ws")}/${path}`;
      expect(readFileSync(byName, "utf8")).toMatch(GUARDED);
      writeFileSync(byName, "CHANGED");
      expect(readFileSync(it.path(`ws/${target.path}`), "utf8")).toBe("CHANGED");
    }
  });

  test.each(harmful.filter(({ target }) => target.missing === true))("$name: it is made", ({ target, shape }) => {
    const it = grow([...soil, ...shape.links(target.path)]);
    writeFileSync(`${it.path("ws")}/${shape.path(target.path)}`, "CHANGED");
    expect(readFileSync(it.path(`ws/${target.path}`), "utf8")).toBe("CHANGED");
  });
});
