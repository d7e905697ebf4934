import { describe, expect, test } from "vitest";
import { deadPid, type PrepareMemory } from "./memory-under-test.ts";
import { newRunId, sampleAnswer } from "./sample-agent-runs.ts";

/** The promises of every driver about the end of a turn. */
export function agentTurnEndSuite(name: string, prepare: PrepareMemory): void {
  describe(`${name}: the end of a turn`, () => {
    const [thread, key] = [
      { owner: null, id: "t" },
      { owner: null, key: "k", hash: "h" },
    ];
    const answer = { key, stored: sampleAnswer() };
    const messages = [{ type: "human" as const, content: "Hi" }];
    const waitingRun = (state: unknown) => ({
      owner: null,
      thread_id: null,
      state,
      expires_at: Date.now() + 3_600_000,
    });

    test("keeps the turn, the run that waits and the answer together", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const runId = newRunId();
      await here.agent.answers.claim(key);
      await here.agent.threads.hold(thread);
      const waiting = { runId, run: waitingRun("waits") };
      expect(await here.agent.endTurn({ thread: { key: thread, messages }, waiting, answer })).toBe(true);
      expect((await there.agent.threads.get(thread))?.messages).toEqual(messages);
      expect(await there.agent.threads.hold(thread)).toBe(true);
      expect(await there.agent.answers.claim(key)).toEqual({ outcome: "answered", answer: answer.stored });
      expect(await there.agent.openRuns.take(runId, null)).toEqual({ run: waiting.run, done: [] });
    });

    test("keeps nothing when one of them cannot be written", async () => {
      await using database = await prepare();
      const { agent } = await database.open();
      const runId = newRunId();
      // JSON has no such number, so it fails wherever it is written.
      const unwritable = 1n;
      await agent.answers.claim(key);
      const inThread = [{ type: "human" as const, content: unwritable as unknown as string }];
      await expect(
        agent.endTurn({ thread: { key: thread, messages: inThread }, waiting: { runId, run: waitingRun(1) }, answer }),
      ).rejects.toThrow(TypeError);
      await expect(
        agent.endTurn({ thread: { key: thread, messages }, waiting: { runId, run: waitingRun(unwritable) }, answer }),
      ).rejects.toThrow(TypeError);
      expect(await agent.threads.get(thread)).toBeNull();
      expect(await agent.openRuns.take(runId, null)).toBeNull();
      expect(await agent.answers.claim(key)).toEqual({ outcome: "claimed" });
    });

    test("is kept once, by the process that has its key: not by one that was taken for dead meanwhile", async () => {
      await using database = await prepare();
      const late = await database.open({ pid: deadPid });
      await late.agent.answers.claim(key);
      const { agent } = await database.open();
      expect(await agent.answers.claim(key)).toEqual({ outcome: "claimed" });
      const turn = { thread: { key: thread, messages }, answer };
      const kept: boolean[] = [];
      for (const process of [late.agent, agent, late.agent, agent]) kept.push(await process.endTurn(turn));
      expect(kept).toEqual([false, true, false, false]);
      expect((await agent.threads.get(thread))?.messages).toEqual(messages);
    });
  });
}
