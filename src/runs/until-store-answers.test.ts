import { expect, test } from "vitest";
import { ServiceError } from "../contract/errors.ts";
import { untilStoreAnswers } from "./until-store-answers.ts";

const full = new ServiceError("storage_full", "full");
const away = new ServiceError("storage_unavailable", "away");

/** Fails with each of these, then answers. */
function failing(...failures: readonly unknown[]) {
  const left = [...failures];
  return async (): Promise<string> => {
    if (left.length > 0) throw left.shift();
    return "stored";
  };
}

test("a store that is full or away is asked until it answers", async () => {
  const told: unknown[] = [];
  const onRefused = (error: unknown, times: number): void => void told.push([error, times]);
  const { signal } = new AbortController();
  const answer = await untilStoreAnswers(failing(full, away), { signal, onRefused, pauseMs: 1 });
  expect(answer).toBe("stored");
  expect(told).toEqual([
    [full, 1],
    [away, 2],
  ]);
});

test("whatever else goes wrong is not tried again", async () => {
  const error = new Error("a bug");
  const { signal } = new AbortController();
  await expect(untilStoreAnswers(failing(error), { signal, onRefused() {} })).rejects.toBe(error);
});

test("whoever stops gives it up at once, with the reason of the store", async () => {
  const controller = new AbortController();
  const options = { signal: controller.signal, onRefused: () => controller.abort(), pauseMs: 3_600_000 };
  await expect(untilStoreAnswers(failing(full), options)).rejects.toBe(full);
  await expect(untilStoreAnswers(failing(away), options)).rejects.toBe(away);
  // What comes in while it stops is still taken.
  await expect(untilStoreAnswers(failing(), options)).resolves.toBe("stored");
});
