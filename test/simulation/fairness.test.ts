import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import type { EndpointLimits } from "../../src/contract/ports/limits.ts";
import type { NewRun } from "../../src/contract/ports/store.ts";
import { createStore } from "../../src/storage/queries/create-store.ts";
import { sizes } from "../support/sizes.ts";
import { tortureRun } from "../torture/torture-run.ts";
import { clock, counted, endpointOf, startProcess } from "./simulated-process.ts";
import { startVirtualTime } from "./virtual-time.ts";
import { createWitness, type WitnessOptions } from "./witness.ts";
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

/** A world in virtual time, with processes of as many places as by default. */
async function startWorld({
  limits,
  witnessed = { callsAtOnce: limits.concurrency, perMinute: limits.requests_per_minute },
  processes = 1,
  latencyOf = () => 200,
}: {
  limits: EndpointLimits;
  witnessed?: Omit<WitnessOptions, "now">;
  processes?: number;
  latencyOf?: (turn: string) => number;
}) {
  const time = startVirtualTime();
  const database = await openWorldStore();
  const commits = { count: 0 };
  const witness = createWitness({ now: time.now, ...witnessed });
  const ignore = (): void => {};
  const { runs } = createStore({
    database: counted(database, commits),
    clock,
    onWork: ignore,
    onCancel: ignore,
    close: async () => {},
  });
  const started = Array.from({ length: processes }, (_, number) =>
    startProcess({ number, database, commits, witness, limits, capacity: 64, perRun: 8, latencyOf }),
  );
  return {
    create: (run: NewRun): void => void runs.create(run),
    untilCalls: (count: number) => time.passUntil(() => witness.calls >= count, 60_000),
    /** Virtual milliseconds from the creation of a run to its end. */
    async timeOf(run: NewRun): Promise<number> {
      const begin = time.now();
      void runs.create(run);
      expect(await time.passUntil(() => witness.ended.has(run.id), 600_000)).toBe(true);
      expect(witness.problems).toEqual([]);
      return time.now() - begin;
    },
    [Symbol.dispose]() {
      for (const process of started) process.kill();
      time[Symbol.dispose]();
    },
  };
}

async function timeOfSmallRun({ callsAtOnce, turns, processes, perMinute }: Setting, beside: number): Promise<number> {
  using world = await startWorld({ processes, limits: { concurrency: callsAtOnce, requests_per_minute: perMinute } });
  if (beside > 0) world.create(run(beside, turns));
  await world.untilCalls(Math.min(50, beside));
  return await world.timeOf(run(10, turns));
}

test.each<Setting>([
  { callsAtOnce: 4, turns: 4, processes: 1 },
  { callsAtOnce: 2, turns: 6, processes: 2 },
  { callsAtOnce: 16, turns: 3, processes: 1 },
  // Many turns, so that the burst a quiet endpoint has saved up does not decide.
  { callsAtOnce: 8, turns: 6, processes: 1, perMinute: 600 },
])("a run of 10 attempts beside a large one takes at most three times as long as alone: %o", async (setting) => {
  const alone = await timeOfSmallRun(setting, 0);
  const beside = await timeOfSmallRun(setting, sizes.besideAttempts);
  expect(beside).toBeLessThanOrEqual(3 * alone);
});

/** Beside so many runs of another owner whose endpoints do not answer for two minutes. */
async function timeBesideSilence(count: number): Promise<number> {
  const silent = new Set<string>();
  using world = await startWorld({
    limits: { concurrency: 16 },
    // A quarter more than the calls that all owners may make at once.
    witnessed: { callsAtOnce: 80 },
    latencyOf: (turn) => (silent.has(turn.split(" ")[0]!) ? 120_000 : 200),
  });
  for (let index = 0; index < count; index += 1) {
    const { settings, ...busy } = run(100, 1);
    silent.add(busy.id);
    const endpoint = `http://silent-${index % 5}.test/${busy.id}`;
    world.create({ ...busy, owner: "busy", settings: { ...settings, endpoint } });
  }
  await world.untilCalls(count > 0 ? 64 : 0);
  return await world.timeOf({ ...run(10, 2), owner: "other" });
}

test("an owner whose endpoints never answer does not keep the runs of another waiting", async () => {
  const alone = await timeBesideSilence(0);
  const beside = await timeBesideSilence(10);
  expect(beside).toBeLessThanOrEqual(3 * alone);
});
