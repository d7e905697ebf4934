import { randomUUIDv7 } from "node:crypto";
import fc from "fast-check";
import type { EndpointLimits } from "../../src/contract/ports/limits.ts";
import type { NewRun } from "../../src/contract/ports/store.ts";
import { createStore } from "../../src/storage/queries/create-store.ts";
import { openSqliteDatabase, type SqliteDatabase } from "../../src/storage/drivers/sqlite-database.ts";
import { tortureRun } from "../torture/torture-run.ts";
import { clock, counted, endpointOf, judgeModel, startProcess, type SimulatedProcess } from "./simulated-process.ts";
import type { VirtualTime } from "./virtual-time.ts";
import { createWitness, type Witness } from "./witness.ts";

/** The events of one simulated world. All times are virtual milliseconds from its beginning. */
interface Story {
  readonly processes: readonly { readonly capacity: number }[];
  readonly limits: EndpointLimits;
  readonly perRun: number;
  readonly latencies: readonly number[];
  readonly runs: readonly {
    readonly at: number;
    readonly scenarios: number;
    readonly turns: number;
    readonly concurrency: number | null;
    /** How often a judge at the same endpoint is asked about every turn. */
    readonly votes: number;
    readonly cancelAfter: number | null;
  }[];
  readonly faults: readonly {
    readonly at: number;
    readonly process: number;
    /** null: killed, and another one starts in its place. */
    readonly pauseMs: number | null;
  }[];
}

const few = (max: number) => fc.integer({ min: 1, max });

export const story: fc.Arbitrary<Story> = fc.record({
  processes: fc.array(fc.record({ capacity: few(6) }), { minLength: 1, maxLength: 3 }),
  limits: fc.record({
    concurrency: few(4),
    requests_per_minute: fc.option(fc.constantFrom(240, 600, 3_000), { nil: undefined, freq: 3 }),
  }),
  perRun: few(5),
  latencies: fc.array(few(250), { minLength: 1, maxLength: 4 }),
  runs: fc.array(
    fc.record({
      at: fc.nat(800),
      scenarios: few(4),
      turns: few(2),
      concurrency: fc.option(few(5), { nil: null }),
      votes: fc.constantFrom(0, 0, 0, 1, 3),
      cancelAfter: fc.option(fc.nat(800), { nil: null, freq: 3 }),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  faults: fc.array(
    fc.record({
      at: fc.nat(1_200),
      process: fc.nat(2),
      pauseMs: fc.option(fc.integer({ min: 100, max: 3_000 }), { nil: null }),
    }),
    { maxLength: 3 },
  ),
});

export const openWorldStore = (): Promise<SqliteDatabase> => openSqliteDatabase({ file: ":memory:" });

/** Everything must have ended by then, pauses and expired leases included. */
const longestMs = 120_000;

/** Plays a story to its end and returns what the witness has to complain about. */
export async function play(
  { processes, limits, perRun, latencies, runs, faults }: Story,
  { database, time }: { database: SqliteDatabase; time: VirtualTime },
): Promise<{ problems: readonly string[]; witness: Witness }> {
  await empty(database, time);
  const begin = time.now();
  const witness = createWitness({
    now: () => time.now() - begin,
    callsAtOnce: limits.concurrency,
    perMinute: limits.requests_per_minute,
  });
  const commits = { count: 0 };
  let started = 0;
  let finished = false;
  const start = (capacity: number): SimulatedProcess => {
    started += 1;
    const latencyOf = (turn: string): number => latencies[turn.length % latencies.length]!;
    return startProcess({ number: started, database, commits, witness, limits, capacity, perRun, latencyOf });
  };
  const alive = processes.map(({ capacity }) => start(capacity));
  // Runs are created and cancelled by a process that is not a worker.
  const ignore = (): void => {};
  const client = createStore({
    database: counted(database, commits),
    clock,
    onWork: ignore,
    onCancel: ignore,
    close: async () => {},
  });
  const plans = runs.map((plan) => ({ ...plan, run: plannedRun(plan) }));

  for (const { at, run, cancelAfter } of plans) {
    setTimeout(() => void client.runs.create(run), at);
    if (cancelAfter !== null) setTimeout(() => void cancel(run.id), at + 20 + cancelAfter);
  }
  for (const { at, process, pauseMs } of faults) setTimeout(() => strike(process, pauseMs), at);

  async function cancel(id: string): Promise<void> {
    if (!finished && (await client.runs.cancel(id))) witness.cancelled(id);
  }

  function strike(index: number, pauseMs: number | null): void {
    const place = index % alive.length;
    const victim = alive[place]!;
    if (pauseMs !== null) {
      victim.gate.pause();
      setTimeout(() => victim.gate.resume(), pauseMs);
      return;
    }
    victim.kill();
    setTimeout(() => {
      if (!finished) alive[place] = start(processes[place]!.capacity);
    }, 50);
  }

  const over = await time.passUntil(() => plans.every(({ run }) => witness.ended.has(run.id)), longestMs);
  const problems = [...witness.problems];
  if (!over) problems.push("not every run came to its end");
  for (const { run } of plans) {
    const record = await client.runs.get(run.id);
    const turns = run.scenarios.flatMap((scenario) => scenario.interactions.map((turn) => turn.user_message));
    const missing = turns.filter((turn) => !witness.storedTurns.has(turn));
    if (record?.state === "completed" && missing.length > 0) problems.push(`${missing.join()} not stored`);
    if (record?.progress.interactions_done !== turns.length - missing.length) problems.push(`${run.id} counts wrongly`);
  }
  finished = true;
  for (const process of alive) process.kill();
  // The store is used again: its writes must end before the timers that start them are forgotten.
  await time.passUntil(() => false, 50);
  await pass(
    database.write(async () => {}),
    time,
  );
  time.forget();
  return { problems, witness };
}

/** Nothing of an earlier story is left. */
async function empty(database: SqliteDatabase, time: VirtualTime): Promise<void> {
  const emptied = database.write(async (writer) => {
    for (const table of ["run", "endpoint_slots", "endpoint_limit"] as const) await writer.deleteFrom(table).execute();
  });
  await pass(emptied, time);
}

/** Lets time pass until the write has ended. */
async function pass(write: Promise<unknown>, time: VirtualTime): Promise<void> {
  let ended = false;
  void write.finally(() => (ended = true));
  await time.passUntil(() => ended, longestMs);
  await write;
}

function plannedRun({ scenarios, turns, concurrency, votes }: Story["runs"][number]): NewRun {
  const id = randomUUIDv7();
  const endpoint = endpointOf(id);
  return tortureRun({
    id,
    endpoint,
    scenarios,
    turns,
    settings: {
      scorers: ["success"],
      ...(concurrency !== null && { concurrency }),
      ...(votes > 0 && { judge: { endpoint: `${endpoint}/judge`, model_id: judgeModel, votes } }),
    },
  });
}
