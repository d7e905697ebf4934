import { describe, expect, test } from "vitest";
import { hostileTexts } from "./hostile-texts.ts";
import { forGood, type PrepareMemory } from "./memory-under-test.ts";
import { newRunId, runEnd, runStart } from "./sample-agent-runs.ts";

/** The promises of every driver about steps before a hand-over to client tools. */
export function agentHandoversSuite(name: string, prepare: PrepareMemory): void {
  describe(`${name}: hand-overs`, () => {
    const handover = { key: "k", owner: "ada", runId: newRunId(), state: { said: hostileTexts } };

    test("are read by every process, and only by their owner", async () => {
      await using database = await prepare();
      const [here, there] = [await database.open(), await database.open()];
      await here.agent.handovers.put(handover);
      await here.agent.handovers.put({ ...handover, key: "shared", owner: null, state: "everybody's" });
      expect(await there.agent.handovers.get("ada", ["k", "unknown", "shared"])).toEqual(
        new Map([["k", handover.state]]),
      );
      expect(await there.agent.handovers.get("bob", ["k"])).toEqual(new Map());
      expect(await there.agent.handovers.get(null, ["k", "shared"])).toEqual(new Map([["shared", "everybody's"]]));
      await there.agent.handovers.put({ ...handover, state: "once more" });
      expect(await here.agent.handovers.get("ada", ["k"])).toEqual(new Map([["k", "once more"]]));
    });

    test("are kept for an hour", async () => {
      await using database = await prepare();
      const { agent } = await database.open();
      await agent.handovers.put(handover);
      database.pass(59 * 60_000);
      await agent.tidy(forGood);
      expect(await agent.handovers.get("ada", ["k"])).toEqual(new Map([["k", handover.state]]));
      database.pass(2 * 60_000);
      expect(await agent.handovers.get("ada", ["k"])).toEqual(new Map());
      await agent.tidy(forGood);
      database.pass(-60 * 60_000);
      expect(await agent.handovers.get("ada", ["k"])).toEqual(new Map());
    });

    test("are forgotten with the thread of their run", async () => {
      await using database = await prepare();
      const { agent } = await database.open();
      const ofThread = (owner: string, thread_id: string) => {
        const runId = newRunId();
        agent.runLog.append(runId, runStart({ owner, thread_id }));
        agent.runLog.append(runId, runEnd());
        return agent.handovers.put({ ...handover, key: `${owner} ${thread_id}`, owner, runId });
      };
      for (const owner of ["ada", "bob"]) for (const id of ["t", "u"]) await ofThread(owner, id);
      expect(await agent.threads.remove({ owner: "ada", id: "t" })).toBe(true);
      const kept = async (owner: string) => [
        ...(await agent.handovers.get(owner, [`${owner} t`, `${owner} u`])).keys(),
      ];
      expect([await kept("ada"), (await kept("bob")).toSorted()]).toEqual([["ada u"], ["bob t", "bob u"]]);
    });
  });
}
