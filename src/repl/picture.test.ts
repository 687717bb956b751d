import { render } from "ink-testing-library";
import { describe, expect, test } from "vitest";
import { line, span } from "./lines.ts";
import { picture } from "./picture.ts";

const drawing = { from: 0, generation: 0, width: 20, rows: 10, colour: false };

describe("the picture", () => {
  test("what is settled goes by once, what is live is drawn below it", () => {
    const settled = [{ id: "a", lines: () => [line("settled")] }];
    const { lastFrame, frames, rerender } = render(picture({ settled, live: [line("live")] }, drawing));
    expect(lastFrame()).toContain("settled\nlive");
    rerender(picture({ settled, live: [line("live again")] }, drawing));
    expect(frames.at(-1)).toContain("live again");
    expect(frames.at(-1)?.match(/settled/gu)).toHaveLength(1);
  });

  test("no line is wider than the window, and none is lost", () => {
    const { lastFrame } = render(
      picture({ settled: [], live: [line("x".repeat(50)), line(""), [span("日本語".repeat(10)), span("end")]] }, drawing),
    );
    const lines = (lastFrame() ?? "").split("\n");
    expect(lines).toHaveLength(3);
    for (const one of lines) expect(one.length).toBeLessThanOrEqual(20);
  });

  test("nothing live is as high as the window", () => {
    const live = Array.from({ length: 30 }, (_, at) => line(`line ${at}`));
    expect((render(picture({ settled: [], live }, drawing)).lastFrame() ?? "").split("\n")).toHaveLength(9);
  });
});
