import fc from "fast-check";
import { expect, test } from "vitest";
import { QueueModel } from "./queue-model.ts";
import { sampleReply, sampleRun } from "./sample-runs.ts";
import type { OpenStorage, StorageUnderTest } from "./storage-under-test.ts";
import { collect } from "./suite-helpers.ts";

type Command = fc.AsyncCommand<QueueModel, StorageUnderTest>;

/** Any order of claims, heartbeats, expiries, stores, ends and cancellations leaves the storage as a simple model says. */
export function queueModelSuite(name: string, open: OpenStorage, { numRuns = 25 } = {}): void {
  test(`${name}: agrees with a simple model under any order of events`, async () => {
    const details = await fc.check(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: "max" }), async (sequence) => {
        await using storage = await open();
        await fc.asyncModelRun(() => ({ model: new QueueModel(storage.leaseMs), real: storage }), sequence);
      }),
      { numRuns },
    );
    expect(await fc.asyncDefaultReportMessage(details)).toBeUndefined();
  });
}

const worker = fc.constantFrom("worker-a", "worker-b", "worker-c");
const which = fc.nat({ max: 200 });

const commands: fc.Arbitrary<Command>[] = [
  fc
    .record({ scenarios: fc.integer({ min: 1, max: 4 }), limit: fc.integer({ min: 1, max: 3 }), priority: fc.nat(1) })
    .map(create),
  fc.record({ worker, limit: fc.integer({ min: 1, max: 6 }) }).map(claim),
  fc.record({ worker, limit: fc.integer({ min: 1, max: 6 }) }).map(claim),
  worker.map(heartbeat),
  fc.constantFrom(1, 4_000, 9_000, 15_000).map(pass),
  fc.record({ which, turn: fc.nat(2) }).map(storeTurn),
  fc.record({ which, turn: fc.nat(2) }).map(storeTurn),
  which.map(finish),
  fc.record({ which, delay: fc.constantFrom(0, 5_000) }).map(release),
  which.map(cancel),
];

function command(text: string, run: (model: QueueModel, real: StorageUnderTest) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, real) {
      await run(model, real);
      await compare(model, real);
    },
    toString: () => text,
  };
}

function create({ scenarios, limit, priority }: { scenarios: number; limit: number; priority: number }): Command {
  return command(`create(${scenarios}, limit ${limit}, priority ${priority})`, async (model, { store }) => {
    const order = model.runs.length;
    const settings = { concurrency: limit };
    const sample = sampleRun({ scenarios, turns: 3, priority, created_at: order, settings });
    await store.runs.create(sample);
    const run = { id: sample.id, priority, limit, cancelled: false };
    model.runs.push(run);
    for await (const { id } of store.attempts.withInteractions(run.id)) {
      const fresh = { run, state: "ready", fence: 0, worker: "", leaseUntil: 0, availableAt: 0 } as const;
      model.attempts.set(id, { ...fresh, turns: new Set() });
    }
  });
}

function claim({ worker: by, limit }: { worker: string; limit: number }): Command {
  return command(`claim(${by}, ${limit})`, async (model, { queue }) => {
    model.reap();
    const claimed = await queue.claim({ worker: by, limit, perRun: 1_000 });
    const byRun = Map.groupBy(claimed, (entry) => entry.run_id);
    const given = new Map([...byRun].map(([id, entries]) => [id, entries.length]));
    expect(given).toEqual(model.shares(limit, given));
    for (const { lease } of claimed) {
      const attempt = model.attempts.get(lease.attempt_id)!;
      expect([attempt.state, attempt.availableAt <= model.now]).toEqual(["ready", true]);
      expect(lease.fence).toBe(attempt.fence + 1);
      Object.assign(attempt, {
        state: "running",
        fence: lease.fence,
        worker: by,
        leaseUntil: model.now + model.leaseMs,
      });
      model.leases.push({ worker: by, lease });
    }
  });
}

