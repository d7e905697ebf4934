import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { hostileTexts } from "./hostile-texts.ts";
import { deadPid, type PrepareMemory } from "./memory-under-test.ts";
import { newRunId, runEnd, runStart, sampleAnswer } from "./sample-agent-runs.ts";

type Six = [string, string, string, string, string, string];

/** The promises of every driver about the agent's threads. */
export function agentThreadsSuite(name: string, prepare: PrepareMemory): void {
  describe(`${name}: the agent's threads`, () => {
    const key = { owner: null, id: "t" };

    test("keep what was said, for their owner, in every process", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      expect(await here.agent.threads.get(key)).toBeNull();
      const messages = hostileTexts.map(([, content]) => ({ type: "human" as const, content }));
      await here.agent.endTurn({ thread: { key, messages: messages.slice(0, 3) } });
      await there.agent.endTurn({ thread: { key, messages: messages.slice(3) } });
      expect((await here.agent.threads.get(key))?.messages).toEqual(messages);
      expect(await here.agent.threads.get({ ...key, owner: "other" })).toBeNull();
      expect(await here.agent.threads.remove({ ...key, owner: "other" })).toBe(false);
      expect(await there.agent.threads.remove(key)).toBe(true);
      expect(await here.agent.threads.get(key)).toBeNull();
      expect(await here.agent.threads.remove(key)).toBe(false);
    });

    test("are listed for their owner, page by page, the latest turn first", async () => {
      await using database = await prepare();
      const { agent } = await database.open();
      const messages = [{ type: "human" as const, content: "Hi" }];
      for (const id of ["a", "b", "c", "a"]) {
        await agent.endTurn({ thread: { key: { owner: null, id }, messages } });
        await sleep(2);
      }
      await agent.endTurn({ thread: { key: { owner: 'k"', id: "theirs" }, messages } });
      const first = await agent.threads.list({ owner: null, limit: 2 });
      expect(first.threads.map(({ id }) => id)).toEqual(["a", "c"]);
      const rest = await agent.threads.list({ owner: null, limit: 2, cursor: first.next_cursor ?? "" });
      expect(rest).toMatchObject({ threads: [{ id: "b" }], next_cursor: null });
      expect((await agent.threads.list({ owner: 'k"', limit: 9 })).threads).toMatchObject([{ id: "theirs" }]);
      await expect(agent.threads.list({ owner: null, limit: 2, cursor: "no" })).rejects.toThrow("cursor");
    });

    test("are deleted with their runs and waiting turns, except running turns and those of other owners", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const left = await database.open({ pid: deadPid });
      const [ended, waits, underWay, died, otherThread, others] = Array.from({ length: 6 }, newRunId) as Six;
      const run = { owner: null, thread_id: "t", state: {}, expires_at: Date.now() + 3_600_000 };
      here.agent.runLog.append(waits, runStart({ thread_id: "t" }));
      here.agent.runLog.append(waits, runEnd({ state: "waiting" }));
      await here.agent.endTurn({ waiting: { runId: waits, run } });
      left.agent.runLog.append(died, runStart({ thread_id: "t" }));
      await left.agent.runLog.get(died, null);
      there.agent.runLog.append(underWay, runStart({ thread_id: "t" }));
      there.agent.runLog.append(otherThread, runStart({ thread_id: "u" }));
      there.agent.runLog.append(others, runStart({ thread_id: "t", owner: "other" }));
      for (const id of [otherThread, others]) there.agent.runLog.append(id, runEnd());
      await there.agent.runLog.get(underWay, null);
      here.agent.runLog.append(ended, runStart({ thread_id: "t" }));
      here.agent.runLog.append(ended, runEnd());
      await here.agent.endTurn({ thread: { key, messages: [{ type: "human", content: "Hi" }] } });

      // Unwritten data is deleted too.
      expect(await here.agent.threads.remove(key)).toBe(true);
      const { runs } = await there.agent.runLog.list({ owner: null, limit: 9 });
      expect(runs.map(({ id }) => id).toSorted()).toEqual([underWay, otherThread].toSorted());
      expect(await there.agent.runLog.get(others, "other")).not.toBeNull();
      expect(await there.agent.openRuns.ofThread(key)).toBeNull();
      expect(await there.agent.openRuns.take(waits, null)).toBeNull();
      expect(await here.agent.threads.remove(key)).toBe(false);
    });

    test("stay deleted when a running turn ends, and start empty with the next", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const say = (content: string) => ({ thread: { key, messages: [{ type: "human" as const, content }] } });
      await here.agent.endTurn(say("first"));
      await here.agent.threads.hold(key);
      expect(await there.agent.threads.remove(key)).toBe(true);
      expect(await here.agent.endTurn(say("second"))).toBe(true);
      expect(await there.agent.threads.get(key)).toBeNull();
      expect(await there.agent.threads.hold(key)).toBe(true);
      expect(await there.agent.endTurn(say("third"))).toBe(true);
      expect((await here.agent.threads.get(key))?.messages).toEqual(say("third").thread.messages);

      const runId = newRunId();
      const run = { owner: null, thread_id: "t", state: {}, expires_at: Date.now() + 3_600_000 };
      await here.agent.endTurn({ waiting: { runId, run } });
      await here.agent.threads.hold(key);
      await here.agent.openRuns.take(runId, null);
      expect(await there.agent.threads.remove(key)).toBe(true);
      const waitsAgain = here.agent.endTurn({ waiting: { runId, run }, held: key, ended: runId });
      await expect(waitsAgain).rejects.toMatchObject({ code: "not_found" });
      await here.agent.openRuns.giveBack(runId);
      expect(await here.agent.openRuns.get(runId, null)).toBeNull();
      expect(await there.agent.threads.get(key)).toBeNull();
    });

    test("are held by one process at a time, until it gives them back or dies", async () => {
      await using database = await prepare();
      const dead = await database.open({ pid: deadPid });
      const [here, there] = [await database.open(), await database.open()];
      const takes = await Promise.all([here.agent.threads.hold(key), there.agent.threads.hold(key)]);
      expect(takes.toSorted()).toEqual([false, true]);
      const [holder, other] = takes[0] ? [here, there] : [there, here];
      expect(await other.agent.threads.hold({ ...key, id: "u" })).toBe(true);
      await other.agent.threads.release(key);
      expect(await other.agent.threads.hold(key)).toBe(false);
      await holder.agent.endTurn({ thread: { key, messages: [{ type: "human", content: "Hi" }] } });
      expect(await other.agent.threads.hold(key)).toBe(true);
      await other.agent.threads.release(key);
      expect(await holder.agent.threads.hold(key)).toBe(true);

      const left = { owner: null, id: "left" };
      expect(await dead.agent.threads.hold(left)).toBe(true);
      const next = await database.open();
      expect(await next.agent.threads.hold(left)).toBe(true);
    });

    test.each(["while", "once"])(
      "take nothing from a process that was taken for dead %s another goes on",
      async (when) => {
        await using database = await prepare();
        const late = await database.open({ pid: deadPid });
        const say = (content: string) => ({ thread: { key, messages: [{ type: "human" as const, content }] } });
        await late.agent.endTurn(say("first"));
        expect(await late.agent.threads.hold(key)).toBe(true);
        const { agent } = await database.open();
        expect(await agent.threads.hold(key)).toBe(true);
        const answer = { key: { owner: null, key: "late", hash: "h" }, stored: sampleAnswer() };
        await late.agent.answers.claim(answer.key);
        const waiting = {
          runId: newRunId(),
          run: { owner: null, thread_id: null, state: {}, expires_at: Date.now() + 3_600_000 },
        };
        const isLate = async () => {
          expect(await late.agent.endTurn({ ...say("late"), answer })).toBe(false);
          expect(await late.agent.endTurn({ waiting, held: key, answer })).toBe(false);
        };
        if (when === "while") await isLate();
        expect(await agent.endTurn(say("second"))).toBe(true);
        await isLate();
        expect((await agent.threads.get(key))?.messages.map(({ content }) => content)).toEqual(["first", "second"]);
        expect(await agent.openRuns.get(waiting.runId, null)).toBeNull();
        await late.agent.threads.release(key);
        expect(await late.agent.answers.claim(answer.key)).toEqual({ outcome: "claimed" });
        expect(await late.agent.threads.hold(key)).toBe(true);
        expect(await late.agent.endTurn({ ...say("late"), answer })).toBe(true);
      },
    );

    test("are dropped when they were not used for long", async () => {
      await using database = await prepare();
      const { agent } = await database.open();
      await agent.endTurn({ thread: { key, messages: [{ type: "human", content: "Hi" }] } });
      await agent.endTurn({ thread: { key: { ...key, id: "used" }, messages: [{ type: "human", content: "Hi" }] } });
      const held = { ...key, id: "held" };
      await agent.endTurn({ thread: { key: held, messages: [{ type: "human", content: "Hi" }] } });
      database.pass(10_000);
      await agent.threads.hold(held);
      await agent.endTurn({
        thread: { key: { ...key, id: "used" }, messages: [{ type: "human", content: "Hi again" }] },
      });
      await agent.tidy({ runMs: null, threadMs: 5_000 });
      expect(await agent.threads.get(key)).toBeNull();
      expect((await agent.threads.get({ ...key, id: "used" }))?.messages).toHaveLength(2);
      expect(await agent.threads.get(held)).not.toBeNull();
    });
  });
}
