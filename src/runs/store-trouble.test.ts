import { expect, test } from "vitest";
import { ServiceError } from "../contract/errors.ts";
import { createStoreTrouble } from "./store-trouble.ts";

const full = new ServiceError("storage_full", "full");

function watched() {
  let time = 0;
  const told: unknown[] = [];
  const trouble = createStoreTrouble(() => time);
  trouble.onLasting((error) => told.push(error));
  return {
    failed(seconds: number, error: unknown = full): readonly unknown[] {
      time = seconds * 1_000;
      trouble.failed(error);
      return told.splice(0);
    },
    over: trouble.over,
  };
}

test("a store that fails for a while is trouble that lasts; one that failed now and then is not", () => {
  const { failed } = watched();
  for (const seconds of [0, 4, 8, 12]) expect(failed(seconds)).toEqual([]);
  expect(failed(14, new Error("a bug"))).toEqual([]);
  expect(failed(15)).toEqual([full]);
  expect(failed(50)).toEqual([]);
  expect(failed(90)).toEqual([]);
});

test("writes that each wait long before they fail are one trouble", () => {
  const { failed } = watched();
  expect(failed(0)).toEqual([]);
  expect(failed(16)).toEqual([full]);
});

test("what was stored between two failures tells that they are two", () => {
  const { failed, over } = watched();
  expect(failed(0)).toEqual([]);
  over();
  expect(failed(16)).toEqual([]);
  expect(failed(32)).toEqual([full]);
});
