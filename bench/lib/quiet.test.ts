// Waiting for quiet, on a clock and a pressure of our own.
import { describe, expect, test } from "vitest";
import { describePressure, isNoisy, parsePressure, pressureBetween, waitForQuiet } from "./quiet.ts";
import type { Pressure, QuietPorts } from "./quiet.ts";

function at(percent: number, total = 0): Pressure {
  return { known: "yes", percent, total };
}

/** Pressure by the second, the last one for ever. */
function machine(readings: readonly Pressure[]): QuietPorts & { readonly slept: () => number } {
  let time = 0;
  return {
    now: () => time,
    slept: () => time,
    sleep: async (milliseconds) => {
      time += milliseconds;
    },
    pressure: () => readings[Math.min(Math.floor(time / 1000), readings.length - 1)] ?? { known: "no" },
  };
}

describe("waiting for quiet", () => {
  test("does not wait on a quiet machine", async () => {
    const ports = machine([at(3)]);
    expect(await waitForQuiet(60, ports)).toEqual(at(3));
    expect(ports.slept()).toBe(0);
  });

  test("waits until the pressure falls below 15", async () => {
    const ports = machine([at(80), at(40), at(15), at(14.9)]);
    expect(await waitForQuiet(60, ports)).toEqual(at(14.9));
    expect(ports.slept()).toBe(3000);
  });

  test("waits no longer than told, and gives the last reading", async () => {
    const ports = machine([at(80)]);
    expect(await waitForQuiet(5, ports)).toEqual(at(80));
    expect(ports.slept()).toBe(5000);
  });

  test("does not wait where pressure is not to be had", async () => {
    const ports = machine([{ known: "no" }]);
    expect(await waitForQuiet(60, ports)).toEqual({ known: "no" });
    expect(ports.slept()).toBe(0);
  });
});

describe("pressure", () => {
  test("is read from the kernel's text", () => {
    const text = "some avg10=14.19 avg60=7.48 avg300=3.91 total=23273154\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
    expect(parsePressure(text)).toEqual(at(14.19, 23273154));
    expect(parsePressure("")).toEqual({ known: "no" });
  });

  test("over a suite is what was waited in between, whatever the ends say", () => {
    expect(pressureBetween(at(1, 1_000_000), at(2, 7_000_000), 10_000)).toEqual(at(60, 7_000_000));
    expect(pressureBetween({ known: "no" }, at(2), 10_000)).toEqual({ known: "no" });
  });

  test("above 50 is noisy, and said to be", () => {
    expect(isNoisy(at(50))).toBe(false);
    expect(isNoisy(at(50.1))).toBe(true);
    expect(isNoisy({ known: "no" })).toBe(false);
    expect(describePressure(at(58.3))).toBe("CPU pressure 58.30 %, noisy");
    expect(describePressure(at(3))).toBe("CPU pressure 3.00 %");
  });
});
