import { describe, expect, test } from "vitest";
import { ServiceError } from "../../src/contract/errors/errors.ts";
import { sampleRun, sampleSummary } from "./sample-runs.ts";
import type { OpenStorage } from "./storage-under-test.ts";
import { claim, collect, created, ending, storedTurn } from "./suite-helpers.ts";

/** The promises of every driver about runs. */
export function runsSuite(name: string, open: OpenStorage): void {
  describe(`${name}: runs`, () => {
    test("a created run is read back as it was given", async () => {
      await using storage = await open();
      const run = sampleRun({
        scenarios: 2,
        turns: 3,
        settings: { attempts: 2, concurrency: 7, parameters: { temperature: 0.5, extra: { a: [1, null] } } },
        warnings: [{ pointer: "/x", message: "not known" }],
        demo: true,
        priority: 3,
        tied: true,
        policy: { name: "allowlist", allow: ["https://models.example"] },
        owner: "key-1",
      });
      const created = await storage.store.runs.create(run);
      const stored = await storage.store.runs.get(run.id);
      expect(created).toEqual({ outcome: "created", run: stored });
      expect(stored).toEqual({
        id: run.id,
        settings: run.settings,
        late_calls: 0,
        spans_seen: false,
        late_spans: 0,
        trace_key: {
          prefix: expect.stringMatching(/^[0-9a-f]{16}$/),
          secret: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        warnings: run.warnings,
        demo: true,
        owner: "key-1",
        priority: 3,
        tied: true,
        policy: { name: "allowlist", allow: ["https://models.example"] },
        interrupted: false,
        state: "queued",
        message: "",
        created_at: run.created_at,
        started_at: null,
        finished_at: null,
        progress: {
          attempts_total: 4,
          attempts_done: 0,
          interactions_total: 12,
          interactions_done: 0,
          interactions_failed: 0,
        },
        summary: null,
      });
      expect(await storage.store.runs.scenarios(run.id)).toEqual(run.scenarios);
    });

    test("runs are renamed and tagged, and found by tag, label, score and date, page by page", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const all = Array.from({ length: 5 }, (_, index) =>
        sampleRun({
          created_at: 1000 + index,
          settings: { tags: index % 2 === 0 ? ["even"] : [], metadata: { branch: `b${index}` } },
        }),
      );
      for (const run of all) await runs.create(run);
      const ids = all.map(({ id }) => id);
      const found = async (filter: object) =>
        (await runs.list({ limit: 10, ...filter })).runs.map(({ id }) => ids.indexOf(id));

      expect(await found({ tag: "even" })).toEqual([4, 2, 0]);
      expect(await found({ tag: "eve" })).toEqual([]);
      expect(await found({ label: "branch=b3" })).toEqual([3]);
      expect(await found({ label: "branch" })).toEqual([4, 3, 2, 1, 0]);
      expect(await found({ label: "__proto__" })).toEqual([]);
      expect(await found({ createdRange: { from: 1001, to: 1002 } })).toEqual([2, 1]);
      expect(await found({ scoreRange: { name: "overall", minimum: 0, maximum: 1 } })).toEqual([]);
      const first = await runs.list({ tag: "even", limit: 2 });
      expect(first.runs.map(({ id }) => ids.indexOf(id))).toEqual([4, 2]);
      const second = await runs.list({ tag: "even", limit: 2, cursor: first.next_cursor ?? "" });
      expect(second.runs.map(({ id }) => ids.indexOf(id))).toEqual([0]);
      expect(second.next_cursor).toBeNull();

      expect(await runs.change(ids[1] ?? "", { test_name: "ne\u0000w", tags: ["odd", "‮"] })).toBe(true);
      expect((await runs.get(ids[1] ?? ""))?.settings).toMatchObject({ test_name: "ne\u0000w", tags: ["odd", "‮"] });
      expect(await found({ tag: "odd", test_name: "ne\u0000w" })).toEqual([1]);
      expect(await runs.change(ids[1] ?? "", {})).toBe(true);
      expect(await found({ tag: "‮" })).toEqual([1]);
      expect(await runs.change("no-such-run", { tags: [] })).toBe(false);
      await Promise.all([1, 2].map((count) => runs.addLateCalls(ids[1] ?? "", count)));
      expect((await runs.list({ limit: 10 })).runs.map((run) => run.late_calls).filter(Boolean)).toEqual([3]);
    });

    test("a tied run is interrupted as soon as its processes are dead, whatever its attempts do", async () => {
      await using storage = await open();
      // A process of its own that has sent no heartbeat yet.
      const { runs } = (await storage.another()).store;
      const [tied, free] = [sampleRun({ tied: true, created_at: 2 }), sampleRun({ created_at: 1 })];
      await runs.create(tied);
      await runs.create(free);
      const elsewhere = (await storage.another()).store.runs;
      const interrupted = async () => {
        const listed = (await elsewhere.list({ limit: 2 })).runs.map((run) => run.interrupted);
        expect(listed).toEqual([
          (await elsewhere.get(tied.id))?.interrupted,
          (await elsewhere.get(free.id))?.interrupted,
        ]);
        return listed;
      };
      expect(await interrupted()).toEqual([false, false]);
      // As long as no process shows that it lives, which here only real time would bring about.
      await storage.pass(60_000);
      expect(await interrupted()).toEqual([true, false]);

      await elsewhere.carry(tied.id);
      await elsewhere.carry(free.id);
      expect(await interrupted()).toEqual([false, false]);
      await storage.pass(60_000);
      expect(await interrupted()).toEqual([true, false]);
      await runs.cancel(tied.id);
      expect(await interrupted()).toEqual([false, false]);
      await runs.finish(tied.id, ending({ state: "cancelled" }));
      expect(await interrupted()).toEqual([false, false]);
      expect(await runs.remove(tied.id)).toBe(true);
    });

    test("a tied run is interrupted only when all processes that carry it out have ended", async () => {
      await using storage = await open();
      const tied = sampleRun({ tied: true });
      const { store: first } = await storage.another();
      await first.runs.create(tied);
      await first.close();
      const [second, third] = [(await storage.another()).store, (await storage.another()).store];
      await second.runs.carry(tied.id);
      await third.runs.carry(tied.id);
      await third.close();
      expect((await storage.store.runs.get(tied.id))?.interrupted).toBe(false);
      await second.close();
      expect((await storage.store.runs.get(tied.id))?.interrupted).toBe(true);
    });

    test("missing rows are null, empty or false", async () => {
      await using storage = await open();
      const { runs, attempts, interactions } = storage.store;
      expect(await runs.get("none")).toBeNull();
      expect(await runs.scenarios("none")).toEqual([]);
      expect(await runs.cancel("none")).toBe(false);
      expect(await runs.remove("none")).toBe(false);
      expect(await runs.finish("none", ending())).toBe(false);
      await runs.start("none", 1);
      await runs.carry("none");
      expect(await attempts.get("none")).toBeNull();
      expect(await collect(attempts.withInteractions("none"))).toEqual([]);
      expect(await interactions.ofAttempt("none")).toEqual([]);
      expect(await interactions.store({ attempt_id: "none", fence: 1 }, storedTurn(0))).toBe(false);
      await storage.store.check();
    });

    test("a hundred requests with one key make one run", async () => {
      await using storage = await open();
      const other = await storage.another();
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          (index % 2 ? storage : other).store.runs.create(
            sampleRun({ idempotency: { key: "same", hash: "h" }, settings: { attempts: 2 } }),
          ),
        ),
      );
      const created = outcomes.filter((outcome) => outcome.outcome === "created");
      const replayed = outcomes.filter((outcome) => outcome.outcome === "replayed");
      expect([created.length, replayed.length]).toEqual([1, 99]);
      expect(new Set(replayed.map((outcome) => outcome.run.id))).toEqual(new Set([created[0]?.run.id]));
      expect((await storage.store.runs.list({ limit: 200 })).runs).toHaveLength(1);
      expect(await collect(storage.store.attempts.withInteractions(created[0]!.run.id))).toHaveLength(2);
    });

    test("a key with another body is a mismatch, and belongs to its owner only", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const withKey = (owner: string | null, hash: string) => sampleRun({ owner, idempotency: { key: "k", hash } });
      expect((await runs.create(withKey(null, "a"))).outcome).toBe("created");
      expect((await runs.create(withKey(null, "b"))).outcome).toBe("mismatch");
      expect((await runs.create(withKey("", "b"))).outcome).toBe("created");
      expect((await runs.create(withKey("somebody", "b"))).outcome).toBe("created");
      expect((await runs.create(withKey(null, "a"))).outcome).toBe("replayed");
      expect((await runs.create(sampleRun())).outcome).toBe("created");
      expect((await runs.create(sampleRun())).outcome).toBe("created");
    });

    test("a key whose run is removed in the same moment is that of another run, or still of this one", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const withKey = () => sampleRun({ idempotency: { key: "k", hash: "h" } });
      for (let round = 0; round < 12; round += 1) {
        const before = withKey();
        await runs.create(before);
        await runs.finish(before.id, ending());
        const outcomes = await Promise.all([
          runs.remove(before.id),
          ...Array.from({ length: 8 }, () => runs.create(withKey())),
        ]);
        expect(outcomes).not.toContainEqual(expect.objectContaining({ outcome: "mismatch" }));
        for (const { id } of (await runs.list({ limit: 9 })).runs) {
          await runs.finish(id, ending());
          await runs.remove(id);
        }
      }
    });

    test("a new run is refused when there are too many unfinished ones, a replay is not", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const mostUnfinished = { all: 2, perOwner: 0 };
      const idempotency = { key: "k", hash: "h" };
      const [first, second] = [sampleRun({ idempotency }), sampleRun()];
      for (const run of [first, second]) {
        expect((await runs.create(run, { mostUnfinished })).outcome).toBe("created");
      }
      expect(await runs.create(sampleRun(), { mostUnfinished })).toEqual({ outcome: "full", of: "all" });
      expect(await runs.create(sampleRun({ idempotency: { key: "new", hash: "h" } }), { mostUnfinished })).toEqual({
        outcome: "full",
        of: "all",
      });
      expect((await runs.create(sampleRun({ idempotency }), { mostUnfinished })).outcome).toBe("replayed");
      expect((await runs.list({ limit: 9 })).runs).toHaveLength(2);
      await runs.finish(second.id, ending());
      expect((await runs.create(sampleRun(), { mostUnfinished })).outcome).toBe("created");
    });

    test("a new run is refused when its owner has too many unfinished ones, whatever others have", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const mostUnfinished = { all: 4, perOwner: 1 };
      const outcomeOf = async (run: ReturnType<typeof sampleRun>) =>
        (await runs.create(run, { mostUnfinished })).outcome;
      const first = sampleRun({ owner: "one" });
      expect([await outcomeOf(first), await outcomeOf(sampleRun({ owner: "two" }))]).toEqual(["created", "created"]);
      expect(await runs.create(sampleRun({ owner: "one" }), { mostUnfinished })).toEqual({
        outcome: "full",
        of: "owner",
      });
      expect([await outcomeOf(sampleRun()), await outcomeOf(sampleRun())]).toEqual(["created", "created"]);
      await runs.finish(first.id, ending());
      expect(await outcomeOf(sampleRun({ owner: "one" }))).toBe("created");
    });

    test("a replayed run shows how far it has come", async () => {
      await using storage = await open();
      const run = sampleRun({ idempotency: { key: "k", hash: "h" } });
      const { lease } = await created(storage, run);
      await storage.store.interactions.store(lease, storedTurn(0));
      const again = await storage.store.runs.create(sampleRun({ idempotency: { key: "k", hash: "h" } }));
      expect(again).toMatchObject({ outcome: "replayed", run: { id: run.id, progress: { interactions_done: 1 } } });
    });

    test("runs are listed newest first, by page, and new ones do not shift the pages", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const ids: string[] = [];
      for (let index = 0; index < 7; index += 1) {
        // Two runs share each time: the id decides between them.
        const run = sampleRun({ created_at: 1_000 + Math.floor(index / 2) });
        ids.unshift(run.id);
        await runs.create(run);
      }
      const seen: string[] = [];
      let cursor: string | null | undefined;
      do {
        const page = await runs.list({ limit: 3, ...(cursor && { cursor }) });
        seen.push(...page.runs.map((run) => run.id));
        cursor = page.next_cursor;
        await runs.create(sampleRun({ created_at: 9_999 }));
      } while (cursor);
      expect([...seen].sort()).toEqual([...ids].sort());
      expect(seen).toEqual(
        [...seen].sort((left, right) => timeOf(ids, right) - timeOf(ids, left) || (left < right ? 1 : -1)),
      );
    });

    test("long runs are listed a few at a time, and none is left out", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const system_prompt = "long ".repeat(300_000);
      const samples = ["short", ...Array<string>(3).fill("long"), "longest"].map((length, index) => {
        const settings = length === "short" ? {} : { system_prompt: system_prompt.repeat(length === "long" ? 1 : 4) };
        return sampleRun({ settings, created_at: 1_000 - index });
      });
      for (const run of samples) await runs.create(run);
      const pages: string[][] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await runs.list({ limit: 9, cursor });
        pages.push(page.runs.map(({ id }) => id));
        cursor = page.next_cursor;
      }
      expect(pages.map((page) => page.length)).toEqual([3, 1, 1]);
      expect(pages.flat()).toEqual(samples.map(({ id }) => id));
    });

    test("a page that ends with the last run has no next one", async () => {
      await using storage = await open();
      await storage.store.runs.create(sampleRun());
      await storage.store.runs.create(sampleRun());
      expect((await storage.store.runs.list({ limit: 2 })).next_cursor).toBeNull();
      expect((await storage.store.runs.list({ limit: 1 })).next_cursor).not.toBeNull();
      expect((await storage.store.runs.list({ limit: 0 })).runs).toHaveLength(1);
    });

    test("runs are found by part of their name or model in any case, and by the models named", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const nightly = sampleRun({ settings: { test_name: "Nightly 100%_a\\b\nÜbung", model_id: "hub/GPT-x" } });
      const tuned = sampleRun({ settings: { test_name: "refunds", model_id: "3f2c-tuned" } });
      await runs.create(nightly);
      await runs.create(tuned);
      const found = async (search: string, ...search_model_ids: string[]) =>
        (await runs.list({ limit: 9, search, search_model_ids })).runs.map((run) => run.id);
      for (const text of ["nightLY", "100%_", "_a\\b", "b\nÜ", "Übung", "übung", "ÜBUNG", "gpt-X"]) {
        expect({ text, ids: await found(text) }).toEqual({ text, ids: [nightly.id] });
      }
      // As many letters with two cases as a text may have.
      const letters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
        (letter) => letter.toUpperCase() !== letter,
      );
      for (const text of ["100_", "nÜbung", "a%b", "gpt_x", letters.join("").slice(0, 1_024)]) {
        expect({ text, ids: await found(text) }).toEqual({ text, ids: [] });
      }
      expect(await found("tuned")).toEqual([tuned.id]);
      expect(await found("support-v2", "3f2c-tuned", "none")).toEqual([tuned.id]);
      expect(await found("")).toHaveLength(2);
    });

    test("runs are filtered by state, name, model and owner, taken as plain data", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const injected = "x') OR '1'='1";
      const odd = sampleRun({ settings: { test_name: injected, model_id: "a\u0000\uD800%" }, owner: "o" });
      await runs.create(odd);
      await runs.create(sampleRun());
      await runs.start(odd.id, 1);
      const idsOf = async (filter: object) => (await runs.list({ limit: 9, ...filter })).runs.map((run) => run.id);
      expect(await idsOf({ test_name: injected })).toEqual([odd.id]);
      expect(await idsOf({ model_id: "a\u0000\uD800%" })).toEqual([odd.id]);
      expect(await idsOf({ model_id: "a\u0000\uD801%" })).toEqual([]);
      expect(await idsOf({ state: "running" })).toEqual([odd.id]);
      expect(await idsOf({ owner: "o" })).toEqual([odd.id]);
      expect(await idsOf({ owner: null })).not.toContain(odd.id);
      expect(await idsOf({ owner: "%" })).toEqual([]);
      expect(await idsOf({ state: "running", owner: null })).toEqual([]);
      expect(await idsOf({})).toHaveLength(2);
    });

    test.each(["", "nonsense", "W10", "Ww", Buffer.from('["a","b"]').toString("base64url"), "' or 1=1 --"])(
      "the cursor %j is refused in plain words",
      async (cursor) => {
        await using storage = await open();
        const failure: unknown = await storage.store.runs.list({ limit: 1, cursor }).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(ServiceError);
        expect(failure).toMatchObject({ code: "validation_failed" });
      },
    );

    test("a run starts once and ends once", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const run = sampleRun({ created_at: 1_000 });
      await runs.create(run);
      await runs.start(run.id, 2_000);
      await runs.start(run.id, 3_000);
      expect(await runs.get(run.id)).toMatchObject({ state: "running", started_at: 2_000, finished_at: null });
      expect(await runs.finish(run.id, ending({ at: 4_000, message: "All done\u0000" }))).toBe(true);
      expect(await runs.finish(run.id, ending({ state: "failed" }))).toBe(false);
      expect(await runs.cancel(run.id)).toBe(false);
      await runs.start(run.id, 5_000);
      expect(await runs.get(run.id)).toMatchObject({
        state: "completed",
        message: "All done\u0000",
        started_at: 2_000,
        finished_at: 4_000,
        summary: sampleSummary,
      });
    });

    test("totals of the scenarios count as long as the summary that they were stored with", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const totals = [
        { ended: 3, passed: 2, failed: 1, overall: 0.1 + 0.2 },
        { ended: 0, passed: 0, failed: 0, overall: null },
      ];
      const read = async () => runs.scenarioTotals((await runs.get(run.id))!);
      const run = sampleRun({ scenarios: 2 });
      await runs.create(run);
      expect(await read()).toBeNull();
      await runs.finish(run.id, ending({ totals }));
      expect(await read()).toEqual(totals);

      const figuresAt = (at: string) => ({
        summary: { ...sampleSummary, rescored: { at, replaced: [] } },
        message: "",
      });
      await runs.resummarize(run.id, figuresAt("2026-01-01T00:00:00.000Z"));
      expect(await read()).toBeNull();
      const better = totals.toReversed();
      await runs.resummarize(run.id, { ...figuresAt("2026-01-02T00:00:00.000Z"), totals: better });
      expect(await read()).toEqual(better);
      expect(await runs.remove(run.id)).toBe(true);
      expect(await runs.scenarioTotals(run as never)).toBeNull();
    });

    test("a wall clock that was set back makes no negative duration", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const run = sampleRun({ created_at: 10_000 });
      await runs.create(run);
      await runs.start(run.id, 9_000);
      await runs.finish(run.id, ending({ at: 8_000 }));
      expect(await runs.get(run.id)).toMatchObject({ started_at: 10_000, finished_at: 10_000 });
    });

    test("a run that ends closes what was left of its attempts", async () => {
      await using storage = await open();
      const run = sampleRun({ scenarios: 3 });
      const { lease } = await created(storage, run);
      await storage.store.runs.finish(run.id, ending({ state: "failed" }));
      const left = await collect(storage.store.attempts.withInteractions(run.id));
      expect(left.map((attempt) => attempt.state)).toEqual(["cancelled", "cancelled", "cancelled"]);
      expect(await storage.store.interactions.store(lease, storedTurn(0))).toBe(false);
      expect(await storage.queue.heartbeat("w", [lease])).toEqual([lease.attempt_id]);
      expect(await claim(storage)).toEqual([]);
      expect((await storage.store.runs.get(run.id))?.progress.interactions_done).toBe(0);
    });

    test("only an ended run is removed, with all that belongs to it", async () => {
      await using storage = await open();
      const run = sampleRun({ idempotency: { key: "k", hash: "h" } });
      const kept = sampleRun();
      const { lease } = await created(storage, run);
      await storage.store.runs.create(kept);
      await storage.store.interactions.store(lease, storedTurn(0));
      expect(await storage.store.runs.remove(run.id)).toBe(false);
      await storage.store.runs.finish(run.id, ending());
      expect(await storage.store.runs.remove(run.id)).toBe(true);
      expect(await storage.store.runs.get(run.id)).toBeNull();
      expect(await storage.store.runs.scenarios(run.id)).toEqual([]);
      expect(await storage.store.attempts.get(lease.attempt_id)).toBeNull();
      expect(await storage.store.interactions.ofAttempt(lease.attempt_id)).toEqual([]);
      expect(await storage.store.runs.get(kept.id)).not.toBeNull();
      expect((await storage.store.runs.create(run)).outcome).toBe("created");
    });

    test("a cancelled run hands out nothing and drains when its last worker hears of it", async () => {
      await using storage = await open();
      const run = sampleRun({ scenarios: 3 });
      const { lease } = await created(storage, run);
      expect(await storage.store.runs.cancel(run.id)).toBe(true);
      expect(await storage.store.runs.cancel(run.id)).toBe(true);
      expect((await storage.store.runs.get(run.id))?.state).toBe("cancelling");
      expect(await claim(storage)).toEqual([]);
      expect(await storage.store.runs.unconcluded()).toEqual([]);
      expect(await storage.queue.heartbeat("w", [lease])).toEqual([lease.attempt_id]);
      expect(await storage.store.attempts.get(lease.attempt_id)).toMatchObject({ state: "cancelled" });
      expect(await storage.store.runs.unconcluded()).toEqual([run.id]);
      expect(await storage.store.runs.finish(run.id, ending({ state: "cancelled" }))).toBe(true);
      expect(await storage.store.runs.unconcluded()).toEqual([]);
    });

    test("a run ends as cancelled when it was cancelled, and as nothing else then", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const run = sampleRun();
      await runs.create(run);
      expect(await runs.finish(run.id, ending({ state: "cancelled" }))).toBe(false);
      await runs.cancel(run.id);
      for (const state of ["completed", "failed"] as const) {
        expect(await runs.finish(run.id, ending({ state }))).toBe(false);
      }
      expect((await runs.get(run.id))?.state).toBe("cancelling");
      expect(await runs.finish(run.id, ending({ state: "cancelled" }))).toBe(true);
    });

    test("a large run is cancelled at once, and its attempts are closed in steps", async () => {
      await using storage = await open();
      const run = sampleRun({ scenarios: 40, settings: { attempts: 20 } });
      await storage.store.runs.create(run);
      expect(await storage.store.runs.cancel(run.id)).toBe(true);
      expect(await claim(storage)).toEqual([]);
      expect(await storage.store.runs.unconcluded()).toEqual([run.id]);
      expect(await storage.store.runs.finish(run.id, ending({ state: "cancelled" }))).toBe(true);
      const states = async () => {
        const attempts = await collect(storage.store.attempts.withInteractions(run.id));
        return new Set(attempts.map((attempt) => attempt.state));
      };
      for (let step = 0; step < 3 && (await states()).has("ready"); step += 1) {
        await storage.pass(1_000);
        await storage.queue.recover();
        await claim(storage);
      }
      expect(await states()).toEqual(new Set(["cancelled"]));
    });

    test("a cancelled run takes no more turns, and the refused one ends its attempt", async () => {
      await using storage = await open();
      const run = sampleRun({ turns: 2 });
      const { lease } = await created(storage, run);
      await storage.store.interactions.store(lease, storedTurn(0));
      await storage.store.runs.cancel(run.id);
      expect(await storage.store.interactions.store(lease, storedTurn(1))).toBe(false);
      expect(await storage.store.attempts.get(lease.attempt_id)).toMatchObject({ state: "cancelled" });
      expect(await storage.store.interactions.ofAttempt(lease.attempt_id)).toHaveLength(1);
      expect(await storage.store.runs.unconcluded()).toEqual([run.id]);
    });

    test("unconcluded runs are those with nothing left to do and no end", async () => {
      await using storage = await open();
      const run = sampleRun();
      const { lease } = await created(storage, run);
      await storage.store.runs.create(sampleRun());
      expect(await storage.store.runs.unconcluded()).toEqual([]);
      await storage.queue.finish(lease, { average_scores: {} });
      expect(await storage.store.runs.unconcluded()).toEqual([run.id]);
    });
  });
}

/** The creation time of the nth newest of the listed runs, as the test above gives it. */
const timeOf = (newestFirst: readonly string[], id: string): number =>
  Math.floor((newestFirst.length - 1 - newestFirst.indexOf(id)) / 2);
