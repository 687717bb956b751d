// Loaded into the daemon before everything else: how long its event loop was held up since it was last asked, by the clock or, with
// HALLPASS_STALL=work, by the processor time of one turn, which a busy machine does not change.

import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

const longest = process.env["HALLPASS_STALL"] === "work" ? byWork() : byClock();
process.on("message", () => process.send?.({ longest: longest() }));
process.channel?.unref();

function byClock() {
  // Milliseconds between two looks: what is measured holds these too.
  const resolution = 2;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  return () => {
    const most = Math.max(0, delay.max / 1e6 - resolution);
    delay.reset();
    return most;
  };
}

function byWork() {
  // Milliseconds between two looks. All turns that fit between are one to it, so that what is measured holds these too.
  const resolution = 5;
  const worked = () => Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  let [most, last] = [0, worked()];
  setInterval(() => {
    const now = worked();
    most = Math.max(most, now - last);
    last = now;
  }, resolution).unref();
  return () => {
    const before = Math.max(0, most - resolution);
    most = 0;
    return before;
  };
}
