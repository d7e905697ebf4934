import { expect, test } from "vitest";
import { withinDeadline } from "./within-deadline.ts";

test("gives the result of work that ends in time", async () => {
  await expect(withinDeadline("The list", 60_000, async () => 42)).resolves.toBe(42);
});

test("ends work that ignores its signal, and names it", async () => {
  const { promise: never } = Promise.withResolvers<number>();
  let heard: AbortSignal | undefined;
  const late = withinDeadline("The list", 1, (signal) => {
    heard = signal;
    return never;
  });
  await expect(late).rejects.toThrow("The list took longer than 1 ms");
  expect(heard?.aborted).toBe(true);
});

test("passes on the failure of the work itself", async () => {
  await expect(withinDeadline("The list", 60_000, () => Promise.reject(new Error("refused")))).rejects.toThrow(
    "refused",
  );
});