function heartbeat(by: string): Command {
  return command(`heartbeat(${by})`, async (model, { queue }) => {
    const newest = new Map(
      model.leases.filter((held) => held.worker === by).map(({ lease }) => [lease.attempt_id, lease]),
    );
    const leases = [...newest.values()];
    const lost = await queue.heartbeat(by, leases);
    const expected: string[] = [];
    for (const lease of leases) {
      const attempt = model.holder(lease);
      if (attempt && !attempt.run.cancelled) attempt.leaseUntil = model.now + model.leaseMs;
      else expected.push(lease.attempt_id);
      if (attempt?.run.cancelled) attempt.state = "cancelled";
    }
    expect([...lost].sort()).toEqual(expected.sort());
  });
}

function pass(ms: number): Command {
  return command(`pass(${ms})`, async (model, real) => {
    model.now += ms;
    await real.pass(ms);
  });
}

function storeTurn({ which: index, turn }: { which: number; turn: number }): Command {
  return command(`store(lease ${index}, turn ${turn})`, async (model, { store }) => {
    const held = pick(model.leases, index);
    if (!held) return;
    const attempt = model.holder(held.lease);
    const fits = attempt !== null && !attempt.run.cancelled && !attempt.turns.has(turn);
    const stored = await store.interactions.store(held.lease, { turn_index: turn, reply: sampleReply(), scores: null });
    expect(stored).toBe(fits);
    if (fits) attempt.turns.add(turn);
    if (attempt?.run.cancelled) attempt.state = "cancelled";
  });
}

function finish(index: number): Command {
  return command(`finish(lease ${index})`, async (model, { queue }) => {
    const held = pick(model.leases, index);
    if (!held) return;
    const attempt = model.holder(held.lease);
    if (attempt) attempt.state = "done";
    const outcome = await queue.finish(held.lease, { average_scores: {} });
    const drained = attempt !== null && model.drained().includes(attempt.run.id);
    expect(outcome).toEqual({ finished: attempt !== null, run_drained: drained });
  });
}

function release({ which: index, delay }: { which: number; delay: number }): Command {
  return command(`release(lease ${index}, after ${delay})`, async (model, { queue }) => {
    const held = pick(model.leases, index);
    if (!held) return;
    const attempt = model.holder(held.lease);
    if (attempt) model.giveBack(attempt, delay > 0 ? model.now + delay : 0);
    await queue.release(held.lease, { delay_ms: delay });
  });
}

function cancel(index: number): Command {
  return command(`cancel(run ${index})`, async (model, { store }) => {
    const run = pick(model.runs, index);
    if (!run) return;
    run.cancelled = true;
    for (const attempt of model.open(run, "ready")) attempt.state = "cancelled";
    expect(await store.runs.cancel(run.id)).toBe(true);
  });
}

async function compare(model: QueueModel, { store }: StorageUnderTest): Promise<void> {
  expect([...(await store.runs.unconcluded())].sort()).toEqual(model.drained().sort());
  for (const run of model.runs) {
    const record = await store.runs.get(run.id);
    const attempts = await collect(store.attempts.withInteractions(run.id));
    let turns = 0;
    for (const { id, state, interactions } of attempts) {
      const expected = model.attempts.get(id)!;
      // Waiting attempts of a cancelled run are never handed out; they are closed some time later.
      const seen = run.cancelled && state === "ready" ? "cancelled" : state;
      expect([id, seen, interactions.map((entry) => entry.turn_index)]).toEqual([
        id,
        expected.state,
        [...expected.turns].sort(),
      ]);
      turns += expected.turns.size;
    }
    expect(record?.progress).toMatchObject({
      attempts_done: model.open(run, "done").length,
      interactions_done: turns,
      interactions_failed: 0,
    });
    expect(record?.state).toBe(run.cancelled ? "cancelling" : "queued");
  }
}

const pick = <Item>(items: readonly Item[], index: number): Item | undefined =>
  items[index % Math.max(1, items.length)];
