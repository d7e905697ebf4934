import { expect, test } from "vitest";
import type { AttemptWithInteractions, Store } from "../../contract/ports/store.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";
import { readAttemptResults, readScenarioResults, readWholeResults, type ReadAttempt } from "./read-results.ts";
import { writeResults } from "./results-text.ts";

const long = "x".repeat(100_000);

/** A store that notes the attempts it hands out. */
function noting(store: Store): { store: Store; handedOut: string[] } {
  const handedOut: string[] = [];
  async function* withInteractions(runId: string, scenario?: number): AsyncGenerator<AttemptWithInteractions> {
    for await (const attempt of store.attempts.withInteractions(runId, scenario)) {
      handedOut.push(`${attempt.scenario_index}/${attempt.attempt}`);
      yield attempt;
    }
  }
  return { store: { ...store, attempts: { ...store.attempts, withInteractions } }, handedOut };
}

test("writes each attempt before the next is read", async () => {
  await using bench = await startBench({ models: { model: fakeModel((request) => lastUserMessage(request) + long) } });
  const { id } = await bench.create({ test_batch: numberedScenario("one", 1), attempts: 5 });
  const run = await bench.runs.wait(id, AbortSignal.timeout(20_000));
  const { store, handedOut } = noting(bench.store);
  let written = 0;
  for await (const piece of writeResults(run, { store, now: Date.now })) {
    written += piece.split(long).length - 1;
    expect(handedOut.length - written).toBeLessThanOrEqual(1);
  }
  expect([handedOut.length, written]).toEqual([5, 5]);

  const shortened = await Array.fromAsync(readScenarioResults(run, { store, shortened: true }));
  const replies = shortened.flatMap(({ attempts }) => attempts.flatMap(({ interactions }) => interactions));
  expect(replies.map(({ agent_reply }) => agent_reply.length)).toEqual(Array.from({ length: 5 }, () => 10_001));
});

test.each([{}, { history: "both" }, { budget: { calls: 5 } }])(
  "pieces, scenarios and attempts of a run say the same: %j",
  async (settings) => {
    await using bench = await startBench({ models: { model: fakeModel((request) => lastUserMessage(request)) } });
    const test_batch = [numberedScenario("one", 2), numberedScenario("two", 1)];
    const { id } = await bench.create({ test_batch, attempts: 2, threshold: 0.8, ...settings });
    const run = await bench.runs.wait(id, AbortSignal.timeout(20_000));
    const reading = { store: bench.store, now: Date.now };
    const whole = await readWholeResults(run, reading);
    expect(await bench.results(run)).toEqual(whole);
    expect(await Array.fromAsync(readScenarioResults(run, reading))).toEqual(whole.results.scenarios);
    const attempts = await Array.fromAsync(readAttemptResults(run, reading));
    expect(attempts.filter(({ attempt }) => attempt.interactions.length > 0)).toEqual(
      whole.results.scenarios.flatMap((scenario) =>
        scenario.attempts.map((attempt) => ({
          scenario: { scenario_id: scenario.scenario_id, threshold: 0.8 },
          attempt,
        })),
      ),
    );
  },
);

test("passes all attempts of a scenario to look before the first is yielded, one at a time", async () => {
  await using bench = await startBench({ models: { model: fakeModel((request) => lastUserMessage(request)) } });
  const test_batch = [{ ...numberedScenario("one", 1), system_prompt: "Be brief." }, numberedScenario("two", 1)];
  const { id } = await bench.create({ test_batch, attempts: 2, threshold: 0.5 });
  const run = await bench.runs.wait(id, AbortSignal.timeout(20_000));
  const seen: string[] = [];
  const heads = new Set<unknown>();
  const note = (what: string, { scenario, attempt }: ReadAttempt): void => {
    seen.push(`${what} ${scenario.scenario_id}/${attempt.attempt}`);
    heads.add(scenario);
  };
  const { store, handedOut } = noting(bench.store);
  for await (const read of readAttemptResults(run, { store, look: (looked) => note("look", looked) }))
    note("give", read);
  expect(seen).toEqual(
    ["one", "two"].flatMap((name) =>
      ["look", "give"].flatMap((what) => [1, 2].map((number) => `${what} ${name}/${number}`)),
    ),
  );
  expect([...heads]).toEqual([
    { scenario_id: "one", system_prompt: "Be brief.", threshold: 0.5 },
    { scenario_id: "two", threshold: 0.5 },
  ]);
  expect(handedOut).toHaveLength(2 * 4);
});
