import { expect, test } from "vitest";
import { fakeModel } from "../../../../test/support/fake-model.ts";
import { planLimits, startBench } from "../../../../test/support/run-bench.ts";
import { createRunFromRequest } from "./plan-request.ts";

const walkers = ["map", "flatMap", "filter", "some", "every", "find", "forEach", "reduce", "entries", "slice"] as const;

/** Counts how often a list of turns is walked by our code while `work` runs. Zod and JSON walk by index and are not seen. */
async function countWalks(work: () => Promise<unknown>): Promise<number> {
  let walks = 0;
  const isTurns = (list: unknown): boolean =>
    Array.isArray(list) && list.length > 0 && String(list[0]?.user_message).startsWith("counted");
  const prototype = Array.prototype as unknown as Record<PropertyKey, (...given: unknown[]) => unknown>;
  const originals = new Map([...walkers, Symbol.iterator].map((name) => [name, prototype[name]!]));
  const replace = (name: PropertyKey, value: unknown): unknown =>
    Object.defineProperty(Array.prototype, name, { value, writable: true, configurable: true, enumerable: false });
  for (const [name, original] of originals) {
    replace(name, function (this: unknown, ...given: unknown[]) {
      if (isTurns(this)) walks += 1;
      return original.apply(this, given);
    });
  }
  try {
    await work();
  } finally {
    for (const [name, original] of originals) replace(name, original);
  }
  return walks;
}

test("a request is walked six times before its INSERT", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a") } });
  await bench.runs.stop({ graceMs: 0 });
  const turns = [1, 2, 3].map((turn) => ({
    id: `${turn}`,
    user_message: `counted ${turn}`,
    reference_reply: "a",
    reference_metadata: { intent: "order" },
    checks: [{ type: "contains", text: "a" }],
  }));
  const test_batch = [{ id: "s", interactions: turns, expect: { rubric: "Was it kind?" } }];
  const body = { endpoint: "http://test", model_id: "model", test_batch };
  const planners = { runs: bench.runs, planLimits, helpers: {}, checkEndpoint: () => {}, worlds: undefined };
  const walks = await countWalks(() => createRunFromRequest(body, planners, { owner: null }));
  // The survey and the search for unknown fields. The other four are the size check, JSON.parse, zod and the JSON of the INSERT.
  expect(walks).toBeGreaterThan(0);
  expect(walks + 4).toBeLessThanOrEqual(6);
});
