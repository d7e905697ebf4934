import { expect, test } from "vitest";
import { rememberLast } from "./remember-last.ts";

test("a result is worked out once, and again after newer ones have taken its place", () => {
  const computed: string[] = [];
  const length = rememberLast((text) => computed.push(text), 2);
  expect([length("a"), length("a"), length("b"), length("a")]).toEqual([1, 1, 2, 1]);
  length("c");
  length("a");
  expect(computed).toEqual(["a", "b", "c", "a"]);
});
