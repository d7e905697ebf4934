import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { createStore } from "../../src/storage/create-store.ts";
import { tortureRun } from "../torture/torture-run.ts";
import { clock, counted, endpointOf, startProcess } from "./simulated-process.ts";
import { startVirtualTime } from "./virtual-time.ts";
import { createWitness } from "./witness.ts";
import { openWorldStore } from "./world.ts";

interface Setting {
  readonly callsAtOnce: number;
  readonly turns: number;
  readonly processes: number;
  readonly perMinute?: number;
}

function run(scenarios: number, turns: number) {
  const id = randomUUIDv7();
  return tortureRun({ id, endpoint: endpointOf(id), scenarios, turns, settings: { scorers: ["success"] } });
}

/** Virtual milliseconds from the creation of a run of 10 attempts to its end. */
async function timeOfSmallRun({ callsAtOnce, turns, processes, perMinute }: Setting, beside: number): Promise<number> {
  using time = startVirtualTime();
  const database = await openWorldStore();
  const commits = { count: 0 };
  const witness = createWitness({ now: time.now, callsAtOnce, perMinute });
  const ignore = (): void => {};
  const store = createStore({
    database: counted(database, commits),
    clock,
    onWork: ignore,
    onCancel: ignore,
    close: async () => {},
  });
  const limits = { concurrency: callsAtOnce, requests_per_minute: perMinute };
  const started = Array.from({ length: processes }, (_, number) =>
    // As many places as by default.
    startProcess({ number, database, commits, witness, limits, capacity: 64, perRun: 8, latencyOf: () => 200 }),
  );
  if (beside > 0) void store.runs.create(run(beside, turns));
  await time.passUntil(() => witness.calls >= Math.min(50, beside), 60_000);
  const begin = time.now();
  const small = run(10, turns);
  void store.runs.create(small);
  expect(await time.passUntil(() => witness.ended.has(small.id), 600_000)).toBe(true);
  expect(witness.problems).toEqual([]);
  const took = time.now() - begin;
  for (const process of started) process.kill();
  return took;
}

test.each<Setting>([
  { callsAtOnce: 4, turns: 4, processes: 1 },
  { callsAtOnce: 2, turns: 6, processes: 2 },
  { callsAtOnce: 16, turns: 3, processes: 1 },
  // Many turns, so that the burst a quiet endpoint has saved up does not decide.
  { callsAtOnce: 8, turns: 6, processes: 1, perMinute: 600 },
])("a run of 10 attempts beside one of 1,000 takes at most three times as long as alone: %o", async (setting) => {
  const alone = await timeOfSmallRun(setting, 0);
  const beside = await timeOfSmallRun(setting, 1_000);
  expect(beside).toBeLessThanOrEqual(3 * alone);
});
