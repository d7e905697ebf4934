import { expect, test } from "vitest";
import { whyFailed } from "../../../web/transcript/failures.ts";

test("shows enough digits to see that the score is below the threshold", () => {
  expect(whyFailed({ scores: { overall: 0.3 } }, 0.8)).toBe("overall below 0.8");
  expect(whyFailed({ scores: { overall: 0.93333 } }, 0.934)).toBe("overall below 0.934");
  expect(whyFailed({ scores: { overall: 0.79996 } }, 0.8)).toBe("overall 0.79996 is below 0.8");
  expect(whyFailed({ scores: { overall: 0.9333 } }, 0.9334)).toBe("overall below 0.9334");
});

test("names what did not hold", () => {
  const stated = { contains: true, "metadata.intent": false, tool_match: null };
  expect(whyFailed({ scores: { overall: 0.9 }, stated }, undefined)).toBe("intent label");
});
