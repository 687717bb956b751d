// A test that waits for a screen waits for what is to be seen there, never for a while: on a loaded machine every while is too short. Every file that
// pauses all the same stands here, with the reason.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const top = resolve(import.meta.dirname, "../..");

/** What pauses for a time that somebody chose. */
const PAUSE = /\bwaitForTimeout\(|\bsetTimeout\(|\b(?:pause|sleep|delay)\(|timers\/promises/u;

const allowed: Readonly<Record<string, string>> = {
  "test/terminal/terminal.ts": "looks at the screen again and again, until it shows what is waited for",
  "test/terminal/daemon.ts": "looks again and again for the daemon; and ends one that does not end by itself",
  "test/terminal/model-service.ts": "a model that takes its time between words",
  "test/web/browser.ts": "waits until nothing has moved for a while: no single thing to be seen says that a page has come to rest",
  "test/web/flow.test.ts": "a model that takes its time between reads",
  "test/terminal/chat-window.test.ts": "drags a window as a hand does: sizes that come at once reach the program as one",
};

const files = ["test/web", "test/terminal"].flatMap((dir) =>
  readdirSync(join(top, dir))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${dir}/${name}`),
);

test("screen tests wait for conditions; whoever pauses has a reason in the list, and nobody is in it who does not", () => {
  const pausing = files.filter((file) => PAUSE.test(readFileSync(join(top, file), "utf8")));
  expect(pausing.toSorted()).toEqual(Object.keys(allowed).toSorted());
});

test("a pause is found, however it is written", () => {
  for (const text of [
    "page.waitForTimeout(5)",
    "await sleep(30)",
    "new Promise((done) => setTimeout(done, 9))",
    'from "node:timers/promises"',
  ])
    expect(PAUSE.test(text), text).toBe(true);
  for (const text of ["page.setDefaultTimeout(30_000)", "expect.poll(seen)", "{ timeout: 5 }"]) expect(PAUSE.test(text), text).toBe(false);
});
