import { expect, test } from "vitest";
import { currentTime } from "./current-time.ts";

const context = { signal: new AbortController().signal, now: () => Date.UTC(2026, 10, 5, 23, 4, 9) };

test("uses UTC without a time zone", () => {
  expect(currentTime().run({}, context)).toEqual({
    iso: "2026-11-05T23:04:09+00:00",
    time_zone: "UTC",
    readable: "Thursday, 5 November 2026, 23:04:09 (UTC+00:00)",
  });
});

test.each([
  ["Europe/Vienna", "2026-11-06T00:04:09+01:00"],
  ["America/New_York", "2026-11-05T18:04:09-05:00"],
  ["Asia/Kathmandu", "2026-11-06T04:49:09+05:45"],
])("gives the offset of %s", (time_zone, iso) => {
  const told = currentTime().run({ time_zone }, context);
  expect(told).toMatchObject({ iso, time_zone });
  expect(Date.parse(iso)).toBe(context.now());
});

test("knows summer time", () => {
  const summer = { ...context, now: () => Date.UTC(2026, 6, 1, 12) };
  expect(currentTime().run({ time_zone: "Europe/Vienna" }, summer)).toMatchObject({ iso: "2026-07-01T14:00:00+02:00" });
});

test("uses the operator's zone when the model names none or an empty one", () => {
  const tool = currentTime({ timeZone: "Asia/Tokyo" });
  expect(tool.run({}, context)).toMatchObject({ time_zone: "Asia/Tokyo" });
  expect(tool.run({ time_zone: "" }, context)).toMatchObject({ time_zone: "Asia/Tokyo" });
});

test("refuses an unknown zone clearly", () => {
  expect(() => currentTime().run({ time_zone: "Mars/Base" }, context)).toThrow(
    '"Mars/Base" is not a known time zone. Use an IANA name such as Europe/Vienna, or UTC.',
  );
});

test("refuses a zone that is not a text", () => {
  expect(currentTime().check({ time_zone: 2 })).toBe("/time_zone must be string");
});
