import { describe, expect, test } from "vitest";
import type { AgentMemory } from "../../src/contract/ports/agent-memory.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { deadPid, forGood, type PrepareMemory } from "./memory-under-test.ts";
import { newRunId, runEnd, runStart, sampleAnswer, toolCall } from "./sample-agent-runs.ts";

/** The promises of every driver about runs that have not ended. */
export function agentOpenRunsSuite(name: string, prepare: PrepareMemory): void {
  describe(`${name}: runs that wait for approval`, () => {
    test("each is taken once, by its owner, before it expires, in any process", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const id = newRunId();
      const run = { owner: "me", thread_id: null, state: { calls: hostileTexts }, expires_at: Date.now() + 3_600_000 };
      await here.agent.endTurn({ waiting: { runId: id, run } });
      expect(await there.agent.openRuns.take(id, null)).toBeNull();
      expect(await there.agent.openRuns.take(id, "you")).toBeNull();
      const taken = await Promise.all([here, there].map(({ agent }) => agent.openRuns.take(id, "me")));
      expect(taken.filter((found) => found !== null)).toEqual([{ run, done: [] }]);
      await here.agent.endTurn({ waiting: { runId: id, run } });
      database.pass(3_600_001);
      expect(await there.agent.openRuns.get(id, "me")).toBeNull();
      expect(await there.agent.openRuns.take(id, "me")).toBeNull();
    });

    test("undecided runs expire", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const [late = "", waiting = ""] = [newRunId(), newRunId()].toSorted();
      const begun = [runStart(), runEnd({ state: "waiting" })];
      for (const [id, ms] of [[late, 3_600_000] as const, [waiting, 7_200_000] as const]) {
        for (const entry of begun) here.agent.runLog.append(id, entry);
        const run = { owner: null, thread_id: null, state: {}, expires_at: Date.now() + ms };
        await here.agent.endTurn({ waiting: { runId: id, run } });
      }
      database.pass(3_600_001);
      expect(await there.agent.openRuns.take(late, null)).toBeNull();
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
      expect(await there.agent.openRuns.take(waiting, null)).not.toBeNull();
    });

    test("are found by their thread, for their owner, while they wait", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const id = newRunId();
      here.agent.runLog.append(id, runStart({ owner: "me", thread_id: "t" }));
      const run = { owner: "me", thread_id: "t", state: { calls: hostileTexts }, expires_at: Date.now() + 3_600_000 };
      await here.agent.endTurn({ waiting: { runId: id, run } });
      const { openRuns } = there.agent;
      expect(await openRuns.ofThread({ owner: "me", id: "t" })).toEqual({ runId: id, waits: true });
      expect(await openRuns.ofThread({ owner: null, id: "t" })).toBeNull();
      expect(await openRuns.ofThread({ owner: "me", id: "u" })).toBeNull();
      expect(await openRuns.get(id, "you")).toBeNull();
      expect(await openRuns.get(id, "me")).toEqual(run);
      await openRuns.take(id, "me");
      expect(await openRuns.ofThread({ owner: "me", id: "t" })).toBeNull();
      await there.agent.endTurn({ ended: id, waiting: { runId: id, run } });
      database.pass(3_600_001);
      expect(await openRuns.ofThread({ owner: "me", id: "t" })).toBeNull();
    });

    test("one whose process is killed after the decision waits again, with all that was done of it", async () => {
      await using database = await prepare();
      const dead = await database.open({ pid: deadPid });
      const here = await database.open();
      const id = newRunId();
      await letWait(here.agent, id);
      expect((await dead.agent.openRuns.take(id, null))?.done).toEqual([]);
      const done = hostileTexts.map(([, text]) => ({ text }));
      for (const entry of done) await dead.agent.openRuns.note(id, entry);
      await here.agent.tidy(forGood);
      expect((await here.agent.runLog.list({ owner: null, limit: 9 })).runs).toMatchObject([
        { id, state: "waiting", error: { detail: expect.stringContaining("Send the decisions again") } },
      ]);

      expect((await here.agent.openRuns.take(id, null))?.done).toEqual(done);
      // A process that was wrongly taken for dead can do nothing more with it.
      await expect(dead.agent.openRuns.note(id, { late: true })).rejects.toThrow("Another process");
      await dead.agent.openRuns.giveBack(id);
      await dead.agent.endTurn({ ended: id });
      const turn = { thread: { key: { owner: null, id: "t" }, messages: [] }, ended: id };
      expect(await dead.agent.endTurn(turn)).toBe(false);
      await here.agent.openRuns.note(id, { more: true });
      expect(await here.agent.openRuns.get(id, null)).toBeNull();
      expect(await here.agent.endTurn(turn)).toBe(true);
      expect(await here.agent.endTurn(turn)).toBe(false);
    });

    test("one that waits once more has nothing done of it, and one that was given back has all", async () => {
      await using database = await prepare();
      const { agent } = await database.open();
      const id = newRunId();
      const run = { owner: null, thread_id: null, state: {}, expires_at: Date.now() + 3_600_000 };
      await letWait(agent, id);
      await agent.openRuns.take(id, null);
      await agent.openRuns.note(id, { first: true });
      await agent.openRuns.giveBack(id);
      expect((await agent.openRuns.take(id, null))?.done).toEqual([{ first: true }]);
      expect(await agent.endTurn({ ended: id, waiting: { runId: id, run } })).toBe(true);
      expect(await agent.openRuns.take(id, null)).toEqual({ run, done: [] });
      await agent.endTurn({ ended: id });
      expect(await agent.openRuns.take(id, null)).toBeNull();
    });

    test("one that failed after the decision, and could not be taken away, does not wait again", async () => {
      await using database = await prepare();
      const [dead, here] = [await database.open({ pid: deadPid }), await database.open()];
      const id = newRunId();
      await letWait(here.agent, id);
      await dead.agent.openRuns.take(id, null);
      dead.agent.runLog.append(id, runEnd({ state: "failed" }));
      await dead.agent.runLog.get(id, null);
      expect(await here.agent.openRuns.get(id, null)).toBeNull();
      expect(await here.agent.openRuns.take(id, null)).toBeNull();
    });

    test("one that goes on does not expire; one that was killed and never decided about again has failed", async () => {
      await using database = await prepare();
      const [dead, here] = [await database.open({ pid: deadPid }), await database.open()];
      const [killed = "", going = ""] = [newRunId(), newRunId()].toSorted();
      for (const id of [killed, going]) await letWait(here.agent, id);
      await dead.agent.openRuns.take(killed, null);
      await here.agent.openRuns.take(going, null);
      await here.agent.tidy(forGood);
      database.pass(3_600_001);
      await here.agent.tidy(forGood);
      expect((await here.agent.runLog.list({ owner: null, limit: 9 })).runs).toMatchObject([
        { id: going },
        { id: killed, state: "failed", error: { code: "internal_error" } },
      ]);
      await here.agent.openRuns.note(going, { still: "ours" });
    });

    test("one whose decision was refused keeps waiting, and no process can end it", async () => {
      await using database = await prepare();
      const dead = await database.open({ pid: deadPid });
      const here = await database.open();
      const id = newRunId();
      await letWait(here.agent, id);
      const taken = await dead.agent.openRuns.take(id, null);
      if (taken) await dead.agent.openRuns.giveBack(id);
      await here.agent.tidy(forGood);
      const waiting = await here.agent.runLog.list({ owner: null, state: "waiting", limit: 9 });
      expect(waiting.runs).toMatchObject([{ id, state: "waiting" }]);
    });
  });
}

