import { expect, test } from "vitest";
import { contentWords, createTextIndex } from "./text-index.ts";

const index = createTextIndex([
  { id: "express", phrases: ["Do you offer express delivery?", "overnight shipping"] },
  { id: "delivery", phrases: ["How long does delivery take?", "When will my parcel arrive?"] },
  { id: "returns", phrases: ["Can I return an item?"] },
]);

test("the same words score 1", () => {
  const [best] = index.search("how long does DELIVERY take");
  expect(best).toEqual({ id: "delivery", score: expect.closeTo(1) });
});

test("word endings and typing slips matter little", () => {
  expect(index.search("returning items")[0]?.id).toBe("returns");
  expect(index.search("overnigt shiping")[0]?.id).toBe("express");
});

test("context says what a short follow-up leaves out", () => {
  const [best] = index.search("and express?", "How long does delivery take?");
  expect(best?.id).toBe("express");
  expect(index.search("and then?", "Can I return an item?")[0]?.id).toBe("returns");
});

test("a text that shares nothing scores 0, an empty one too", () => {
  expect(index.search("日本語").map(({ score }) => score)).toEqual([0, 0, 0]);
  expect(index.search("").map(({ score }) => score)).toEqual([0, 0, 0]);
});

test("words that carry no meaning are left out", () => {
  expect(contentWords("Can I have the parcels, please?")).toEqual(["parcel"]);
});
