import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors.ts";
import { createFailureLog } from "./failure-log.ts";

function collected() {
  const lines: unknown[] = [];
  const clock = { now: 0 };
  const error = (fields: object, message: string) => lines.push({ ...fields, message });
  return { lines, clock, tell: createFailureLog({ error }, { now: () => clock.now }) };
}

test("a store that takes nothing is told of once in ten seconds, with how often it failed", () => {
  const { lines, clock, tell } = collected();
  const full = new ServiceError("storage_full", "The disk is full.");
  const away = new ServiceError("storage_unavailable", "It is away.");
  for (let count = 0; count < 50; count += 1) tell(full, "an attempt failed");
  tell(away, "a chore failed");
  clock.now = 10_000;
  tell(full, "a chore failed");
  expect(lines).toEqual([
    { err: full, message: "an attempt failed" },
    { err: away, message: "a chore failed" },
    { err: full, untold: 49, message: "a chore failed" },
  ]);
});

test("whatever else fails is told each time", () => {
  const { lines, tell } = collected();
  for (let count = 0; count < 3; count += 1) tell(new Error("bug"), "an attempt failed");
  expect(lines).toHaveLength(3);
});
