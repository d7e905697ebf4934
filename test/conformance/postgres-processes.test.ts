import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import type { Store } from "../../src/contract/ports/store.ts";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { startPostgres } from "../support/postgres.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { sampleReply, sampleRun } from "./sample-runs.ts";
import { collect } from "./suite-helpers.ts";

const script = join(import.meta.dirname, "worker-process.ts");

interface WorkerProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  /** Resolves when it has printed a line that begins so. */
  said(start: string): Promise<void>;
}

function startWorker(...args: readonly string[]): WorkerProcess {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const lines: string[] = [];
  const waiting: { start: string; resolve: () => void }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    for (const { start, resolve } of waiting) if (line.startsWith(start)) resolve();
  });
  return {
    child,
    lines,
    async said(start) {
      if (lines.some((line) => line.startsWith(start))) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ start, resolve });
      await promise;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

test("attempts of a worker that was killed or paused go to another, each turn is stored once", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url });
  const run = sampleRun({ scenarios: 24, turns: 2, settings: { concurrency: 100 } });
  await storage.store.runs.create(run);
  // Slow enough that neither can do all of it before the other has begun, and that the paused one is in the middle of a turn.
  await using killed = startWorker(database.url, "host-a", "2", "1000");
  await using paused = startWorker(database.url, "host-b", "2", "2000");
  await Promise.all([killed.said("stored"), paused.said("stored")]);
  killed.child.kill("SIGKILL");
  paused.child.kill("SIGSTOP");
  await using alive = startWorker(database.url, "host-c", "2", "20");

  await drained(storage.store);
  const before = await storedTurns(storage.store, run.id);
  paused.child.kill("SIGCONT");
  await Promise.race([paused.said("refused"), paused.said("lost")]);

  expect(before).toHaveLength(48);
  expect(new Set(before).size).toBe(48);
  expect(await storedTurns(storage.store, run.id)).toEqual(before);
  const acknowledged = [killed, paused, alive].flatMap(({ lines }) =>
    lines.filter((line) => line.startsWith("stored")),
  );
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(acknowledged.filter((line) => !before.includes(line.replace("stored ", "")))).toEqual([]);
  alive.child.kill("SIGTERM");
  expect(await once(alive.child, "exit")).toEqual([0, null]);
});

test("a worker of the same host that died is noticed at once", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url, host: "here" });
  await storage.store.runs.create(sampleRun({ scenarios: 4, settings: { concurrency: 100 } }));
  await using killed = startWorker(database.url, "here", "1", "60000");
  await killed.said("claimed");
  killed.child.kill("SIGKILL");
  await once(killed.child, "exit");
  await expect
    .poll(() => storage.queue.claim({ worker: "w", limit: 9, perRun: 9 }), { timeout: 5_000 })
    .not.toEqual([]);
});

test("processes that start at once on a new database prepare it once", async () => {
  await using database = await createTestDatabase();
  const opened = await Promise.all([1, 2, 3, 4].map(() => openPostgres({ url: database.url, connections: 2 })));
  const runs = await Promise.all(opened.map(({ store }) => store.runs.create(sampleRun())));
  expect(runs.map((run) => run.outcome)).toEqual(["created", "created", "created", "created"]);
  await Promise.all(opened.map((storage) => storage.close()));
});

test.skipIf(process.env["DATABASE_URL"])(
  "a run goes on after the server has crashed and come back, twice",
  async () => {
    await using opened = new AsyncDisposableStack();
    const postgres = opened.adopt(await startPostgres(), ({ stop }) => stop());
    const database = opened.use(await postgres.createDatabase());
    const storage = opened.use(await openPostgres({ url: database.url, connections: 6 }));
    const { store, queue } = storage;
    const run = sampleRun({ scenarios: 60, turns: 3, settings: { concurrency: 100 } });
    await store.runs.create(run);
    let stored = 0;
    const crashes = [40, 100];
    let crashing: Promise<void> = Promise.resolve();

    async function work(): Promise<void> {
      for (;;) {
        // Writes that fail while the server is away are retried, as a worker would.
        const claimed = await queue.claim({ worker: "w", limit: 1, perRun: 100 }).catch(() => null);
        if (claimed?.length === 0 && (await store.runs.unconcluded().catch(() => [])).length > 0) return;
        for (const { lease } of claimed ?? []) {
          try {
            const done = (await store.interactions.ofAttempt(lease.attempt_id)).map((turn) => turn.turn_index);
            for (const turn of [0, 1, 2].filter((index) => !done.includes(index))) {
              const kept = await store.interactions.store(lease, {
                turn_index: turn,
                reply: sampleReply(),
                scores: null,
              });
              if (kept) stored += 1;
              if (stored >= (crashes[0] ?? Number.POSITIVE_INFINITY)) {
                crashes.shift();
                crashing = postgres.restart!();
              }
            }
            await queue.finish(lease, { average_scores: {} });
          } catch {
            await queue.release(lease).catch(() => {});
          }
        }
      }
    }
    await Promise.all(Array.from({ length: 4 }, work));
    await crashing;
    expect(crashes).toEqual([]);
    const turns = await storedTurns(store, run.id);
    expect([turns.length, new Set(turns).size]).toEqual([180, 180]);
    expect((await store.runs.get(run.id))?.progress).toMatchObject({ attempts_done: 60, interactions_done: 180 });
  },
);

async function drained(store: Store): Promise<void> {
  await expect.poll(() => store.runs.unconcluded(), { timeout: 40_000, interval: 100 }).toHaveLength(1);
}

async function storedTurns(store: Store, runId: string): Promise<string[]> {
  const attempts = await collect(store.attempts.withInteractions(runId));
  return attempts.flatMap(({ id, interactions }) => interactions.map((turn) => `${id} ${turn.turn_index}`));
}
