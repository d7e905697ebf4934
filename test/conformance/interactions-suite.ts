import { describe, expect, test } from "vitest";
import { hostileTexts } from "./hostile-texts.ts";
import { failedReply, sampleInteraction, sampleReply, sampleRun, sampleScores } from "./sample-runs.ts";
import type { OpenStorage } from "./storage-under-test.ts";
import { claim, collect, created, ending, progressOf, storedTurn } from "./suite-helpers.ts";

/** What every driver promises about the turns of an attempt. */
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
  });
}
