// What axe says of a page: nothing, or which elements and why.

import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect } from "vitest";

export async function isAccessible(page: Page, within = "body"): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include(within).analyze();
  expect(
    violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(" ")} ${failureSummary ?? ""}`).join(" | ")}`,
    ),
  ).toEqual([]);
}
