import { describe, expect, test } from "vitest";
import type { AgentMemory } from "../../src/contract/agent-memory.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { newRunId, runEnd, runStart, sampleAnswer, toolCall } from "./sample-agent-runs.ts";

/** One database that holds nothing yet, opened as several processes would open it. */
export interface MemoryUnderTest extends AsyncDisposable {
  /** Another process of this host; without a process id one that lives as long as the test does. */
  open(options?: { pid?: number }): Promise<{ readonly agent: AgentMemory }>;
  /** Moves the wall clock. */
  pass(ms: number): void;
}

/** No process has this id: what it holds belongs to a dead one. */
const deadPid = 4_000_000;
type Six = [string, string, string, string, string, string];
const forGood = { runMs: null, threadMs: null };

/** What every driver promises about the agent's memory. */
export function agentMemorySuite(name: string, prepare: () => Promise<MemoryUnderTest>): void {
  describe(`${name}: the agent's run log`, () => {
    test("every code unit of a run comes back, in the order it was added, in any process", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const id = newRunId();
      const texts = hostileTexts.map(([, text]) => text);
      const entries = [
        runStart({
          messages: texts.map((content) => ({ role: "user", content })),
          model_id: texts[0]!,
          thread_id: "t",
          request_id: texts[2]!,
        }),
        ...texts.map(toolCall),
        runEnd({ text: texts.join("") }),
      ];
      for (const [index, entry] of entries.entries()) {
        here.agent.runLog.append(id, entry);
        // Written in several parts, and still one log.
        if (index % 5 === 0) await here.agent.runLog.get(id, null);
      }
      expect((await here.agent.runLog.get(id, null))?.entries).toEqual(entries);
      expect(await there.agent.runLog.get(id, null)).toEqual({ id, entries });
      const { runs } = await there.agent.runLog.list({ owner: null, limit: 9, model_id: texts[0]! });
      expect(runs).toMatchObject([{ id, state: "completed", model_id: texts[0], cost: 0.5, finished_at: runEnd().at }]);
    });

    test("lists newest first, page by page, by state, wire, model and thread, to the owner only", async () => {
      await using database = await prepare();
      const { runLog } = (await database.open()).agent;
      const ids = Array.from({ length: 70 }, newRunId).toSorted();
      for (const [index, id] of ids.entries()) {
        runLog.append(id, runStart({ owner: index === 3 ? "other" : null, wire: index === 4 ? "mcp" : "agent" }));
        if (index % 2 === 0) runLog.append(id, runEnd({ state: "failed" }));
      }
      const mine = ids.filter((_, index) => index !== 3).toReversed();
      const first = await runLog.list({ owner: null, limit: 60 });
      expect(first.runs.map(({ id }) => id)).toEqual(mine.slice(0, 60));
      const second = await runLog.list({ owner: null, limit: 60, cursor: first.next_cursor ?? "" });
      expect(second.runs.map(({ id }) => id)).toEqual(mine.slice(60));
      expect(second.next_cursor).toBeNull();
      expect((await runLog.list({ owner: null, limit: 200, state: "failed" })).runs).toHaveLength(35);
      expect((await runLog.list({ owner: null, limit: 9, wire: "mcp" })).runs).toMatchObject([{ id: ids[4] }]);
      expect((await runLog.list({ owner: null, limit: 9, thread_id: "t\u0000" })).runs).toEqual([]);
      expect(await runLog.get(ids[3]!, null)).toBeNull();
      expect(await runLog.get(ids[3]!, "other")).not.toBeNull();
      expect(await runLog.get("\u0000\ud800", null)).toBeNull();
      const odd = runLog.list({ owner: null, limit: 9, cursor: "\u0000" });
      await expect(odd).rejects.toMatchObject({ code: "validation_failed" });
    });

    test("a run goes on in another process, and what was never begun is not kept", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const [id, lost] = [newRunId(), newRunId()];
      const begun = [runStart(), runEnd({ state: "waiting" })];
      for (const entry of begun) here.agent.runLog.append(id, entry);
      await here.agent.runLog.get(id, null);
      const resumed = [{ type: "run-resume" as const, at: 1, decisions: {} }, runEnd()];
      for (const entry of resumed) {
        there.agent.runLog.append(id, entry);
        there.agent.runLog.append(lost, entry);
      }
      expect((await there.agent.runLog.get(id, null))?.entries).toEqual([...begun, ...resumed]);
      expect(await there.agent.runLog.get(lost, null)).toBeNull();
      expect((await here.agent.runLog.list({ owner: null, limit: 9 })).runs).toMatchObject([
        { id, state: "completed" },
      ]);
    });

    test("a run whose process died is ended by another; one that goes on is left alone", async () => {
      await using database = await prepare();
      const dead = await database.open({ pid: deadPid });
      const [here, there] = [await database.open(), await database.open()];
      const [left = "", running = ""] = [newRunId(), newRunId()].toSorted();
      dead.agent.runLog.append(left, runStart());
      here.agent.runLog.append(running, runStart());
      await Promise.all([dead.agent.runLog.get(left, null), here.agent.runLog.get(running, null)]);
      await Promise.all([there, here, there].map(({ agent }) => agent.tidy(forGood)));
      const { runs } = await there.agent.runLog.list({ owner: null, limit: 9 });
      expect(runs.map(({ id, state }) => [id, state])).toEqual([
        [running, "running"],
        [left, "failed"],
      ]);
      const entries = (await there.agent.runLog.get(left, null))?.entries ?? [];
      expect(entries.map(({ type }) => type)).toEqual(["run-start", "run-end"]);
    });

    test("runs are dropped by age, whole", async () => {
      await using database = await prepare();
      const { agent } = await database.open();
      const [old, recent] = [newRunId(), newRunId()];
      const now = Date.now();
      agent.runLog.append(old, runStart({ at: now - 10_000 }));
      agent.runLog.append(recent, runStart({ at: now }));
      await agent.runLog.get(old, null);
      expect(await agent.tidy({ runMs: 5_000, threadMs: null })).toBe(false);
      expect(await agent.runLog.get(old, null)).toBeNull();
      expect(await agent.runLog.get(recent, null)).not.toBeNull();
      agent.runLog.append(old, runEnd());
      expect(await agent.runLog.get(old, null)).toBeNull();
    });
  });

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

    test("are forgotten with their runs and what waits, but for what is under way and others'", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const left = await database.open({ pid: deadPid });
      const [ended, waits, underWay, died, otherThread, others] = Array.from({ length: 6 }, newRunId) as Six;
      const run = { owner: null, state: {}, expires_at: Date.now() + 3_600_000 };
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

      // What has not been written yet is forgotten too.
      expect(await here.agent.threads.remove(key)).toBe(true);
      const { runs } = await there.agent.runLog.list({ owner: null, limit: 9 });
      expect(runs.map(({ id }) => id).toSorted()).toEqual([underWay, otherThread].toSorted());
      expect(await there.agent.runLog.get(others, "other")).not.toBeNull();
      expect(await there.agent.waitingRuns.ofThread(key)).toBeNull();
      expect(await there.agent.waitingRuns.take(waits, null)).toBeNull();
      expect(await here.agent.threads.remove(key)).toBe(false);
    });

    test("stay deleted when a turn ends that was under way, and begin anew with the next", async () => {
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
        const waiting = { runId: newRunId(), run: { owner: null, state: {}, expires_at: Date.now() + 3_600_000 } };
        const isLate = async () => {
          expect(await late.agent.endTurn({ ...say("late"), answer })).toBe(false);
          expect(await late.agent.endTurn({ waiting, held: key, answer })).toBe(false);
        };
        if (when === "while") await isLate();
        expect(await agent.endTurn(say("second"))).toBe(true);
        await isLate();
        expect((await agent.threads.get(key))?.messages.map(({ content }) => content)).toEqual(["first", "second"]);
        expect(await agent.waitingRuns.get(waiting.runId, null)).toBeNull();
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

  describe(`${name}: answers by Idempotency-Key`, () => {
    const key = { owner: null, key: "k", hash: "h" };

    test("one of many that claim a key at once gets it, and its answer is everybody's", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const claims = await Promise.all([here.agent.answers.claim(key), there.agent.answers.claim(key)]);
      expect(claims.map(({ outcome }) => outcome).toSorted()).toEqual(["claimed", "running"]);
      const [holder, other] = claims[0]?.outcome === "claimed" ? [here, there] : [there, here];
      expect(await other.agent.answers.claim({ ...key, hash: "x" })).toEqual({ outcome: "mismatch" });
      expect(await other.agent.answers.claim({ ...key, owner: "other" })).toEqual({ outcome: "claimed" });
      await other.agent.answers.release(key);
      const answer = sampleAnswer(hostileTexts.map(([, text]) => text).join(""));
      await holder.agent.endTurn({ answer: { key, stored: answer } });
      expect(await other.agent.answers.claim(key)).toEqual({ outcome: "answered", answer });
      await holder.agent.answers.release(key);
      expect(await holder.agent.answers.claim(key)).toEqual({ outcome: "answered", answer });
      expect(await holder.agent.answers.claim({ ...key, hash: "x" })).toEqual({ outcome: "mismatch" });
    });

    test("a key that was given up, or whose process died, may be used again", async () => {
      await using database = await prepare();
      const dead = await database.open({ pid: deadPid });
      const { answers } = (await database.open()).agent;
      await answers.claim(key);
      await answers.release(key);
      expect(await answers.claim({ ...key, hash: "another" })).toEqual({ outcome: "claimed" });

      const left = { ...key, key: "left" };
      expect(await dead.agent.answers.claim(left)).toEqual({ outcome: "claimed" });
      const next = (await database.open()).agent;
      expect(await next.answers.claim(left)).toEqual({ outcome: "claimed" });
      expect(await dead.agent.endTurn({ answer: { key: left, stored: sampleAnswer("too late") } })).toBe(false);
      expect(await next.endTurn({ answer: { key: left, stored: sampleAnswer("in time") } })).toBe(true);
      expect(await answers.claim(left)).toMatchObject({ answer: { reply: { content: "in time" } } });
    });

    test("an answer is kept for a day", async () => {
      await using database = await prepare();
      const { agent } = await database.open();
      await agent.answers.claim(key);
      await agent.endTurn({ answer: { key, stored: sampleAnswer() } });
      database.pass(23 * 3_600_000);
      await agent.tidy(forGood);
      expect(await agent.answers.claim(key)).toMatchObject({ outcome: "answered" });
      database.pass(2 * 3_600_000);
      expect(await agent.answers.claim({ ...key, hash: "another" })).toEqual({ outcome: "claimed" });
    });
  });

  describe(`${name}: the end of a turn`, () => {
    const [thread, key] = [
      { owner: null, id: "t" },
      { owner: null, key: "k", hash: "h" },
    ];
    const answer = { key, stored: sampleAnswer() };
    const messages = [{ type: "human" as const, content: "Hi" }];
    const waitingRun = (state: unknown) => ({ owner: null, state, expires_at: Date.now() + 3_600_000 });

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
      expect(await there.agent.waitingRuns.take(runId, null)).toEqual({ run: waiting.run, done: [] });
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
      expect(await agent.waitingRuns.take(runId, null)).toBeNull();
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

  describe(`${name}: runs that wait for approval`, () => {
    test("each is taken once, by its owner, before it expires, in any process", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const id = newRunId();
      const run = { owner: "me", state: { calls: hostileTexts }, expires_at: Date.now() + 3_600_000 };
      await here.agent.waitingRuns.put(id, run);
      expect(await there.agent.waitingRuns.take(id, null)).toBeNull();
      expect(await there.agent.waitingRuns.take(id, "you")).toBeNull();
      const taken = await Promise.all([here, there].map(({ agent }) => agent.waitingRuns.take(id, "me")));
      expect(taken.filter((found) => found !== null)).toEqual([{ run, done: [] }]);
      await here.agent.waitingRuns.put(id, run);
      database.pass(3_600_001);
      expect(await there.agent.waitingRuns.get(id, "me")).toBeNull();
      expect(await there.agent.waitingRuns.take(id, "me")).toBeNull();
    });

    test("those that nobody decided about in time are over", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const [late = "", waiting = ""] = [newRunId(), newRunId()].toSorted();
      const begun = [runStart(), runEnd({ state: "waiting" })];
      for (const [id, ms] of [[late, 3_600_000] as const, [waiting, 7_200_000] as const]) {
        for (const entry of begun) here.agent.runLog.append(id, entry);
        const run = { owner: null, state: {}, expires_at: Date.now() + ms };
        await here.agent.endTurn({ waiting: { runId: id, run } });
      }
      database.pass(3_600_001);
      expect(await there.agent.waitingRuns.take(late, null)).toBeNull();
      await Promise.all([here, there].map(({ agent }) => agent.tidy(forGood)));
      const { runs } = await there.agent.runLog.list({ owner: null, limit: 9 });
      expect(runs).toMatchObject([
        { id: waiting, state: "waiting" },
        {
          id: late,
          state: "cancelled",
          finish_reason: "approval_expired",
          usage: { total_tokens: 3 },
          cost: 0.5,
          duration_ms: 2,
        },
      ]);
      expect((await there.agent.runLog.get(late, null))?.entries).toHaveLength(3);
      expect(await there.agent.waitingRuns.take(waiting, null)).not.toBeNull();
    });

    test("are found by their thread, for their owner, while they wait", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const id = newRunId();
      here.agent.runLog.append(id, runStart({ owner: "me", thread_id: "t" }));
      const run = { owner: "me", state: { calls: hostileTexts }, expires_at: Date.now() + 3_600_000 };
      await here.agent.endTurn({ waiting: { runId: id, run } });
      const { waitingRuns } = there.agent;
      expect(await waitingRuns.ofThread({ owner: "me", id: "t" })).toBe(id);
      expect(await waitingRuns.ofThread({ owner: null, id: "t" })).toBeNull();
      expect(await waitingRuns.ofThread({ owner: "me", id: "u" })).toBeNull();
      expect(await waitingRuns.get(id, "you")).toBeNull();
      expect(await waitingRuns.get(id, "me")).toEqual(run);
      await waitingRuns.take(id, "me");
      expect(await waitingRuns.ofThread({ owner: "me", id: "t" })).toBeNull();
      await waitingRuns.put(id, run);
      database.pass(3_600_001);
      expect(await waitingRuns.ofThread({ owner: "me", id: "t" })).toBeNull();
    });

    test("one whose process is killed after the decision waits again, with all that was done of it", async () => {
      await using database = await prepare();
      const dead = await database.open({ pid: deadPid });
      const here = await database.open();
      const id = newRunId();
      await letWait(here.agent, id);
      expect((await dead.agent.waitingRuns.take(id, null))?.done).toEqual([]);
      const done = hostileTexts.map(([, text]) => ({ text }));
      for (const entry of done) await dead.agent.waitingRuns.note(id, entry);
      await here.agent.tidy(forGood);
      expect((await here.agent.runLog.list({ owner: null, limit: 9 })).runs).toMatchObject([
        { id, state: "waiting", error: { detail: expect.stringContaining("Send the decisions again") } },
      ]);

      expect((await here.agent.waitingRuns.take(id, null))?.done).toEqual(done);
      // Whoever was taken for dead and is not can do nothing more with it.
      await expect(dead.agent.waitingRuns.note(id, { late: true })).rejects.toThrow("Another process");
      await dead.agent.waitingRuns.giveBack(id);
      await dead.agent.waitingRuns.drop(id);
      const turn = { thread: { key: { owner: null, id: "t" }, messages: [] }, resumed: id };
      expect(await dead.agent.endTurn(turn)).toBe(false);
      await here.agent.waitingRuns.note(id, { more: true });
      expect(await here.agent.waitingRuns.get(id, null)).toBeNull();
      expect(await here.agent.endTurn(turn)).toBe(true);
      expect(await here.agent.endTurn(turn)).toBe(false);
    });

    test("one that waits once more has nothing done of it, and one that was given back has all", async () => {
      await using database = await prepare();
      const { agent } = await database.open();
      const id = newRunId();
      const run = { owner: null, state: {}, expires_at: Date.now() + 3_600_000 };
      await letWait(agent, id);
      await agent.waitingRuns.take(id, null);
      await agent.waitingRuns.note(id, { first: true });
      await agent.waitingRuns.giveBack(id);
      expect((await agent.waitingRuns.take(id, null))?.done).toEqual([{ first: true }]);
      expect(await agent.endTurn({ resumed: id, waiting: { runId: id, run } })).toBe(true);
      expect(await agent.waitingRuns.take(id, null)).toEqual({ run, done: [] });
      await agent.waitingRuns.drop(id);
      expect(await agent.waitingRuns.take(id, null)).toBeNull();
    });

    test("one that failed after the decision, and could not be taken away, does not wait again", async () => {
      await using database = await prepare();
      const [dead, here] = [await database.open({ pid: deadPid }), await database.open()];
      const id = newRunId();
      await letWait(here.agent, id);
      await dead.agent.waitingRuns.take(id, null);
      dead.agent.runLog.append(id, runEnd({ state: "failed" }));
      await dead.agent.runLog.get(id, null);
      expect(await here.agent.waitingRuns.get(id, null)).toBeNull();
      expect(await here.agent.waitingRuns.take(id, null)).toBeNull();
    });

    test("one that goes on does not expire; one that was killed and never decided about again has failed", async () => {
      await using database = await prepare();
      const [dead, here] = [await database.open({ pid: deadPid }), await database.open()];
      const [killed = "", going = ""] = [newRunId(), newRunId()].toSorted();
      for (const id of [killed, going]) await letWait(here.agent, id);
      await dead.agent.waitingRuns.take(killed, null);
      await here.agent.waitingRuns.take(going, null);
      await here.agent.tidy(forGood);
      database.pass(3_600_001);
      await here.agent.tidy(forGood);
      expect((await here.agent.runLog.list({ owner: null, limit: 9 })).runs).toMatchObject([
        { id: going },
        { id: killed, state: "failed", error: { code: "internal_error" } },
      ]);
      await here.agent.waitingRuns.note(going, { still: "ours" });
    });

    test("one whose decision was refused waits on, and is nobody's to end", async () => {
      await using database = await prepare();
      const dead = await database.open({ pid: deadPid });
      const here = await database.open();
      const id = newRunId();
      await letWait(here.agent, id);
      const taken = await dead.agent.waitingRuns.take(id, null);
      if (taken) await dead.agent.waitingRuns.giveBack(id);
      await here.agent.tidy(forGood);
      const waiting = await here.agent.runLog.list({ owner: null, state: "waiting", limit: 9 });
      expect(waiting.runs).toMatchObject([{ id, state: "waiting" }]);
    });
  });
}

async function letWait({ runLog, endTurn }: AgentMemory, runId: string): Promise<void> {
  runLog.append(runId, runStart());
  await endTurn({ waiting: { runId, run: { owner: null, state: {}, expires_at: Date.now() + 3_600_000 } } });
  runLog.append(runId, runEnd({ state: "waiting", finish_reason: "tool_calls" }));
  await runLog.get(runId, null);
}
