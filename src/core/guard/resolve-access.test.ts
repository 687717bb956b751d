import { afterAll, expect, test } from "vitest";
import { tree } from "../../../test/tree.ts";
import { callId } from "../names.ts";
import { directoriesAround, namesOf } from "./resolve-access.ts";

const at = tree(["ws/a: A", "ws/link => $ROOT/r", "ws/d/", "r/x: X", "far/d/"]);
afterAll(() => at.remove());

const names = (path: string, operation: "read" | "create" = "read") =>
  namesOf({ call: callId("c"), tool: "Read", operation, path }, at.path("ws"), "/home/nobody-here");

test("an access is judged by where its path leads, by the links on the way and by what it leaves", () => {
  expect(names("a")).toEqual([at.path("ws/a")]);
  expect(names(at.path("nothing/there"))).toEqual([at.path("nothing/there")]);
  expect(names("new", "create")).toEqual([at.path("ws/new")]);
  expect(names("link/x")).toEqual([at.path("r/x"), at.path("ws/link")]);
  expect(names("d/../../r/x")).toEqual([at.path("r/x"), at.path("ws/d"), at.path("ws")]);
});

test("what is no path has no names, and one that leaves a directory outside the workspace takes every root", () => {
  expect(names("a\0b")).toEqual([]);
  expect(names(`${at.root}/far/d/../../r/x`)).toBeNull();
});

test("a root that holds one of the names stands at one of them or above it", () => {
  expect(directoriesAround(["/a/b", "/a/c/d"])).toEqual(["/a/b", "/a", "/", "/a/c/d", "/a/c"]);
  expect(directoriesAround(["/"])).toEqual(["/"]);
  expect(directoriesAround([])).toEqual([]);
});
