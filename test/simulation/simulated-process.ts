import { randomUUIDv7 } from "node:crypto";
import type { EndpointLimits } from "../../src/contract/ports/limits.ts";
import type { ChatModel } from "../../src/contract/ports/chat-model.ts";
import type { Queue } from "../../src/contract/ports/queue.ts";
import type { Store } from "../../src/contract/ports/store.ts";
import { createRuns } from "../../src/runs/create-runs.ts";
import type { ModelTarget } from "../../src/runs/plan/model-target.ts";
import { sampleReply } from "../../src/contract/testing/sample-reply.ts";
import { lastUserMessage } from "../support/fake-model.ts";
import type { HostClock } from "../../src/storage/tables/host.ts";
import type { Database } from "../../src/storage/tables/database.ts";
import { createStore } from "../../src/storage/queries/create-store.ts";
import type { SqliteDatabase } from "../../src/storage/drivers/sqlite-database.ts";
import { createLeaseQueue } from "../../src/storage/queues/leases/create-lease-queue.ts";
import { createWorkSignal } from "../../src/storage/queues/leases/work-signal.ts";
import { createLimits } from "../../src/storage/limits/create-limits.ts";
import { createProcessGate, gated, type ProcessGate } from "./process-gate.ts";
import type { Witness } from "./witness.ts";

export interface SimulatedProcess {
  readonly gate: ProcessGate;
  /** Ends it at once: its calls are cut off, and nothing of it happens any more. */
  kill(): void;
}

interface SimulatedProcessOptions {
  readonly number: number;
  readonly database: SqliteDatabase;
  /** Counts commits of all processes: what `PRAGMA data_version` is for a file. */
  readonly commits: { count: number };
  readonly witness: Witness;
  readonly limits: EndpointLimits;
  readonly capacity: number;
  readonly perRun: number;
  readonly latencyOf: (turn: string) => number;
}

/** Looks at virtual time only, since the timers and `performance` are virtual. */
export const clock: HostClock = { now: () => Date.now(), steady: () => Math.floor(performance.now()) };

const leaseMs = 2_000;

/** The address of a run's model: all runs share one endpoint, whose path names the run. */
export const endpointOf = (run: string): string => `http://model.test/${run}`;

/** The model that judges, at the endpoint of the models under test. */
export const judgeModel = "judge";

/** Everything a process of the product is made of, on a store that several of them share. */
export function startProcess(options: SimulatedProcessOptions): SimulatedProcess {
  const { number, witness, commits } = options;
  const gate = createProcessGate();
  const shared = counted(options.database, commits);
  const database = gated(shared, gate);
  const worker = `host-${number}:${number + 1}:${number}`;
  const signal = createWorkSignal({ reader: database.reader, changedElsewhere: watch(commits, gate) }, clock);
  const storeOn = (on: Database): Store =>
    createStore({
      database: on,
      clock,
      onWork: signal.work.announce,
      onCancel: signal.cancels.announce,
      close: async () => {},
    });
  const store = witnessed({ store: storeOn(database), outside: storeOn(shared), witness, gate });
  const place = { clock, leaseMs, signal, host: `host-${number}`, pid: number + 1 };
  const queue = witnessedQueue({
    queue: createLeaseQueue({ database, ...place }),
    outside: createLeaseQueue({ database: shared, ...place }),
    witness,
    gate,
  });
  const limits = createLimits(
    { database, readNow: async () => clock.steady() },
    { worker, limitsOf: () => options.limits, leaseMs: 1_500 },
  );
  const cutOff = new AbortController();
  const runs = createRuns({
    store,
    queue,
    limits,
    createModel: (target) => modelOf(target, { ...options, gate, cutOff: cutOff.signal }),
    isDemo: () => false,
    workerId: worker,
    newId: randomUUIDv7,
    concurrency: { global: options.capacity, perRun: options.perRun },
    heartbeatMs: 500,
    onError: () => {},
  });
  void runs.start();
  return {
    gate,
    kill() {
      gate.kill();
      cutOff.abort();
      signal.stop();
    },
  };
}

/** Counts what is committed. */
export function counted(database: Database, commits: { count: number }): Database {
  return {
    ...database,
    async write(work, options) {
      const result = await database.write(work, options);
      commits.count += 1;
      return result;
    },
  };
}

function watch(commits: { readonly count: number }, gate: ProcessGate): () => boolean {
  let seen = 0;
  return () => {
    if (!gate.isRunning || commits.count === seen) return false;
    seen = commits.count;
    return true;
  };
}

interface ModelOptions extends SimulatedProcessOptions {
  readonly gate: ProcessGate;
  readonly cutOff: AbortSignal;
}

/** The endpoint answers after its latency, whether or not the process that asked is paused; a killed one hangs up. */
function modelOf(
  { endpoint, model_id }: ModelTarget,
  { witness, number, gate, latencyOf, cutOff }: ModelOptions,
): ChatModel {
  const run = new URL(endpoint).pathname.split("/")[1] ?? "";
  return async (request, { signal }) => {
    const turn = lastUserMessage(request);
    const call = witness.callStarted({ run, turn: model_id === judgeModel ? null : turn, process: number, gate });
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, latencyOf(turn));
    const hangUp = (): void => {
      clearTimeout(timer);
      resolve();
    };
    for (const one of [signal, cutOff]) one.addEventListener("abort", hangUp, { once: true });
    await promise;
    call.ended();
    await gate.pass();
    signal.throwIfAborted();
    return sampleReply(turn);
  };
}

/** Passes the gate, does a write outside of it, and lets it be seen before the process learns of it. */
async function seen<Result>(
  gate: ProcessGate,
  write: () => Promise<Result>,
  see: (result: Result) => void,
): Promise<Result> {
  await gate.pass();
  const result = await write();
  see(result);
  await gate.pass();
  return result;
}

interface WitnessedQueue extends Pick<Witnessed, "witness" | "gate"> {
  readonly queue: Queue;
  readonly outside: Queue;
}

/** The last turn of an attempt is stored with its end. */
function witnessedQueue({ queue, outside, witness, gate }: WitnessedQueue): Queue {
  return {
    ...queue,
    finish: (lease, end) =>
      seen(
        gate,
        () => outside.finish(lease, end),
        ({ finished }) => void (finished && end.turn && witness.stored(end.turn.reply.agent_reply)),
      ),
  };
}

interface Witnessed {
  readonly store: Store;
  /** The same store outside the process: what is committed there counts even when the process is gone by then. */
  readonly outside: Store;
  readonly witness: Witness;
  readonly gate: ProcessGate;
}

function witnessed({ store, outside, witness, gate }: Witnessed): Store {
  return {
    ...store,
    runs: {
      ...store.runs,
      finish: (id, end) =>
        seen(
          gate,
          () => outside.runs.finish(id, end),
          (done) => void (done && witness.runEnded(id)),
        ),
    },
    interactions: {
      ...store.interactions,
      store: (lease, interaction) =>
        seen(
          gate,
          () => outside.interactions.store(lease, interaction),
          (done) => void (done && witness.stored(interaction.reply.agent_reply)),
        ),
    },
  };
}