/** The promises of every driver about accepted turns. */
export function agentAcceptedRunsSuite(name: string, prepare: PrepareMemory): void {
  describe(`${name}: accepted turns`, () => {
    const thread = { owner: "me", id: "t" };
    const key = { owner: "me", key: "k", hash: "h" };
    const accepted = { owner: "me", thread_id: "t", state: { said: hostileTexts }, answer_key: key };
    const answer = { key, stored: sampleAnswer() };
    const messages = [{ type: "human" as const, content: "Hi" }];

    /** A turn that a process accepted and left behind with these steps. */
    async function leave({ agent }: { agent: AgentMemory }, steps: readonly unknown[] = []): Promise<string> {
      const id = newRunId();
      await agent.answers.claim(key);
      await agent.threads.hold(thread);
      await agent.acceptTurn(id, accepted);
      for (const step of steps) await agent.openRuns.note(id, step);
      return id;
    }

    test("one whose process died is recovered by one of many, with its key and its steps, and ends there", async () => {
      await using database = await prepare();
      const dead = await database.open({ pid: deadPid });
      const steps = hostileTexts.map(([, text]) => ({ text }));
      const id = await leave(dead, steps);
      const [here, there] = [await database.open(), await database.open()];
      expect(await here.agent.openRuns.lost()).toEqual([{ runId: id, thread }]);
      expect(await there.agent.answers.claim(key)).toEqual({ outcome: "lost", run: { runId: id, thread } });
      expect(await there.agent.answers.claim({ ...key, hash: "x" })).toEqual({ outcome: "mismatch" });
      expect(await there.agent.openRuns.ofThread(thread)).toEqual({ runId: id, waits: false });
      const taken = await Promise.all([here, there].map(({ agent }) => agent.openRuns.recover(id)));
      const { answer_key: _, ...run } = accepted;
      expect(taken.filter((found) => found !== null)).toEqual([{ run, done: steps, tries: 1 }]);
      const [holder, other] = taken[0] ? [here, there] : [there, here];
      expect(await other.agent.answers.claim(key)).toEqual({ outcome: "running", runId: id });
      expect(await other.agent.openRuns.lost()).toEqual([]);

      // The process that was taken for dead can do nothing more with it.
      await expect(dead.agent.openRuns.note(id, {})).rejects.toMatchObject({ code: "run_not_finished" });
      const result = { ended: id, thread: { key: thread, messages }, answer };
      expect(await dead.agent.endTurn(result)).toBe(false);
      expect(await holder.agent.threads.hold(thread)).toBe(true);
      expect(await holder.agent.endTurn(result)).toBe(true);
      expect(await other.agent.answers.claim(key)).toEqual({ outcome: "answered", answer: answer.stored });
      expect((await other.agent.threads.get(thread))?.messages).toEqual(messages);
      expect(await other.agent.openRuns.recover(id)).toBeNull();
      expect(await other.agent.openRuns.ofThread(thread)).toBeNull();
    });

    test("one that ends without an answer frees its key for all processes, also for those that did not finish it", async () => {
      await using database = await prepare();
      const id = await leave(await database.open({ pid: deadPid }));
      const [here, there] = [await database.open(), await database.open()];
      await here.agent.openRuns.recover(id);
      expect(await there.agent.answers.claim(key)).toEqual({ outcome: "running", runId: id });
      expect(await here.agent.endTurn({ ended: id })).toBe(true);
      expect(await there.agent.answers.claim(key)).toEqual({ outcome: "claimed" });
      await here.agent.answers.release(key);
      expect(await here.agent.answers.claim(key)).toEqual({ outcome: "running" });
    });

    test("the processes that took one without completing a step are counted", async () => {
      await using database = await prepare();
      const dead = [];
      for (let index = 0; index < 3; index += 1) dead.push(await database.open({ pid: deadPid + index }));
      const id = await leave(dead[0]!);
      expect(await dead[1]!.agent.openRuns.recover(id)).toMatchObject({ tries: 1 });
      expect(await dead[2]!.agent.openRuns.recover(id)).toMatchObject({ tries: 2 });
      await dead[2]!.agent.openRuns.note(id, { done: true });
      const here = await database.open();
      expect(await here.agent.openRuns.recover(id)).toMatchObject({ tries: 1, done: [{ done: true }] });
      await here.agent.openRuns.giveBack(id);
      expect(await here.agent.openRuns.lost()).toEqual([{ runId: id, thread }]);
    });

    test("is neither accepted by a process that lost its key, nor released with it while it is stored", async () => {
      await using database = await prepare();
      const dead = await database.open({ pid: deadPid });
      const here = await database.open();
      await dead.agent.answers.claim(key);
      await here.agent.answers.claim(key);
      const late = dead.agent.acceptTurn(newRunId(), { ...accepted, thread_id: null });
      await expect(late).rejects.toMatchObject({ code: "idempotency_in_progress" });
      const id = newRunId();
      await here.agent.acceptTurn(id, { ...accepted, thread_id: null });
      await here.agent.answers.release(key);
      database.pass(25 * 3_600_000);
      await here.agent.tidy(forGood);
      expect(await here.agent.answers.claim(key)).toEqual({ outcome: "running", runId: id });
      expect(await here.agent.endTurn({ ended: id })).toBe(true);
      await here.agent.answers.release(key);
      expect(await here.agent.answers.claim({ ...key, hash: "another" })).toEqual({ outcome: "claimed" });
    });

    test("is not ended with its process, and not deleted with its thread", async () => {
      await using database = await prepare();
      const dead = await database.open({ pid: deadPid });
      const here = await database.open();
      await dead.agent.endTurn({ thread: { key: thread, messages } });
      const id = await leave(dead);
      dead.agent.runLog.append(id, runStart({ owner: "me", thread_id: "t" }));
      await dead.agent.runLog.flush();
      await here.agent.tidy(forGood);
      expect(await here.agent.threads.remove(thread)).toBe(true);
      expect((await here.agent.runLog.list({ owner: "me", limit: 9 })).runs).toMatchObject([{ id, state: "running" }]);
      expect(await here.agent.openRuns.recover(id)).toMatchObject({ run: { thread_id: null } });
    });

    test("one that was recovered begins again in its log", async () => {
      await using database = await prepare();
      const [first, second] = [await database.open(), await database.open()];
      const [known, unknown] = [newRunId(), newRunId()];
      first.agent.runLog.append(known, runStart());
      first.agent.runLog.append(known, toolCall("1"));
      await first.agent.runLog.flush();
      for (const id of [known, unknown]) {
        second.agent.runLog.append(id, runStart({ recovered: true }));
        second.agent.runLog.append(id, runEnd());
      }
      await second.agent.runLog.flush();
      const types = async (id: string) =>
        (await first.agent.runLog.get(id, null))?.entries.map((entry) => entry.type).join(" ");
      expect(await types(known)).toBe("run-start tool-call run-start run-end");
      expect(await types(unknown)).toBe("run-start run-end");
      expect((await first.agent.runLog.list({ owner: null, limit: 9 })).runs).toMatchObject([
        { state: "completed", tool_calls: 1 },
        { state: "completed", tool_calls: 1 },
      ]);
    });

    test("one that its owner cancels takes no further step, in whatever process", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      const id = await leave(here, [{ first: true }]);
      expect(await there.agent.openRuns.cancel(id, "you")).toBe(false);
      await here.agent.openRuns.note(id, { second: true });
      expect(await there.agent.openRuns.cancel(id, "me")).toBe(true);
      await expect(here.agent.openRuns.note(id, { third: true })).rejects.toMatchObject({ code: "run_cancelled" });
      expect(await here.agent.endTurn({ ended: id })).toBe(true);
      expect(await there.agent.openRuns.cancel(id, "me")).toBe(false);
    });
  });
}

async function letWait({ runLog, endTurn }: AgentMemory, runId: string): Promise<void> {
  runLog.append(runId, runStart());
  await endTurn({
    waiting: { runId, run: { owner: null, thread_id: null, state: {}, expires_at: Date.now() + 3_600_000 } },
  });
  runLog.append(runId, runEnd({ state: "waiting", finish_reason: "tool_calls" }));
  await runLog.get(runId, null);
}
