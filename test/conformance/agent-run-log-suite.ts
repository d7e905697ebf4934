import { describe, expect, test } from "vitest";
import { hostileTexts } from "./hostile-texts.ts";
import { deadPid, forGood, type PrepareMemory } from "./memory-under-test.ts";
import { newRunId, runEnd, runStart, toolCall } from "./sample-agent-runs.ts";

/** The promises of every driver about the log of the agent's runs. */
export function agentRunLogSuite(name: string, prepare: PrepareMemory): void {
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
}
