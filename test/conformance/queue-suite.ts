import { describe, expect, test, vi } from "vitest";
import type { ClaimedAttempt } from "../../src/contract/ports/queue.ts";
import type { NewRun } from "../../src/contract/ports/store.ts";
import { failedReply, sampleReply, sampleRun } from "./sample-runs.ts";
import type { OpenStorage } from "./storage-under-test.ts";
import { claim, created, progressOf, storedTurn } from "./suite-helpers.ts";

/** Behind a pooler, which passes no notifications on, workers look for work and ask after their leases instead. */
const isPooled = process.env["TEST_POSTGRES_POOLED"] !== undefined;

/** The promises of every driver of the `Queue` port. */
export function queueSuite(name: string, open: OpenStorage): void {
  describe(`${name}: claiming`, () => {
    test("an attempt is handed out once, with its place and its first fence", async () => {
      await using storage = await open();
      const run = sampleRun({ scenarios: 2, settings: { attempts: 2 } });
      await storage.store.runs.create(run);
      const claimed = await claim(storage);
      expect(claimed).toMatchObject([
        { run_id: run.id, scenario_index: 0, attempt: 1, tries: 1 },
        { run_id: run.id, scenario_index: 0, attempt: 2, tries: 1 },
        { run_id: run.id, scenario_index: 1, attempt: 1, tries: 1 },
        { run_id: run.id, scenario_index: 1, attempt: 2, tries: 1 },
      ]);
      expect(new Set(claimed.map((entry) => entry.lease.fence))).toEqual(new Set([1]));
      expect(await claim(storage, { worker: "other" })).toEqual([]);
      expect(await storage.store.attempts.get(claimed[0]!.lease.attempt_id)).toMatchObject({ state: "running" });
    });

    test("two connections never get the same attempt", async () => {
      await using storage = await open();
      const other = await storage.another();
      await storage.store.runs.create(sampleRun({ scenarios: 20, settings: { attempts: 10 } }));
      const claims = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          (index % 2 ? storage : other).queue.claim({ worker: `w${index}`, limit: 7, perRun: 1_000 }),
        ),
      );
      // One connection may have got to more of the run than its workers asked for.
      for (const { queue } of [storage, other]) {
        claims.push(await queue.claim({ worker: "last", limit: 200, perRun: 1_000 }));
      }
      const ids = claims.flat().map((entry) => entry.lease.attempt_id);
      expect(ids).toHaveLength(200);
      expect(new Set(ids).size).toBe(200);
    });

    test("no more than asked for, and nothing for nothing", async () => {
      await using storage = await open();
      await storage.store.runs.create(sampleRun({ scenarios: 5 }));
      expect(await claim(storage, { limit: 0 })).toEqual([]);
      expect(await claim(storage, { limit: -1 })).toEqual([]);
      expect(await claim(storage, { limit: 3 })).toHaveLength(3);
      expect(await claim(storage, { limit: 3 })).toHaveLength(2);
    });

    test("attempts in progress when a process breaks down are handed out first, one by one, to workers without other work", async () => {
      await using storage = await open();
      await storage.store.runs.create(sampleRun({ scenarios: 5 }));
      const held = await claim(storage, { worker: "elsewhere:1:broken", limit: 2 });
      await storage.queue.recover();
      const [first, ...others] = await claim(storage);
      expect([first, others]).toMatchObject([{ alone: true, breaks: 0 }, []]);
      expect(first).not.toHaveProperty("fatal");
      expect(await claim(storage, { busy: true })).toEqual([]);
      await storage.queue.finish(first!.lease, { average_scores: {} });
      const [second] = await claim(storage);
      expect(second).toMatchObject({ alone: true, breaks: 0 });
      expect(new Set([first, second].map((taken) => taken?.lease.attempt_id))).toEqual(
        new Set(held.map(({ lease }) => lease.attempt_id)),
      );
      await storage.queue.finish(second!.lease, { average_scores: {} });
      const rest = await claim(storage, { busy: true });
      expect(rest.map(({ alone }) => alone)).toEqual([undefined, undefined, undefined]);
    });

    test("the attempt that was alone when its process broke down again is fatal, and those beside it the first time are cleared", async () => {
      await using storage = await open();
      await storage.store.runs.create(sampleRun({ scenarios: 3 }));
      await claim(storage, { worker: "elsewhere:1:broken" });
      await storage.queue.recover();
      const [stopped] = await claim(storage, { worker: "elsewhere:2:stopped" });
      // Says nothing about the attempt, which still has to run alone.
      await storage.queue.release(stopped!.lease);
      const [alone] = await claim(storage, { worker: "elsewhere:3:broken" });
      expect(alone).toMatchObject({ alone: true, lease: { attempt_id: stopped!.lease.attempt_id } });
      await storage.queue.recover();
      const [fatal, ...beside] = await claim(storage);
      expect([fatal, beside]).toMatchObject([
        { alone: true, fatal: true, lease: { attempt_id: stopped!.lease.attempt_id } },
        [],
      ]);
      await storage.queue.finish(fatal!.lease, { average_scores: {} });
      const rest = await claim(storage, { busy: true });
      expect(rest.map((attempt) => "alone" in attempt)).toEqual([false, false]);
    });

    test("only attempts of the runs that are asked for", async () => {
      await using storage = await open();
      const [left, wanted] = [sampleRun({ scenarios: 2, created_at: 1 }), sampleRun({ scenarios: 2, created_at: 2 })];
      await storage.store.runs.create(left);
      await storage.store.runs.create(wanted);
      const options = { worker: "w", limit: 10, perRun: 1_000 };
      expect(await storage.queue.claim({ ...options, runs: new Set() })).toEqual([]);
      expect(perRun(await storage.queue.claim({ ...options, runs: new Set([wanted.id]) }))).toEqual({ [wanted.id]: 2 });
      expect(perRun(await storage.queue.claim(options))).toEqual({ [left.id]: 2 });
    });

    test("a run that may spend only so much is handed out to one worker at a time", async () => {
      await using storage = await open();
      const budgets = [{ calls: 5 }, { tokens: 5 }, { money: 5 }, { seconds: 5 }];
      const handedOut: number[] = [];
      for (const budget of budgets) {
        await storage.store.runs.create(sampleRun({ scenarios: 3, settings: { budget } }));
        const [first] = await claim(storage, { worker: "a", limit: 1 });
        handedOut.push((await claim(storage, { worker: "b", limit: 1 })).length);
        const [second] = await claim(storage, { worker: "a", limit: 1 });
        for (const { lease } of [first!, second!]) await storage.queue.finish(lease, { average_scores: {} });
        for (const { lease } of await claim(storage, { worker: "b" })) {
          await storage.queue.finish(lease, { average_scores: {} });
        }
        expect((await progressOf(storage))?.attempts_done).toBe(budget.seconds === undefined ? 3 : 2);
      }
      expect(handedOut).toEqual([0, 0, 0, 1]);
    });

    test("a run that is tied to a process is handed out only to who names it", async () => {
      await using storage = await open();
      const [tied, free] = [sampleRun({ tied: true, created_at: 1 }), sampleRun({ created_at: 2 })];
      await storage.store.runs.create(tied);
      await storage.store.runs.create(free);
      const options = { worker: "w", limit: 10, perRun: 1_000 };
      expect(perRun(await storage.queue.claim(options))).toEqual({ [free.id]: 1 });
      expect(perRun(await storage.queue.claim({ ...options, runs: new Set([tied.id]) }))).toEqual({ [tied.id]: 1 });
    });

    test("a small run gets its share beside a large one that came first", async () => {
      await using storage = await open();
      const large = sampleRun({ scenarios: 50, created_at: 1 });
      const small = sampleRun({ scenarios: 3, created_at: 2 });
      await storage.store.runs.create(large);
      const first = await claim(storage, { limit: 4 });
      await storage.store.runs.create(small);
      const second = await claim(storage, { limit: 6 });
      expect(perRun(first)).toEqual({ [large.id]: 4 });
      expect(perRun(second)).toEqual({ [small.id]: 3, [large.id]: 3 });
    });

    test("free places are shared evenly, and what one run leaves the others get", async () => {
      await using storage = await open();
      const runs = [sampleRun({ scenarios: 10 }), sampleRun({ scenarios: 10 }), sampleRun({ scenarios: 1 })];
      for (const run of runs) await storage.store.runs.create(run);
      expect(Object.values(perRun(await claim(storage, { limit: 9 }))).sort()).toEqual([1, 4, 4]);
    });

    test("an owner with many runs gets no more than one with a single run", async () => {
      await using storage = await open();
      const many = Array.from({ length: 4 }, () => sampleRun({ owner: "many", scenarios: 9, created_at: 1 }));
      const single = sampleRun({ owner: "single", scenarios: 9, created_at: 2 });
      for (const run of [...many, single]) await storage.store.runs.create(run);
      expect(perRun(await claim(storage, { limit: 8 }))[single.id]).toBe(4);
    });

    test("a worker that is full takes attempts of another owner into its spare places", async () => {
      await using storage = await open();
      const [busy, other] = ["busy", "other"].map((owner) => sampleRun({ owner, scenarios: 9 })) as [NewRun, NewRun];
      const options = { worker: "w", perRun: 9, spare: 4 };
      await storage.store.runs.create(busy);
      expect(await storage.queue.claim({ ...options, limit: 6 })).toHaveLength(6);
      expect(await storage.queue.claim({ ...options, limit: 0 })).toEqual([]);
      await storage.store.runs.create(other);
      expect(perRun(await storage.queue.claim({ ...options, limit: 0 }))).toEqual({ [other.id]: 2 });
      expect(await storage.queue.claim({ ...options, limit: -2 })).toEqual([]);
    });

    test("a higher priority goes first, whatever else is under way", async () => {
      await using storage = await open();
      const usual = sampleRun({ scenarios: 5, created_at: 1 });
      const urgent = sampleRun({ scenarios: 5, created_at: 2, priority: 5 });
      const idle = sampleRun({ scenarios: 5, created_at: 0, priority: -1 });
      for (const run of [usual, urgent, idle]) await storage.store.runs.create(run);
      expect(perRun(await claim(storage, { limit: 7 }))).toEqual({ [urgent.id]: 5, [usual.id]: 2 });
      expect(perRun(await claim(storage, { limit: 7 }))).toEqual({ [usual.id]: 3, [idle.id]: 4 });
    });

    test("a run never has more under way than its own limit, or the worker's", async () => {
      await using storage = await open();
      const narrow = sampleRun({ scenarios: 9, settings: { concurrency: 2 } });
      const wide = sampleRun({ scenarios: 9, settings: { concurrency: 6 } });
      const open_ = sampleRun({ scenarios: 9 });
      for (const run of [narrow, wide, open_]) await storage.store.runs.create(run);
      const claimed = await storage.queue.claim({ worker: "w", limit: 100, perRun: 4 });
      expect(perRun(claimed)).toEqual({ [narrow.id]: 2, [wide.id]: 6, [open_.id]: 4 });
      expect(await storage.queue.claim({ worker: "other", limit: 100, perRun: 4 })).toEqual([]);
      const one = claimed.find((entry) => entry.run_id === narrow.id)!;
      await storage.queue.finish(one.lease, { average_scores: {} });
      expect(perRun(await storage.queue.claim({ worker: "w", limit: 100, perRun: 4 }))).toEqual({ [narrow.id]: 1 });
    });
  });

  describe(`${name}: leases`, () => {
    test("a heartbeat keeps a lease alive for as long as it comes", async () => {
      await using storage = await open();
      const { lease } = await created(storage, sampleRun());
      for (let beat = 0; beat < 5; beat += 1) {
        await storage.pass(storage.leaseMs * 0.7);
        expect(await storage.queue.heartbeat("w", [lease])).toEqual([]);
        expect(await claim(storage, { worker: "other" })).toEqual([]);
      }
      expect(await storage.store.interactions.store(lease, storedTurn(0))).toBe(true);
    });

    test("an expired lease is taken over with the next fence, and its stored turns stay", async () => {
      await using storage = await open();
      const { lease } = await created(storage, sampleRun({ turns: 2 }));
      await storage.store.interactions.store(lease, storedTurn(0));
      await storage.pass(storage.leaseMs - 1);
      expect(await claim(storage, { worker: "other" })).toEqual([]);
      await storage.pass(1 + storage.noticeMs);
      const [taken] = await claim(storage, { worker: "other" });
      expect(taken).toMatchObject({ lease: { attempt_id: lease.attempt_id, fence: lease.fence + 1 }, tries: 2 });
      expect(await storage.queue.heartbeat("w", [lease])).toEqual([lease.attempt_id]);
      expect(await storage.queue.heartbeat("other", [taken!.lease])).toEqual([]);
      expect(await storage.store.interactions.ofAttempt(lease.attempt_id)).toHaveLength(1);
    });

    test("a late heartbeat still renews a lease that no other worker has taken", async () => {
      await using storage = await open();
      const { lease } = await created(storage, sampleRun());
      await storage.pass(storage.leaseMs * 3);
      expect(await storage.queue.heartbeat("w", [lease])).toEqual([]);
      expect(await claim(storage, { worker: "other" })).toEqual([]);
    });

    test("a heartbeat tells which of many leases are lost, and renews only those it names", async () => {
      await using storage = await open();
      await storage.store.runs.create(sampleRun({ scenarios: 4 }));
      const [kept, finished, forgotten, taken] = (await claim(storage)).map((entry) => entry.lease);
      await storage.queue.finish(finished!, { average_scores: {} });
      const others = { attempt_id: taken!.attempt_id, fence: taken!.fence + 1 };
      await storage.pass(storage.leaseMs / 2);
      const lost = await storage.queue.heartbeat("w", [kept!, finished!, others, { attempt_id: "none", fence: 1 }]);
      expect([...lost].sort()).toEqual([finished!.attempt_id, taken!.attempt_id, "none"].sort());
      await storage.pass(storage.leaseMs / 2 + 1);
      const again = (await claim(storage, { worker: "other" })).map((entry) => entry.lease.attempt_id);
      expect(again).toContain(forgotten!.attempt_id);
      expect(again).not.toContain(kept!.attempt_id);
    });

    test("a worker cannot renew the lease of another", async () => {
      await using storage = await open();
      const { lease } = await created(storage, sampleRun());
      expect(await storage.queue.heartbeat("impostor", [lease])).toEqual([lease.attempt_id]);
      expect(await storage.queue.heartbeat("w", [lease])).toEqual([]);
      expect(await storage.queue.heartbeat("w", [])).toEqual([]);
    });

    test("finishing keeps the averages and tells when the run has nothing left", async () => {
      await using storage = await open();
      await storage.store.runs.create(sampleRun({ scenarios: 2 }));
      const [first, second] = (await claim(storage)).map((entry) => entry.lease);
      const result = { average_scores: { success: 1, "metadata.toString": 0.5 } };
      expect(await storage.queue.finish(first!, result)).toEqual({ finished: true, run_drained: false });
      expect(await storage.queue.finish(first!, result)).toEqual({ finished: false, run_drained: false });
      expect(await storage.queue.finish(second!, result)).toEqual({ finished: true, run_drained: true });
      expect(await storage.store.attempts.get(first!.attempt_id)).toMatchObject({ state: "done", ...result });
    });

    test("the last turn is stored with the end of its attempt, and counted", async () => {
      await using storage = await open();
      const run = sampleRun({ turns: 2 });
      const { lease } = await created(storage, run);
      expect(await storage.store.interactions.store(lease, storedTurn(0))).toBe(true);
      const end = { average_scores: { success: 1 }, turn: { ...storedTurn(1), reply: failedReply } };
      expect(await storage.queue.finish(lease, end)).toEqual({ finished: true, run_drained: true });
      expect(await storage.queue.finish(lease, end)).toEqual({ finished: false, run_drained: false });
      const stored = await storage.store.interactions.ofAttempt(lease.attempt_id);
      expect(stored.map(({ turn_index }) => turn_index)).toEqual([0, 1]);
      expect(stored[1]).toMatchObject({ reply: end.turn.reply, scores: end.turn.scores });
      expect((await storage.store.interactions.after(run.id, 0, 10)).turns.map(({ turn_index }) => turn_index)).toEqual(
        [0, 1],
      );
      expect(await storage.store.attempts.get(lease.attempt_id)).toMatchObject({ state: "done" });
      expect(await progressOf(storage)).toMatchObject({
        attempts_done: 1,
        interactions_done: 2,
        interactions_failed: 1,
      });
    });

    test("a stale lease stores no last turn", async () => {
      await using storage = await open();
      const { lease } = await created(storage, sampleRun());
      await storage.queue.release(lease);
      const [again] = await claim(storage, { worker: "other" });
      const end = { average_scores: {}, turn: storedTurn(0) };
      expect(await storage.queue.finish(lease, end)).toEqual({ finished: false, run_drained: false });
      expect(await storage.store.interactions.ofAttempt(lease.attempt_id)).toEqual([]);
      expect(await storage.queue.finish(again!.lease, end)).toEqual({ finished: true, run_drained: true });
      expect(await storage.store.interactions.ofAttempt(lease.attempt_id)).toHaveLength(1);
    });

    test("a run that is being cancelled takes no last turn, and its attempt is over", async () => {
      await using storage = await open();
      const run = sampleRun();
      const { lease } = await created(storage, run);
      await storage.store.runs.cancel(run.id);
      const end = { average_scores: {}, turn: storedTurn(0) };
      expect(await storage.queue.finish(lease, end)).toEqual({ finished: false, run_drained: false });
      expect(await storage.store.interactions.ofAttempt(lease.attempt_id)).toEqual([]);
      expect(await storage.store.attempts.get(lease.attempt_id)).toMatchObject({ state: "cancelled" });
      expect(await storage.store.runs.unconcluded()).toEqual([run.id]);
    });

    test("a last turn that is stored already is not counted twice", async () => {
      await using storage = await open();
      const { lease } = await created(storage, sampleRun());
      await storage.store.interactions.store(lease, storedTurn(0));
      const end = { average_scores: {}, turn: storedTurn(0) };
      expect(await storage.queue.finish(lease, end)).toEqual({ finished: true, run_drained: true });
      expect(await progressOf(storage)).toMatchObject({ attempts_done: 1, interactions_done: 1 });
    });

    test("a released attempt is ready at once, or after its delay", async () => {
      await using storage = await open();
      const { lease } = await created(storage, sampleRun());
      await storage.queue.release(lease);
      const [again] = await claim(storage, { worker: "other" });
      expect(again).toMatchObject({ lease: { attempt_id: lease.attempt_id, fence: 2 }, tries: 2 });
      await storage.queue.release(again!.lease, { delay_ms: 5_000 });
      await storage.pass(4_999);
      expect(await claim(storage)).toEqual([]);
      await storage.pass(2);
      expect(await claim(storage)).toHaveLength(1);
    });

    test("attempts that were begun and given back go before new ones", async () => {
      await using storage = await open();
      await storage.store.runs.create(sampleRun({ scenarios: 5 }));
      const [begun] = await claim(storage, { limit: 1 });
      await storage.queue.release(begun!.lease);
      const [next] = await claim(storage, { limit: 1 });
      expect(next?.lease.attempt_id).toBe(begun?.lease.attempt_id);
    });

    test("breaks are counted when an attempt is given back as broken, and in no other case", async () => {
      await using storage = await open();
      const first = await created(storage, sampleRun());
      expect(first.breaks).toBe(0);
      await storage.queue.release(first.lease, { broke: true });
      await storage.queue.release(first.lease, { broke: true });
      const [second] = await claim(storage);
      expect(second).toMatchObject({ tries: 2, breaks: 1 });
      await storage.queue.release(second!.lease);
      const [third] = await claim(storage);
      expect(third).toMatchObject({ tries: 3, breaks: 1 });
      await storage.pass(storage.leaseMs + storage.noticeMs + 1);
      const [fourth] = await claim(storage);
      expect(fourth).toMatchObject({ tries: 4, breaks: 1 });
      await storage.queue.release(fourth!.lease, { broke: true, delay_ms: 1 });
      await storage.pass(50);
      expect(await claim(storage)).toMatchObject([{ tries: 5, breaks: 2 }]);
    });

    test("a released or expired attempt of a cancelled run is not handed out again", async () => {
      await using storage = await open();
      const run = sampleRun({ scenarios: 2 });
      await storage.store.runs.create(run);
      const [first, second] = (await claim(storage)).map((entry) => entry.lease);
      await storage.store.runs.cancel(run.id);
      await storage.queue.release(first!);
      expect(await storage.store.runs.unconcluded()).toEqual([]);
      await storage.pass(storage.leaseMs + 1);
      expect(await claim(storage)).toEqual([]);
      expect(await storage.store.attempts.get(first!.attempt_id)).toMatchObject({ state: "cancelled" });
      expect(await storage.store.attempts.get(second!.attempt_id)).toMatchObject({ state: "cancelled" });
      expect(await storage.store.runs.unconcluded()).toEqual([run.id]);
    });

    test("an attempt whose turns were all stored before the cancellation may be finished", async () => {
      await using storage = await open();
      const run = sampleRun();
      const { lease } = await created(storage, run);
      await storage.store.interactions.store(lease, { turn_index: 0, reply: sampleReply(), scores: null });
      await storage.store.runs.cancel(run.id);
      expect(await storage.queue.finish(lease, { average_scores: {} })).toEqual({ finished: true, run_drained: true });
    });
  });

  describe(`${name}: waking`, () => {
    test("a new run wakes the workers of its own process", async () => {
      await using storage = await open();
      const { promise, resolve } = Promise.withResolvers<void>();
      const unsubscribe = storage.queue.onWork(resolve);
      await storage.store.runs.create(sampleRun());
      await promise;
      expect(await claim(storage)).toHaveLength(1);
      unsubscribe();
    });

    test.skipIf(isPooled)("work that came through another connection wakes them too", async () => {
      await using storage = await open();
      const other = await storage.another();
      const { promise, resolve } = Promise.withResolvers<void>();
      storage.queue.onWork(resolve);
      await other.store.runs.create(sampleRun());
      await promise;
      expect(await claim(storage)).toHaveLength(1);
    });

    test.skipIf(isPooled)(
      "a cancellation reaches the workers of its own process and of others, by the id of the run",
      async () => {
        await using storage = await open();
        const other = await storage.another();
        const run = sampleRun();
        await created(storage, run);
        const here = Promise.withResolvers<string>();
        const elsewhere = Promise.withResolvers<string>();
        const silent = vi.fn<(runId: string) => void>();
        storage.queue.onCancel(here.resolve);
        other.queue.onCancel(elsewhere.resolve);
        other.queue.onCancel(silent)();
        await storage.store.runs.cancel(run.id);
        expect([await here.promise, await elsewhere.promise]).toEqual([run.id, run.id]);
        expect(silent).not.toHaveBeenCalled();
      },
    );

    test("an unsubscribed listener is not called", async () => {
      await using storage = await open();
      const { promise, resolve } = Promise.withResolvers<void>();
      const listener = vi.fn<() => void>();
      storage.queue.onWork(resolve);
      storage.queue.onWork(listener)();
      await storage.store.runs.create(sampleRun());
      await promise;
      expect(listener).not.toHaveBeenCalled();
    });

    test("a function that listens twice and leaves once is still called", async () => {
      await using storage = await open();
      const { promise, resolve } = Promise.withResolvers<void>();
      storage.queue.onWork(resolve);
      storage.queue.onWork(resolve)();
      await storage.store.runs.create(sampleRun());
      await expect(promise).resolves.toBeUndefined();
    });
  });
}

function perRun(claimed: readonly ClaimedAttempt[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { run_id } of claimed) counts[run_id] = (counts[run_id] ?? 0) + 1;
  return counts;
}
