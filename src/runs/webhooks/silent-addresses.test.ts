import { expect, test } from "vitest";
import { createSilentAddresses } from "./silent-addresses.ts";

test("an address that was silent rests, then one message tries it, and once it answers all go out again", () => {
  let now = 0;
  const addresses = createSilentAddresses({ restMs: 60, now: () => now });
  expect([addresses.mayTell("a"), addresses.mayTell("a")]).toEqual([true, true]);
  addresses.silent("a");
  expect([addresses.mayTell("a"), addresses.mayTell("b")]).toEqual([false, true]);
  now = 60;
  expect([addresses.mayTell("a"), addresses.mayTell("a")]).toEqual([true, false]);
  addresses.answered("a");
  expect([addresses.mayTell("a"), addresses.mayTell("a")]).toEqual([true, true]);
});
