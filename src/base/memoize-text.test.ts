import { expect, test } from "vitest";
import { memoizeText } from "./memoize-text.ts";

test("computes a result once, and again after it was evicted", () => {
  const computed: string[] = [];
  const length = memoizeText((text) => computed.push(text), 2);
  expect([length("a"), length("a"), length("b"), length("a")]).toEqual([1, 1, 2, 1]);
  length("c");
  length("a");
  expect(computed).toEqual(["a", "b", "c", "a"]);
});
