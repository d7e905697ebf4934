import { expect, test } from "vitest";
import { ServiceError } from "../contract/service-error.ts";
import { createStoreTrouble } from "./store-trouble.ts";

test("a store that fails for a while is trouble that lasts; one that failed now and then is not", () => {
  let time = 0;
  const trouble = createStoreTrouble(() => time);
  const full = new ServiceError("storage_full", "full");
  const told = (seconds: number, error: unknown = full) => ((time = seconds * 1_000), trouble.lasting(error));

  for (const seconds of [0, 4, 8, 12]) expect(told(seconds)).toBeNull();
  expect(told(14, new Error("a bug"))).toBeNull();
  expect(told(15)).toBe(full);
  expect(told(25)).toBeNull();
  expect(told(39)).toBeNull();
});
