import { expect, test } from "vitest";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { planRun } from "./plan-run.ts";
import { numberedScenario, planLimits } from "../../../test/support/run-bench.ts";

/** A request for one scenario with so many turns, with these labels. */
function plan(options: object, { turns = 1, labels = {}, limits = planLimits } = {}) {
  const interactions = numberedScenario("s", turns).interactions.map((turn) => ({
    ...turn,
    reference_metadata: labels,
  }));
  const test_batch = { id: "s", interactions };
  return planRun(EvaluationRequest.parse({ test_batch, endpoint: "http://x", model_id: "m", ...options }), limits);
}

test("measures labels in bytes", () => {
  expect(() => plan({}, { labels: { note: "a".repeat(9_000) } })).not.toThrow();
  expect(() => plan({}, { labels: { note: "€".repeat(3_000) } })).not.toThrow();
  expect(() => plan({}, { labels: { note: "€".repeat(4_000) } })).toThrow("must be at most 10000 bytes of JSON");
});

const two = { a: 1, b: 2 };

const judge = (votes?: number) => ({
  endpoint: "http://judge",
  model_id: "j",
  ...(votes !== undefined && { rubric: "Is it polite?", votes }),
});

test.each([
  ["attempts", {}, { attempts: 2 }, { attempts: 3 }, "/attempts must be at most 2 (limits.max_attempts)"],
  ["calls", { turns: 4 }, { attempts: 1 }, { attempts: 2 }, "4 interactions × 2 attempts are 8 calls; at most 4"],
  ["calls of both histories", { turns: 2 }, { history: "both" }, { history: "both", attempts: 2 }, "× 4 attempts"],
  [
    "calls of a judge",
    {},
    { judge: judge(3) },
    { judge: judge(4) },
    "are 1 calls, together with 4 calls of the judge 5; at most 4",
  ],
  [
    "calls of a labeller",
    { turns: 2, labels: { intent: "greeting" } },
    { labeller: judge() },
    { labeller: judge(), judge: judge(1) },
    "with 2 calls of the judge and 2 calls of the labeller 6",
  ],
  [
    "calls of a judge of conversations, which are judged once, whatever their history",
    {},
    { history: "both", judge: { ...judge(2), scope: "conversation" } },
    { history: "both", judge: { ...judge(3), scope: "conversation" } },
    "are 2 calls, together with 3 calls of the judge 5",
  ],
])("plans as many %s as are allowed, and not one more", (_what, scenario, allowed, refused, reason) => {
  const limits = { ...planLimits, attempts: 2, callsPerRun: 4 };
  expect(() => plan(allowed, { ...scenario, limits })).not.toThrow();
  expect(() => plan(refused, { ...scenario, limits })).toThrow(reason);
});

test.each([
  ["interactions", { turns: 2 }, { turns: 3 }, "The batch has 3 interactions; at most 2 are allowed"],
  ["labels", { labels: two }, { labels: { ...two, c: 3 } }, "reference_metadata must have at most 2 keys"],
  ["bytes of labels", { labels: { a: "exact" } }, { labels: { a: "exacts" } }, "must be at most 13 bytes of JSON"],
])("accepts a batch with as many %s as are allowed, and not one more", (_what, allowed, refused, reason) => {
  const limits = { ...planLimits, interactions: 2, metadataKeys: 2, metadataBytes: 13 };
  expect(() => plan({}, { ...allowed, limits })).not.toThrow();
  expect(() => plan({}, { ...refused, limits })).toThrow(reason);
});

test("accepts as many different turn scores as are allowed, and not one more", () => {
  const limits = { ...planLimits, scores: 3 };
  const turn = (id: string, key: string, name: string) => ({
    id,
    user_message: "Hi",
    reference_metadata: { intent: "greeting", [key]: "a" },
    checks: [{ type: "contains", text: "a", name }],
  });
  const batch = (...interactions: object[]) => ({ test_batch: [{ id: "s", interactions }] });
  expect(() => plan(batch(turn("1", "tone", "short"), turn("2", "tone", "short")), { limits })).not.toThrow();
  const reason = "must have at most 3 different keys of reference_metadata and names of checks (limits.max_scores)";
  expect(() => plan(batch(turn("1", "tone", "short"), turn("2", "mood", "short")), { limits })).toThrow(reason);
  expect(() => plan(batch(turn("1", "tone", "short"), turn("2", "tone", "long")), { limits })).toThrow(reason);
});

test("reports problems of a turn check at its pointer, and accepts a weight for its score", () => {
  const turn = { id: "1", user_message: "Hi", checks: [{ type: "regex", pattern: "(?=a)" }] };
  const several = [numberedScenario("a", 2), { id: "b", interactions: [turn] }];
  expect(() => plan({ test_batch: several })).toThrow("/test_batch/1/interactions/0/checks/0/pattern cannot be run");
  const test_batch = { id: "b", interactions: [{ ...turn, checks: [{ type: "contains", text: "a", name: "tone" }] }] };
  expect(() => plan({ test_batch, weights: { tone: 1 } })).not.toThrow();
  expect(() => plan({ test_batch, weights: { tune: 1 } })).toThrow("is not a score of this run");
});

test("accepts a weight for a label score when labels are compared", () => {
  const weights = { "metadata.intent": 1, success: 1 };
  expect(() => plan({ weights })).not.toThrow();
  expect(() => plan({ weights, scorers: ["metadata_match"] })).not.toThrow();
  expect(() => plan({ weights, scorers: ["exact_match"] })).toThrow(
    "/weights/metadata.intent is not a score of this run",
  );
});

test("names a run after its scenario; several after their common tag, or their number and the date", () => {
  expect(plan({}).test_name).toBe("s");
  const batch = ["a", "b"].map((id) => numberedScenario(id, 1));
  expect(plan({ test_batch: batch }).test_name).toMatch(/^2 scenarios, \d{4}-\d\d-\d\d$/);
  const tagged = batch.map((scenario, index) => ({ ...scenario, tags: [`own-${index}`, "support", "shop"] }));
  expect(plan({ test_batch: tagged }).test_name).toBe("support");
  expect(plan({ test_batch: tagged, test_name: "nightly" }).test_name).toBe("nightly");
});

test("returns slow checks with their pointers for later verification", () => {
  const schema = { type: "json_schema", schema: { type: "object" } } as const;
  const test_batch = { id: "b", interactions: [{ id: "1", user_message: "Hi", checks: [schema] }] };
  const scorers = ["token_f1", schema];
  const pointers = (request: object) => plan(request).slowChecks?.map(({ pointer }) => pointer);
  expect(pointers({ test_batch })).toEqual(["/test_batch/interactions/0/checks/0"]);
  expect(pointers({ test_batch: [test_batch], scorers })).toEqual([
    "/scorers/1",
    "/test_batch/0/interactions/0/checks/0",
  ]);
  expect(pointers({})).toBeUndefined();
});

test("numbers turns without an id, and refuses an id that is used twice", () => {
  const turn = { user_message: "Hi" };
  const withTurns = (...interactions: object[]) => plan({ test_batch: { id: "s", interactions } });
  const [scenario] = withTurns(turn, { ...turn, id: "b" }, turn).scenarios;
  expect(scenario?.interactions.map(({ id }) => id)).toEqual(["turn-1", "b", "turn-3"]);
  expect(() => withTurns(turn, { ...turn, id: "turn-1" })).toThrow("interactions/1/id is used by an earlier");
});
