import { expect, test } from "vitest";
import { belowWords } from "../../../web/transcript/below-words.ts";

test("a failed turn is told with figures of which one is below the other", () => {
  expect(belowWords(0.3, 0.8)).toBe("overall below 0.80");
  expect(belowWords(0.93333, 0.934)).toBe("overall below 0.934");
  expect(belowWords(0.79996, 0.8)).toBe("overall 0.7999 is below 0.80");
  expect(belowWords(0.9333, 0.9334)).toBe("overall below 0.9334");
});
