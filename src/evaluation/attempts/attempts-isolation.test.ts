import fc from "fast-check";
import { expect, test } from "vitest";
import type { ChatModel, Reply } from "../../contract/ports/chat-model.ts";
import { Interaction, type Scenario } from "../../contract/schemas/scenario.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { runAttempt } from "./run-attempt.ts";

interface Call {
  readonly attempt: string;
  readonly turn: number;
  readonly messages: readonly string[];
}

function scenarioOf(id: number, turns: number): Scenario {
  const interactions = Array.from({ length: turns }, (_, turn) =>
    Interaction.parse({ id: `${turn}`, user_message: `user ${id}/${turn}`, interaction_type: "opening" }),
  );
  return { id: `${id}`, description: "", tags: [], interactions };
}

/** The conversation an attempt should have had, given its failed turns. */
function expectedCalls(scenario: Scenario, attempt: string, fails: (turn: number) => boolean): Call[] {
  const history: string[] = [];
  return scenario.interactions.map(({ user_message }, turn) => {
    const messages = [...history, user_message];
    if (!fails(turn)) history.push(user_message, `reply ${attempt}/${turn}`);
    return { attempt, turn, messages };
  });
}

test("concurrent attempts never see each other", async () => {
  const suite = fc.record({
    turns: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    attempts: fc.integer({ min: 1, max: 4 }),
    failures: fc.infiniteStream(fc.boolean()),
    scheduler: fc.scheduler(),
  });

  await fc.assert(
    fc.asyncProperty(suite, async ({ turns, attempts, failures, scheduler }) => {
      const runs = turns.flatMap((count, index) => {
        const scenario = scenarioOf(index, count);
        return Array.from({ length: attempts }, (_, number) => {
          const failing = scenario.interactions.map(() => failures.next().value as boolean);
          return { scenario, attempt: `${index}#${number}`, fails: (turn: number) => failing[turn] ?? false };
        });
      });

      const work = runs.map(async ({ scenario, attempt, fails }) => {
        const calls: Call[] = [];
        const kept: number[] = [];
        const model: ChatModel = async ({ messages }) => {
          const turn = calls.length;
          calls.push({ attempt, turn, messages: messages.map(({ content }) => content) });
          return scheduler.schedule(
            Promise.resolve(fails(turn) ? failedReply : sampleReply(`reply ${attempt}/${turn}`)),
          );
        };
        const onReply = (turn: number) => scheduler.schedule(Promise.resolve()).then(() => void kept.push(turn));
        await runAttempt({ scenario, model, onFailure: "continue", onReply, signal: new AbortController().signal });
        expect(calls).toEqual(expectedCalls(scenario, attempt, fails));
        expect(kept).toEqual([...scenario.interactions.keys()]);
      });
      await scheduler.waitFor(Promise.all(work));
    }),
  );
});

const failedReply: Reply = {
  ok: false,
  latency_ms: 0,
  error: { code: "upstream_error", detail: "", upstream_status: 500, tries: 1, retryable: true },
};
