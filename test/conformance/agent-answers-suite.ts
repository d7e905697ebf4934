import { describe, expect, test } from "vitest";
import { hostileTexts } from "./hostile-texts.ts";
import { deadPid, forGood, type PrepareMemory } from "./memory-under-test.ts";
import { sampleAnswer } from "./sample-agent-runs.ts";

/** The promises of every driver about answers that are kept for repeated requests. */
export function agentAnswersSuite(name: string, prepare: PrepareMemory): void {
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
}
