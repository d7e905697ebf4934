import { expect, test } from "vitest";
import { findTimeQuestion } from "./time-question.ts";

test.each([
  ["What time is it?", null],
  ["what's the time in Tokyo?", "Asia/Tokyo"],
  ["Tell me the current time in New York please", "America/New_York"],
  ["What is today's date?", null],
  ["What time is it in Europe/Paris?", "Europe/Paris"],
  ["What time is it in Middle/Earth?", null],
])("%s asks for the time, in %s", (text, timezone) => {
  expect(findTimeQuestion(text)).toEqual({ timezone });
});

test.each(["What time does the shop open?", "What time is it delivered?", "This is the time of my life", ""])(
  "%j does not ask for the time",
  (text) => {
    expect(findTimeQuestion(text)).toBeNull();
  },
);
