// What a caller is told of a fault: what they can do something about, and of everything else only where it stands in the log.

import { expect, test } from "vitest";
import { HallpassError } from "../core/errors.ts";
import { ConnectionLostError, UnknownOutcomeError, postgresFault } from "../store/postgres-faults.ts";
import { FullDisk } from "../store/store-fault.ts";
import { silentLog } from "./log.ts";
import { problemResponse } from "./problem.ts";

const told = async (thrown: unknown): Promise<unknown> => {
  const response = problemResponse(thrown, { log: silentLog, ids: () => "some-id" });
  const body = (await response.json()) as { readonly error: { readonly message: string } };
  return [response.status, body.error.message];
};

test("a fault of the store that a person can do something about, or must look into, is told in its words", async () => {
  expect(await told(new FullDisk(null))).toEqual([500, expect.stringContaining("free some space")]);
  expect(await told(postgresFault(new UnknownOutcomeError("x")))).toEqual([
    500,
    expect.stringContaining("look whether it was before you repeat it"),
  ]);
  expect(await told(postgresFault(new ConnectionLostError("x")))).toEqual([500, "PostgreSQL cannot be reached, or does not answer"]);
});

test("what else goes wrong inside is for the log", async () => {
  const hidden = [500, "something went wrong; the log says what, under some-id"];
  for (const thrown of [new Error("a secret"), new HallpassError("io-error", "/home/me/x: EIO"), postgresFault(new Error("x")), "text"])
    expect(await told(thrown)).toEqual(hidden);
});
