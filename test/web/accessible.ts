// What axe says of a page: nothing serious, or which elements and why.

import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect } from "vitest";

export async function isAccessible(page: Page, within = "body"): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include(within).analyze();
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(
    grave.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(" ")} ${failureSummary ?? ""}`).join(" | ")}`,
    ),
  ).toEqual([]);
}
