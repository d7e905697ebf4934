import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { RescoreHold, ScoredTurn } from "../../src/contract/ports/store.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { failedReply, sampleInteraction, sampleReply, sampleRun, sampleScores, sampleSummary } from "./sample-runs.ts";
import type { OpenStorage, StorageUnderTest } from "./storage-under-test.ts";
import { claim, collect, created, ending, progressOf, storedTurn } from "./suite-helpers.ts";

/** The promises of every driver about the turns of an attempt. */
export function interactionsSuite(name: string, open: OpenStorage): void {
  describe(`${name}: interactions`, () => {
    test.each(hostileTexts)(
      "%s survives as reply, message, name and label, code unit by code unit",
      async (_, text) => {
        await using storage = await open();
        const interaction = sampleInteraction({ user_message: text, reference_metadata: { [text]: text } });
        const run = sampleRun({
          settings: { test_name: text, system_prompt: text, metadata: { [text]: [text] } },
          scenarios: [{ id: "s", description: text, tags: [text], interactions: [interaction] }],
        });
        const { lease } = await created(storage, run);
        const reply = sampleReply({ agent_reply: text, endpoint_metadata: { [text]: { [text]: text } } });
        const scores = sampleScores({ generated_metadata: { intent: text }, score_reasons: { [text]: text } });
        await storage.store.interactions.store(lease, { turn_index: 0, reply, scores });

        const [stored] = await storage.store.interactions.ofAttempt(lease.attempt_id);
        expect(stored?.reply).toEqual(reply);
        expect(stored?.scores).toEqual(scores);
        expect(stored?.reply.agent_reply === text).toBe(true);
        expect(await storage.store.runs.scenarios(run.id)).toEqual(run.scenarios);
        expect((await storage.store.runs.get(run.id))?.settings).toEqual(run.settings);
        expect((await storage.store.runs.list({ limit: 5, test_name: text })).runs).toHaveLength(1);
      },
    );

    test("a turn is stored once, however often and from wherever it is sent", async () => {
      await using storage = await open();
      const other = await storage.another();
      const { lease } = await created(storage, sampleRun({ turns: 2 }));
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? storage : other).store.interactions.store(lease, {
            turn_index: 0,
            reply: sampleReply({ agent_reply: `answer ${index}` }),
            scores: null,
          }),
        ),
      );
      expect(answers.filter(Boolean)).toHaveLength(1);
      const [stored, ...more] = await storage.store.interactions.ofAttempt(lease.attempt_id);
      expect(more).toEqual([]);
      expect(stored?.reply.agent_reply).toBe(`answer ${answers.indexOf(true)}`);
      expect(await progressOf(storage)).toMatchObject({ interactions_done: 1, interactions_failed: 0 });
    });

    test("a second pass counts for its run alone, and a replay for no run", async () => {
      await using storage = await open();
      const { lease, run_id } = await created(storage, sampleRun({ turns: 2 }));
      const turns = [
        { ...storedTurn(0), pass: "first" },
        { ...storedTurn(3), reply: failedReply, pass: "replay" },
        { ...storedTurn(3), reply: failedReply, pass: "replay" },
      ] as const;
      await storage.store.interactions.store(lease, { ...storedTurn(2), reply: failedReply, pass: "second" });
      expect(await storage.store.attempts.averagesOf(run_id, [0])).toMatchObject([{ interactions_done: 0 }]);
      for (const turn of turns) await storage.store.interactions.store(lease, turn);
      expect(await progressOf(storage)).toMatchObject({ interactions_done: 2, interactions_failed: 1 });
      expect(await storage.store.attempts.averagesOf(run_id, [0])).toMatchObject([{ interactions_done: 1 }]);
      expect(await storage.store.interactions.ofAttempt(lease.attempt_id)).toHaveLength(3);
    });

    test("failed turns are counted as done and as failed", async () => {
      await using storage = await open();
      const { lease } = await created(storage, sampleRun({ turns: 3 }));
      await storage.store.interactions.store(lease, { turn_index: 0, reply: failedReply, scores: null });
      await storage.store.interactions.store(lease, { turn_index: 0, reply: failedReply, scores: null });
      await storage.store.interactions.store(lease, storedTurn(1));
      const expected = { attempts_done: 0, interactions_done: 2, interactions_failed: 1 };
      expect(await progressOf(storage)).toMatchObject(expected);
      await storage.queue.finish(lease, { average_scores: { success: 0.5 } });
      expect(await progressOf(storage)).toMatchObject({ ...expected, attempts_done: 1 });
      const [run] = (await storage.store.runs.list({ limit: 1 })).runs;
      await storage.store.runs.finish(run!.id, ending());
      expect(await progressOf(storage)).toMatchObject({ ...expected, attempts_done: 1 });
    });

    test("a stale fence stores, scores and finishes nothing", async () => {
      await using storage = await open();
      const { lease } = await created(storage, sampleRun({ turns: 2 }));
      await storage.store.interactions.store(lease, { turn_index: 0, reply: sampleReply(), scores: null });
      await storage.pass(storage.leaseMs + 1);
      const [taken] = await claim(storage, { worker: "other" });
      expect(taken?.lease).toEqual({ attempt_id: lease.attempt_id, fence: lease.fence + 1 });
      expect(await storage.store.interactions.store(lease, storedTurn(1))).toBe(false);
      expect(await storage.store.interactions.score(lease, { turn_index: 0, scores: sampleScores() })).toBe(false);
      expect(await storage.queue.finish(lease, { average_scores: {} })).toEqual({
        finished: false,
        run_drained: false,
      });
      await storage.queue.release(lease);
      expect(await storage.store.attempts.get(lease.attempt_id)).toMatchObject({ state: "running" });
      expect(await storage.store.interactions.store(taken!.lease, storedTurn(1))).toBe(true);
      const stored = await storage.store.interactions.ofAttempt(lease.attempt_id);
      expect(stored.map((entry) => [entry.turn_index, entry.scores === null])).toEqual([
        [0, true],
        [1, false],
      ]);
    });

    test("scores are added to a stored reply, and to nothing else", async () => {
      await using storage = await open();
      const { lease } = await created(storage, sampleRun());
      const scores = sampleScores();
      expect(await storage.store.interactions.score(lease, { turn_index: 0, scores })).toBe(false);
      await storage.store.interactions.store(lease, { turn_index: 0, reply: sampleReply(), scores: null });
      expect(await storage.store.interactions.score(lease, { turn_index: 0, scores })).toBe(true);
      const [stored] = await storage.store.interactions.ofAttempt(lease.attempt_id);
      expect(stored).toEqual({ attempt_id: lease.attempt_id, turn_index: 0, reply: sampleReply(), scores });
    });

    test("a reply is reported when it is scored, or at the end of its run", async () => {
      await using storage = await open();
      const { store, queue } = storage;
      const run = sampleRun({ turns: 3 });
      const { lease } = await created(storage, run);
      const reply = sampleReply();
      for (const turn_index of [0, 1]) await store.interactions.store(lease, { turn_index, reply, scores: null });
      await store.interactions.store(lease, storedTurn(2));
      const told = async (seq: number) => {
        const { turns } = await store.interactions.after(run.id, seq, 10);
        return turns.map((turn) => [turn.turn_index, turn.seq > 0]);
      };
      expect(await told(0)).toEqual([[2, true]]);
      expect((await told(Number.NEGATIVE_INFINITY)).toSorted()).toEqual([
        [0, false],
        [1, false],
        [2, true],
      ]);
      const [{ seq: first } = { seq: 0 }] = (await store.interactions.after(run.id, 0, 1)).turns;
      await store.interactions.score(lease, { turn_index: 1, scores: sampleScores() });
      expect(await told(first)).toEqual([[1, true]]);
      // Scores that are replaced, as by a verdict on the whole conversation, are no news.
      await store.interactions.score(lease, { turn_index: 1, scores: sampleScores() });
      expect(await told(first)).toEqual([[1, true]]);
      const [{ seq: second } = { seq: 0 }] = (await store.interactions.after(run.id, first, 1)).turns;
      await store.runs.cancel(run.id);
      await queue.release(lease);
      await store.runs.finish(run.id, ending({ state: "cancelled" }));
      expect(await told(second)).toEqual([[0, true]]);
      expect(await store.interactions.ofAttempt(lease.attempt_id)).toHaveLength(3);
    });

    test("turns are read in the order they were stored, from any number on", async () => {
      await using storage = await open();
      const other = await storage.another();
      const { store } = storage;
      const run = sampleRun({ scenarios: 3, turns: 4 });
      await store.runs.create(run);
      await store.runs.create(sampleRun({ scenarios: 2 }));
      const claimed = await claim(storage);
      const mine = claimed.filter((entry) => entry.run_id === run.id);
      for (const { lease } of claimed.filter((entry) => entry.run_id !== run.id)) {
        await store.interactions.store(lease, storedTurn(0));
      }
      const order: string[] = [];
      for (const turn of [2, 0, 3]) {
        for (const [index, { lease }] of mine.entries()) {
          await (index % 2 ? store : other.store).interactions.store(lease, storedTurn(turn));
          await store.interactions.store(lease, storedTurn(turn));
          order.push(`${lease.attempt_id} ${turn}`);
        }
      }
      const { turns: all, more } = await store.interactions.after(run.id, 0, 100);
      expect(all.map((entry) => `${entry.attempt_id} ${entry.turn_index}`)).toEqual(order);
      expect(more).toBe(false);
      const places = mine.map((entry) => [entry.scenario_index, entry.attempt]);
      expect(all.slice(0, 3).map((entry) => [entry.scenario_index, entry.attempt])).toEqual(places);
      expect(all[0]).toMatchObject(storedTurn(2));
      const none = { turns: [], more: false };
      expect(await store.interactions.after(run.id, all[3]!.seq, 2)).toEqual({ turns: all.slice(4, 6), more: true });
      expect(await store.interactions.after(run.id, all.at(-1)!.seq, 5)).toEqual(none);
      expect(await store.interactions.after(run.id, 0, 0)).toEqual(none);
      expect(await store.interactions.after("none", 0, 5)).toEqual(none);
    });

    test("long turns are read a few at a time, and none is left out", async () => {
      await using storage = await open();
      const { store } = storage;
      const run = sampleRun({ turns: 5 });
      const { lease } = await created(storage, run);
      const reply = sampleReply({ agent_reply: "long ".repeat(500_000) });
      for (const turn_index of [0, 1, 2, 3, 4])
        await store.interactions.store(lease, { ...storedTurn(turn_index), reply });
      const pages: number[][] = [];
      for (let seq = 0; ;) {
        const { turns, more } = await store.interactions.after(run.id, seq, 100);
        pages.push(turns.map(({ turn_index }) => turn_index));
        if (!more) break;
        seq = turns.at(-1)!.seq;
      }
      expect(pages).toEqual([[0, 1], [2, 3], [4]]);
    });

    test("a reader that goes on from the last number it saw misses nothing, however many write at once", async () => {
      await using storage = await open();
      const other = await storage.another();
      const run = sampleRun({ scenarios: 12, turns: 6 });
      await storage.store.runs.create(run);
      const claimed = await claim(storage);
      const seen: number[] = [];
      const places = new Set<string>();
      let writing = true;
      const read = async (): Promise<void> => {
        for (;;) {
          const last = !writing;
          const page = (await storage.store.interactions.after(run.id, seen.at(-1) ?? 0, 7)).turns;
          seen.push(...page.map((entry) => entry.seq));
          for (const entry of page) places.add(`${entry.attempt_id} ${entry.turn_index}`);
          if (last && page.length === 0) return;
          await setImmediate();
        }
      };
      const write = async (): Promise<void> => {
        await Promise.all(
          claimed.map(async ({ lease }, index) => {
            for (let turn = 0; turn < 6; turn += 1) {
              await (index % 2 ? storage : other).store.interactions.store(lease, storedTurn(turn));
            }
          }),
        );
        writing = false;
      };
      await Promise.all([read(), write()]);
      expect(seen).toEqual(seen.toSorted((left, right) => left - right));
      expect([seen.length, places.size]).toEqual([72, 72]);
    });

    test("the scores of an ended run are replaced, those of others are not", async () => {
      await using storage = await open();
      const { store, queue } = storage;
      const run = sampleRun({ turns: 2 });
      const { lease } = await created(storage, run);
      for (const turn of [0, 1]) await store.interactions.store(lease, storedTurn(turn));
      const scores = sampleScores({ scores: { success: 1, overall: 0.75 }, scoring_version: "2" });
      const turns = [0, 1, 9].map((turn_index) => ({ attempt_id: lease.attempt_id, turn_index, scores }));
      const averages = { attempt_id: lease.attempt_id, average_scores: { overall: 0.75 } };
      const figures = { summary: { ...sampleSummary, average_scores: { overall: 0.75 } }, message: "Scored again" };
      const rescoreAll = async (hold: RescoreHold) => [
        await store.interactions.rescore(hold, turns),
        await store.attempts.reaverage(hold, averages),
        await store.runs.resummarize(hold.run_id, figures, hold),
      ];
      expect(await store.runs.holdForRescore(run.id)).toBeNull();
      expect(await rescoreAll({ run_id: run.id, token: "none" })).toEqual([0, false, false]);
      await queue.finish(lease, { average_scores: { success: 1 } });
      await store.runs.finish(run.id, ending());
      const [hold, another] = [await store.runs.holdForRescore(run.id), await endedAndHeld(storage)];
      expect(await rescoreAll({ run_id: run.id, token: "none" })).toEqual([0, false, false]);
      expect(await rescoreAll(another)).toEqual([0, false, true]);
      expect(await store.interactions.ofAttempt(lease.attempt_id)).toMatchObject([storedTurn(0), storedTurn(1)]);
      expect(await rescoreAll(hold!)).toEqual([2, true, true]);
      const stored = await store.interactions.ofAttempt(lease.attempt_id);
      expect(stored.map((entry) => [entry.scores, entry.reply])).toEqual([0, 1].map(() => [scores, sampleReply()]));
      expect(await store.attempts.get(lease.attempt_id)).toMatchObject({ average_scores: { overall: 0.75 } });
      expect(await store.runs.get(run.id)).toMatchObject({ ...figures, state: "completed" });
      expect(await store.interactions.rescore(hold!, [])).toBe(0);
    });

    test("a run is rescored by one process at a time; a silent process cannot write after another has taken over", async () => {
      await using storage = await open();
      const other = await storage.another();
      const { run_id, token } = await endedAndHeld(storage);
      const figures = { summary: sampleSummary, message: "by the second" };
      await storage.pass(storage.leaseMs - 1);
      expect(await other.store.runs.holdForRescore(run_id)).toBeNull();
      await storage.pass(storage.leaseMs);
      const holds = await Promise.all([1, 2].map(() => other.store.runs.holdForRescore(run_id)));
      expect(holds.filter((hold) => hold !== null)).toHaveLength(1);
      const second = holds.find((hold) => hold !== null)!;
      expect(await other.store.runs.resummarize(run_id, figures, second)).toBe(true);

      const late = { ...figures, message: "by the first" };
      expect(await storage.store.runs.resummarize(run_id, late, { run_id, token })).toBe(false);
      await storage.store.runs.releaseAfterRescore({ run_id, token });
      expect(await storage.store.runs.holdForRescore(run_id)).toBeNull();
      await other.store.runs.releaseAfterRescore(second);
      expect(await other.store.runs.resummarize(run_id, late, second)).toBe(false);
      expect(await storage.store.runs.get(run_id)).toMatchObject({ message: "by the second" });
      expect(await storage.store.runs.holdForRescore(run_id)).toMatchObject({ run_id });
      expect(await storage.store.runs.remove(run_id)).toBe(true);
      expect(await storage.store.runs.holdForRescore(run_id)).toBeNull();
    });

    test("the scorers of an ended run are replaced together with its figures", async () => {
      await using storage = await open();
      const { runs } = storage.store;
      const run = sampleRun({ scenarios: 2 });
      await runs.create(run);
      const scenario = { ...run.scenarios[1]!, description: "as it is now" };
      const settings = { ...run.settings, scorers: ["exact_match"], threshold: 0.5 };
      const figures = { summary: sampleSummary, message: "m", settings, scenarios: [{ index: 1, scenario }] };
      expect(await runs.resummarize(run.id, figures)).toBe(false);
      expect(await runs.scenarios(run.id)).toEqual(run.scenarios);
      await runs.cancel(run.id);
      await runs.finish(run.id, ending({ state: "cancelled" }));
      expect(await runs.resummarize(run.id, figures)).toBe(true);
      expect(await runs.get(run.id)).toMatchObject({ settings, message: "m", state: "cancelled" });
      expect(await runs.scenarios(run.id)).toEqual([run.scenarios[0], scenario]);
    });

    test("a large run is streamed in order, with every turn in its place", async () => {
      await using storage = await open();
      const run = sampleRun({ scenarios: 25, turns: 9, settings: { attempts: 11, concurrency: 1_000 } });
      await storage.store.runs.create(run);
      const claimed = await claim(storage, { limit: 1_000 });
      const done = claimed.filter((_, index) => index % 3 !== 0);
      await Promise.all(
        done.flatMap(({ lease, scenario_index, attempt }) =>
          [4, 0, 8, 2].map((index) =>
            storage.store.interactions.store(lease, {
              turn_index: index,
              reply: sampleReply({ agent_reply: `${scenario_index}/${attempt}/${index}` }),
              scores: null,
            }),
          ),
        ),
      );
      const streamed = await collect(storage.store.attempts.withInteractions(run.id));
      const places = Array.from({ length: 25 * 11 }, (_, index) => [Math.floor(index / 11), (index % 11) + 1]);
      expect(streamed.map((entry) => [entry.scenario_index, entry.attempt])).toEqual(places);
      const stored = new Set(done.map((entry) => entry.lease.attempt_id));
      for (const entry of streamed) {
        const replies = entry.interactions.map((interaction) => interaction.reply.agent_reply);
        const expected = [0, 2, 4, 8].map((index) => `${entry.scenario_index}/${entry.attempt}/${index}`);
        expect(replies).toEqual(stored.has(entry.id) ? expected : []);
      }
    });

    test("attempts are outlined without their turns, and one scenario is read by itself", async () => {
      await using storage = await open();
      const { store, queue } = storage;
      const run = sampleRun({ scenarios: 5, turns: 1, settings: { attempts: 3, concurrency: 1_000 } });
      await store.runs.create(run);
      const claimed = await claim(storage, { limit: 1_000 });
      const started = claimed.filter(({ scenario_index, attempt }) => scenario_index !== 2 && attempt < 3);
      for (const { lease, scenario_index } of started) {
        const turn = { turn_index: 0, reply: sampleReply(), scores: sampleScores() };
        if (scenario_index === 4) await store.interactions.store(lease, turn);
        else await queue.finish(lease, { average_scores: { overall: scenario_index / 10 }, turn });
      }
      const averages = (await collect(store.attempts.averages(run.id))).flat();
      expect(averages.map((entry) => [entry.scenario_index, entry.attempt, entry.average_scores?.["overall"]])).toEqual(
        [0, 1, 3, 4].flatMap((index) => [1, 2].map((attempt) => [index, attempt, index < 4 ? index / 10 : undefined])),
      );
      expect(await store.attempts.averagesOf(run.id, [3, 2])).toEqual(averages.slice(4, 6));
      expect(await store.attempts.averagesOf(run.id, [])).toEqual([]);
      expect(await store.runs.countScenarios(run.id)).toBe(5);
      expect(await store.runs.scenariosAt(run.id, [4, 0, 99])).toEqual([run.scenarios[4], run.scenarios[0]]);
      const third = await collect(store.attempts.withInteractions(run.id, 3));
      expect(third.map((entry) => [entry.scenario_index, entry.attempt, entry.interactions.length])).toEqual([
        [3, 1, 1],
        [3, 2, 1],
        [3, 3, 0],
      ]);
    });

    test("scores are read without their texts, page after page, whatever the other texts hold", async () => {
      await using storage = await open();
      const run = sampleRun({ scenarios: 2, turns: 9, settings: { attempts: 30, concurrency: 1_000 } });
      await storage.store.runs.create(run);
      const claimed = await claim(storage, { limit: 1_000 });
      const [, hostile = ""] = hostileTexts[0] ?? [];
      await Promise.all(
        claimed.flatMap(({ lease, scenario_index, attempt }) =>
          Array.from({ length: 8 }, (_, index) => {
            const scores = sampleScores({
              scores: { success: 1, [`metadata.${hostile}`]: attempt / 1000 + index / 7 + scenario_index },
              score_reasons: { success: hostileTexts.map(([, text]) => text.slice(0, 50)).join(" ") },
              generated_metadata: { [hostile]: hostile },
              ...(index === 6 && { conversation: { scores: { [hostile]: 0.5 }, score_reasons: {}, judgements: {} } }),
              ...(index === 3 && { semantic: { embedder: `e-${hostile}`, baseline: 0.1, cosine: 0.5 } }),
            });
            const reply = sampleReply();
            return storage.store.interactions.store(lease, {
              turn_index: index,
              reply,
              scores: index < 7 ? scores : null,
            });
          }),
        ),
      );
      const pages: ScoredTurn[] = [];
      for await (const page of storage.store.interactions.scored(run.id)) pages.push(...page);
      const whole = (await collect(storage.store.attempts.withInteractions(run.id))).flatMap((attempt) =>
        attempt.interactions.flatMap(({ turn_index, scores }) =>
          scores
            ? [
                {
                  ...scores,
                  conversation: scores.conversation ?? null,
                  turn_index,
                  scenario_index: attempt.scenario_index,
                  attempt: attempt.attempt,
                },
              ]
            : [],
        ),
      );
      const figures = (turns: readonly Omit<ScoredTurn, "embedder" | "baseline">[]) =>
        turns.map(({ scenario_index, attempt, turn_index, scores, scoring_version, conversation }) =>
          JSON.stringify([scenario_index, attempt, turn_index, scores, scoring_version, conversation?.scores ?? null]),
        );
      expect(pages).toHaveLength(2 * 30 * 7);
      expect(figures(pages).toSorted()).toEqual(figures(whole).toSorted());
      expect(pages.filter(({ conversation }) => conversation?.scores[hostile] === 0.5)).toHaveLength(60);
      expect(pages.filter(({ embedder }) => embedder === `e-${hostile}`)).toHaveLength(60);
      expect(pages.filter(({ baseline }) => baseline === null)).toHaveLength(2 * 30 * 6);
    });

    test("the scores of turns without a reply are read alone, page after page", async () => {
      await using storage = await open();
      const run = sampleRun({ scenarios: 2, turns: 9, settings: { attempts: 30, concurrency: 1_000 } });
      await storage.store.runs.create(run);
      const claimed = await claim(storage, { limit: 1_000 });
      const replies = [sampleReply(), ...Array.from({ length: 8 }, () => failedReply)];
      await Promise.all(
        claimed.flatMap(({ lease }) =>
          replies.map((reply, turn_index) =>
            storage.store.interactions.store(lease, {
              turn_index,
              reply,
              scores: sampleScores({ scores: { success: turn_index === 0 ? 1 : 0 } }),
            }),
          ),
        ),
      );
      const failed = (await collect(storage.store.interactions.scored(run.id, { failed: true }))).flat();
      const places = failed.map(({ scenario_index, attempt, turn_index }) =>
        [scenario_index, attempt, turn_index].join(),
      );
      expect(new Set(places).size).toBe(2 * 30 * 8);
      expect(failed).toHaveLength(2 * 30 * 8);
      expect(failed.every(({ scores }) => scores["success"] === 0)).toBe(true);
    });

    test("scores are read with duration and cost of their calls when these are wanted", async () => {
      await using storage = await open();
      const run = sampleRun({ turns: 2 });
      await storage.store.runs.create(run);
      const [claimed] = await claim(storage, { limit: 1 });
      const replies = [
        { ...sampleReply(), latency_ms: 120, cost: 0.25 },
        { ...sampleReply(), latency_ms: 80, cost: null },
      ];
      for (const [turn_index, reply] of replies.entries())
        await storage.store.interactions.store(claimed!.lease, { turn_index, reply, scores: sampleScores() });
      const read = (await collect(storage.store.interactions.scored(run.id, { calls: true }))).flat();
      expect(read.map(({ call }) => call)).toEqual([
        { latency_ms: 120, cost: 0.25 },
        { latency_ms: 80, cost: null },
      ]);
      const plain = (await collect(storage.store.interactions.scored(run.id))).flat();
      expect(plain.every((turn) => !("call" in turn))).toBe(true);
    });
  });
}

/** A new run that has ended and is being scored again. */
async function endedAndHeld({ store }: StorageUnderTest): Promise<RescoreHold> {
  const run = sampleRun();
  await store.runs.create(run);
  await store.runs.cancel(run.id);
  await store.runs.finish(run.id, ending({ state: "cancelled" }));
  return (await store.runs.holdForRescore(run.id))!;
}
