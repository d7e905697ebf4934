import { expect, test } from "vitest";
import { uuidV7 } from "./uuid.ts";

test("ids have the version, the variant and the time, and sort as they were made", () => {
  const now = Date.now() + 1_000;
  const ids = Array.from({ length: 20_000 }, () => uuidV7(now));
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(ids[0]!.replaceAll("-", "").slice(0, 12), 16)).toBe(now);
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

test("a clock that is set back does not break the order", () => {
  const later = uuidV7(Date.now() + 60_000);
  expect(uuidV7(Date.now()) > later).toBe(true);
});
