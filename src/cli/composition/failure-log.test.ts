import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors/errors.ts";
import { createFailureLog } from "./failure-log.ts";

function collected() {
  const lines: unknown[] = [];
  const clock = { now: 0 };
  const error = (fields: object, message: string) => lines.push({ ...fields, message });
  return { lines, clock, tell: createFailureLog({ error }, { now: () => clock.now }) };
}

test("logs a failing store once in ten seconds, with the number of suppressed failures", () => {
  const { lines, clock, tell } = collected();
  const full = new ServiceError("storage_full", "The disk is full.");
  const away = new ServiceError("storage_unavailable", "It is away.");
  for (let count = 0; count < 50; count += 1) tell(full, "an attempt failed");
  tell(away, "a background job failed");
  clock.now = 10_000;
  tell(full, "a background job failed");
  expect(lines).toEqual([
    { err: full, message: "an attempt failed" },
    { err: away, message: "a background job failed" },
    { err: full, suppressed: 49, message: "a background job failed" },
  ]);
});

test("logs every other failure", () => {
  const { lines, tell } = collected();
  for (let count = 0; count < 3; count += 1) tell(new Error("bug"), "an attempt failed");
  expect(lines).toHaveLength(3);
});
