import { expect, test } from "vitest";
import { contentWords, createTextIndex } from "./text-index.ts";

const index = createTextIndex([
  { id: "express", phrases: ["Do you offer express delivery?", "overnight shipping"] },
  { id: "delivery", phrases: ["How long does delivery take?", "When will my parcel arrive?"] },
  { id: "returns", phrases: ["Can I return an item?"] },
]);

test("scores the same words 1", () => {
  const [best] = index.search("how long does DELIVERY take");
  expect(best).toEqual({ id: "delivery", score: expect.closeTo(1) });
});

test("tolerates word endings and typing errors", () => {
  expect(index.search("returning items")[0]?.id).toBe("returns");
  expect(index.search("overnigt shiping")[0]?.id).toBe("express");
});

test("completes a short follow-up with its context", () => {
  const [best] = index.search("and express?", "How long does delivery take?");
  expect(best?.id).toBe("express");
  expect(index.search("and then?", "Can I return an item?")[0]?.id).toBe("returns");
});

test("scores a text with nothing in common, or an empty one, 0", () => {
  expect(index.search("日本語").map(({ score }) => score)).toEqual([0, 0, 0]);
  expect(index.search("").map(({ score }) => score)).toEqual([0, 0, 0]);
});

test("leaves out words without meaning", () => {
  expect(contentWords("Can I have the parcels, please?")).toEqual(["parcel"]);
});
