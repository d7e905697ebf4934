import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ServiceError } from "../contract/errors.ts";
import type { Store } from "../contract/ports/store.ts";
import { createRunEvents } from "./run-events.ts";
import { createWaiting } from "./waiting.ts";

test("whoever waits for a run is told that its store takes nothing, and may wait again", async () => {
  const store = { runs: { state: async () => "running" } } as unknown as Store;
  const waiting = createWaiting({ store, events: createRunEvents() });
  const { signal } = new AbortController();
  const wait = (): Promise<unknown> => waiting.wait("r", signal).catch((error: unknown) => error);

  const first = wait();
  waiting.giveUp(new ServiceError("storage_full", "The disk is full."));
  const told = (await first) as ServiceError;
  expect([told.code, told.message]).toEqual([
    "storage_full",
    "The disk is full. The run r is kept, and goes on when that is over.",
  ]);

  const second = wait();
  waiting.endAll();
  expect(((await second) as ServiceError).code).toBe("shutting_down");
  waiting.giveUp(told);
  expect(((await wait()) as ServiceError).code).toBe("shutting_down");
});

test("what is done for somebody who waits is broken off when the store takes nothing, but not when the service stops", async () => {
  const waiting = createWaiting({ store: {} as Store, events: createRunEvents() });
  const { signal: client } = new AbortController();
  const away = new ServiceError("storage_unavailable", "The database cannot be reached.");
  const ask = () =>
    waiting.during(client, async (signal) => {
      await setImmediate();
      return signal.reason ?? "done";
    });

  const first = ask();
  waiting.giveUp(away);
  expect(await first).toBe(away);

  const second = ask();
  waiting.endAll();
  expect(await second).toBe("done");

  const third = ask();
  waiting.giveUp(away);
  expect(await third).toBe(away);
});
