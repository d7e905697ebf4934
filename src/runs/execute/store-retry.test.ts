import { expect, test } from "vitest";
import { ServiceError } from "../../contract/errors/errors.ts";
import { retryStoreWrite } from "../stored/store-outage.ts";

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

test("retries until a full or unavailable store answers", async () => {
  const reported: unknown[] = [];
  const onRefused = (error: unknown, times: number): void => void reported.push([error, times]);
  const { signal } = new AbortController();
  const answer = await retryStoreWrite(failing(full, away), { signal, onRefused, pauseMs: 1 });
  expect(answer).toBe("stored");
  expect(reported).toEqual([
    [full, 1],
    [away, 2],
  ]);
});

test("does not retry other errors", async () => {
  const error = new Error("a bug");
  const { signal } = new AbortController();
  await expect(retryStoreWrite(failing(error), { signal, onRefused() {} })).rejects.toBe(error);
});

test("gives up at once on abort, with the error of the store", async () => {
  const controller = new AbortController();
  const options = { signal: controller.signal, onRefused: () => controller.abort(), pauseMs: 3_600_000 };
  await expect(retryStoreWrite(failing(full), options)).rejects.toBe(full);
  await expect(retryStoreWrite(failing(away), options)).rejects.toBe(away);
  // An answer that arrives during the abort still counts.
  await expect(retryStoreWrite(failing(), options)).resolves.toBe("stored");
});
