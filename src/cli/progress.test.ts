import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Host } from "./host.ts";
import { withProgress } from "./progress.ts";

/** The clock of these tests goes on when it is told to. */
const pause = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A host whose errors are kept, at a terminal or not. */
function hostOf(isTTY: boolean): { readonly host: Host; readonly said: () => string } {
  const errors = Object.assign(new PassThrough(), { isTTY });
  const host = { cwd: "/", home: "/", env: {}, platform: process.platform, input: new PassThrough(), output: new PassThrough(), errors };
  return { host, said: () => String(errors.read() ?? "") };
}

describe("progress", () => {
  test("what is done within a second says nothing, and gives what it found", async () => {
    const { host, said } = hostOf(true);
    const found = await withProgress(host, "reading", async (say) => {
      say("half");
      await pause(50);
      return 42;
    });
    expect(found).toBe(42);
    expect(said()).toBe("");
  });

  test("what takes longer says what it does and how far it is, one line after the other", async () => {
    const { host, said } = hostOf(false);
    await withProgress(host, "reading", async (say) => {
      say("1,000 records");
      await pause(1200);
      say("2,000 records");
      await pause(1000);
    });
    expect(said()).toBe("reading: 1,000 records …\nreading: 2,000 records …\n");
  });

  test("at a terminal it is one line that is wiped, also where the work fails", async () => {
    const { host, said } = hostOf(true);
    const work = withProgress(host, "reading", async () => {
      await pause(1200);
      throw new Error("gone");
    });
    await expect(work).rejects.toThrow("gone");
    expect(said()).toBe("\r\u001b[Kreading …\r\u001b[K");
  });
});
