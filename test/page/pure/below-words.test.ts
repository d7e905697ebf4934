import { expect, test } from "vitest";
import { belowThresholdText } from "../../../web/transcript/failures.ts";

test("shows enough digits to see that the score is below the threshold", () => {
  expect(belowThresholdText(0.3, 0.8)).toBe("overall below 0.8");
  expect(belowThresholdText(0.93333, 0.934)).toBe("overall below 0.934");
  expect(belowThresholdText(0.79996, 0.8)).toBe("overall 0.79996 is below 0.8");
  expect(belowThresholdText(0.9333, 0.9334)).toBe("overall below 0.9334");
});
