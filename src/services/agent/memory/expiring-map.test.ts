import { expect, test } from "vitest";
import { ExpiringMap } from "./expiring-map.ts";

test("entries end by age", () => {
  let now = 0;
  const map = new ExpiringMap<string>({ ttlMs: 10, maxEntries: 10, now: () => now });
  map.set("a", "1");
  now = 9;
  expect(map.get("a")).toBe("1");
  now = 10;
  expect(map.get("a")).toBeUndefined();
  expect(map.delete("a")).toBe(false);
});

test("the oldest make room, and setting anew makes young", () => {
  const map = new ExpiringMap<string>({ ttlMs: 1000, maxEntries: 2 });
  map.set("a", "1");
  map.set("b", "2");
  map.set("a", "3");
  map.set("c", "4");
  expect([...map.values()]).toEqual(["3", "4"]);
});

test("large entries make room sooner", () => {
  const map = new ExpiringMap<string>({ ttlMs: 1000, maxEntries: 9, maxSize: 10, sizeOf: ({ length }) => length });
  map.set("a", "12345");
  map.set("b", "12345");
  map.set("b", "1234");
  map.set("c", "12");
  expect([...map.values()]).toEqual(["1234", "12"]);
  map.set("d", "12345678901");
  expect([...map.values()]).toEqual([]);
});
