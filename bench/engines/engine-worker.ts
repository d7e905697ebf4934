import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createWorker } from "../../src/runs/execute/worker.ts";
import type { Queue } from "../../src/contract/ports/queue.ts";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { createPostgresDatabase } from "../../src/storage/drivers/postgres-database.ts";
import { createSockets } from "../../src/storage/drivers/postgres-connections.ts";
import { hostClock, thisHost } from "../../src/storage/tables/host.ts";
import { createAttemptWrites } from "../../src/storage/queues/boss/attempt-writes.ts";
import { sampleReply, sampleScores } from "../../test/conformance/sample-runs.ts";
import { createRowsQueue } from "./rows-queue.ts";

/** What a worker of the engine bench is started with. */
export interface EngineWorkerOptions {
  readonly url: string;
  readonly engine: "slices" | "rows" | "fair rows";
  readonly atOnce: number;
  readonly perRun: number;
  /** How long an attempt takes. */
  readonly latencyMs: number;
}

const leaseMs = 10_000;
const connections = 10;
const turn = { turn_index: 0, reply: sampleReply(), scores: sampleScores() };

async function openQueue({ url, engine, perRun }: EngineWorkerOptions): Promise<Queue> {
  if (engine === "slices") return (await openPostgres({ url, connections, perRun })).queue;
  const database = createPostgresDatabase({ url, connections, reconnectMs: 15_000, sockets: createSockets() });
  const writes = createAttemptWrites({ database, clock: hostClock });
  const queue = createRowsQueue({ fair: engine === "fair rows", database, writes, leaseMs });
  // As often as the product looks for silent workers.
  setInterval(() => void queue.recover(), 2_000);
  return queue;
}

/** Executes attempts that only wait and then store one turn, with the product's loop of claims and heartbeats. */
async function work(options: EngineWorkerOptions): Promise<void> {
  const queue = await openQueue(options);
  const onError = (error: unknown): void => void process.stderr.write(`${String(error)}\n`);
  const worker = createWorker({
    id: `${thisHost()}:${process.pid}:${randomUUID()}`,
    queue,
    capacity: options.atOnce,
    perRun: options.perRun,
    async execute({ lease }) {
      // Spread, as the answers of a model are.
      if (options.latencyMs > 0) await sleep(options.latencyMs * (0.5 + Math.random()));
      await queue.finish(lease, { average_scores: { success: 1 }, turn });
    },
    onError,
    onReleased: async () => {},
    onBroken: async () => {},
  });
  process.once("message", () => {
    worker.start();
    process.send?.("begun");
  });
  process.stdout.write(`${JSON.stringify({ worker: "ready" })}\n`);
}

await work(JSON.parse(process.argv[2] ?? "{}") as EngineWorkerOptions);
