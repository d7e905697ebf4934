import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import { StoredScores, type StoredReply } from "../contract/schemas/interaction-result.ts";
import type { Embedder } from "../contract/ports/embedder.ts";
import { Interaction, type Metadata, type Scenario } from "../contract/schemas/scenario.ts";
import { scoringVersion } from "../contract/schemas/scores/score.ts";
import { sampleReply } from "../contract/testing/sample-reply.ts";
import type { Judge } from "./judges/ask-judge.ts";
import { judgeQuestions } from "./judges/judge-question.ts";
import { labelCandidates } from "./labels/label-candidates.ts";
import { scoreInteraction } from "./score-interaction.ts";
import type { CustomScorer } from "./scorers/custom-scorer.ts";
import { createScoring } from "./scoring.ts";
import { createSemanticScorer } from "./scorers/semantic-similarity.ts";
import { summarizeScenario } from "./summary/summarize-scenario.ts";

function replied(agent_reply: string, endpoint_metadata: Metadata | null = null): StoredReply {
  return {
    agent_reply,
    error: null,
    usage: null,
    latency_ms: 1,
    first_token_ms: null,
    tries: 1,
    finish_reason: "stop",
    model: "fake",
    system_fingerprint: null,
    endpoint_metadata,
  };
}

function interactionOf(fields: Record<string, unknown>): Interaction {
  return Interaction.parse({ id: "1", user_message: "hello", interaction_type: "opening", ...fields });
}

/** An embedder that gives all texts the same vector. */
const allAlike = {
  embedder: {
    id: "alike",
    embed: async (texts) => ({ ok: true, vectors: texts.map(() => [1, 0]) }),
  } satisfies Embedder,
  scenarios: [],
};

async function score(interaction: Interaction, reply: StoredReply) {
  const scenario: Scenario = { id: "s", description: "", tags: [], interactions: [interaction] };
  const scores = await scoreInteraction({
    interaction,
    reply,
    scoring: createScoring({ candidates: labelCandidates([scenario]) }),
  });
  return StoredScores.parse(scores);
}

test("does not hold an interaction after scoring it", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const scored = await Promise.all(
    ["a", "b", "c"].map(async (reference_reply) => {
      const interaction = interactionOf({ reference_reply });
      await score(interaction, replied("Yes"));
      return new WeakRef(interaction);
    }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(scored.map((held) => held.deref())).toEqual([undefined, undefined, undefined]);
});

test("a reply with the right labels has every default score", async () => {
  const interaction = interactionOf({
    reference_reply: "Hello! How can I help you today?",
    reference_metadata: { intent: "greeting", sentiment: "positive" },
  });
  const { scores, generated_metadata, label_sources, scoring_version } = await score(
    interaction,
    replied("Hello, how can I help you today?"),
  );
  expect(Object.keys(scores)).toEqual([
    "success",
    "exact_match",
    "token_f1",
    "rouge_l",
    "chrf",
    "metadata.intent",
    "metadata.sentiment",
    "metadata_match",
    "overall",
  ]);
  expect(scores).toMatchObject({ success: 1, exact_match: 1, token_f1: 1, metadata_match: 1, overall: 1 });
  expect(generated_metadata).toEqual({ intent: "greeting", sentiment: "positive" });
  expect(label_sources["sentiment"]).toMatchObject({ source: "local", method: "same text as a labelled reference" });
  expect(scoring_version).toBe(scoringVersion);
});

test("an unreadable sentiment is unknown, and neither scored nor counted", async () => {
  const interaction = interactionOf({
    reference_reply: "很高兴为您服务",
    reference_metadata: { sentiment: "positive" },
  });
  const scored = await score(interaction, replied("您好，很高兴为您服务"));
  const { scores, score_reasons, generated_metadata, label_sources } = scored;
  expect(generated_metadata).toEqual({ sentiment: "unknown" });
  expect(label_sources["sentiment"]).toMatchObject({ source: "local", unjudged: true });
  const turn = { ...interaction, ...scored, error: null, usage: null };
  expect(summarizeScenario([{ interactions: [turn] }]).label_metrics).toMatchObject({
    sentiment: { n: 0, accuracy: null },
  });
  expect(scores).not.toHaveProperty(["metadata.sentiment"]);
  expect(score_reasons["metadata.sentiment"]).toContain("cannot be derived from the reply");
  expect(scores["overall"]).toBe(scores["word_recall"]);
});

test("any score may have a weight in overall, even success", async () => {
  const interaction = interactionOf({ reference_reply: "yes" });
  const candidates = labelCandidates([{ id: "s", description: "", tags: [], interactions: [interaction] }]);
  const scoring = createScoring({ candidates, settings: { weights: { success: 1, token_f1: 3 } } });
  const { scores } = await scoreInteraction({ interaction, reply: replied("no"), scoring });
  expect(scores).toMatchObject({ success: 1, token_f1: 0, overall: 0.25 });
});

test("a failed reply has only success 0", async () => {
  const interaction = interactionOf({ reference_reply: "Request failed", reference_metadata: { intent: "failure" } });
  const error = { code: "upstream_timeout", detail: "", upstream_status: null, tries: 3, retryable: true } as const;
  const result = await score(interaction, { ...replied("Request failed"), error });
  expect(result.scores).toEqual({ success: 0 });
  expect(result.score_reasons).toEqual({ success: "no usable reply: upstream_timeout" });
  expect(result.generated_metadata).toEqual({});
});

test('a model that says "Request failed" has replied', async () => {
  expect(
    (await score(interactionOf({ reference_reply: "Request failed" }), replied("Request failed"))).scores,
  ).toMatchObject({ success: 1, exact_match: 1 });
});

test("scores only success without a reference and labels", async () => {
  const { scores, score_reasons } = await score(interactionOf({ reference_reply: " " }), replied("Hello"));
  expect(scores).toEqual({ success: 1 });
  expect(score_reasons["token_f1"]).toBe("no reference reply");
});

test("an empty entry of references makes an empty reply right", async () => {
  expect((await score(interactionOf({ references: [""] }), replied(""))).scores).toMatchObject({
    exact_match: 1,
    overall: 1,
  });
});

test("labels of the endpoint outrank the local labeller, and unexpected ones are kept", async () => {
  const interaction = interactionOf({ reference_metadata: { sentiment: "positive", priority: 3, topics: ["a", "b"] } });
  const given = { sentiment: "negative", priority: 3, topics: ["b"], confidence: 0.9 };
  const { generated_metadata, label_sources, scores } = await score(interaction, replied("Great, wonderful!", given));
  expect(generated_metadata).toEqual(given);
  expect(label_sources["sentiment"]).toEqual({ source: "endpoint" });
  expect(scores).toMatchObject({ "metadata.sentiment": 0, "metadata.priority": 1, "metadata.topics": 2 / 3 });
});

test("a number is left unjudged, unless the endpoint labels its replies and omitted it", async () => {
  const interaction = interactionOf({ reference_metadata: { priority: 3 } });
  expect((await score(interaction, replied("Hello"))).scores).toEqual({ success: 1 });
  expect((await score(interaction, replied("Hello", { other: 1 }))).scores).toMatchObject({ "metadata.priority": 0 });
});

test("computes chrf when named", async () => {
  const interaction = interactionOf({ reference_reply: "Hello" });
  const { scores } = await scoreInteraction({
    interaction,
    reply: replied("Hello"),
    scoring: createScoring({ candidates: new Map(), settings: { scorers: ["chrf"] } }),
  });
  expect(scores).toEqual({ success: 1, chrf: 1, overall: 1 });
});

test("runs only the named scorers, and the checks", async () => {
  const semantic = createSemanticScorer(allAlike);
  const interaction = interactionOf({ reference_reply: "Hello there" });
  const short = { type: "length", name: "short", max: 5, unit: "words" } as const;
  const namesOf = async (scorers: RunSettings["scorers"]) => {
    const customScorers = { mine: () => 1, other: () => 1 };
    const scoring = createScoring({ candidates: new Map(), settings: { scorers }, customScorers, semantic });
    const { scores } = await scoreInteraction({ interaction, reply: replied("Hello"), scoring });
    return Object.keys(scores);
  };
  expect(await namesOf(["token_f1", "mine", short])).toEqual(["success", "token_f1", "short", "mine", "overall"]);
  expect(await namesOf([short])).toEqual(
    expect.arrayContaining(["rouge_l", "semantic_similarity", "short", "mine", "other"]),
  );
});

test("a named scorer that this process lacks is missing with the reason, and so is overall", async () => {
  const told = async (settings: Partial<RunSettings>, interaction = interactionOf({ reference_reply: "Hello" })) => {
    const scoring = createScoring({ candidates: new Map(), settings });
    const { scores, score_reasons } = await scoreInteraction({ interaction, reply: replied("Hello"), scoring });
    return { names: Object.keys(scores), reasons: score_reasons };
  };
  const reason = expect.stringContaining("has no scorer of this name");
  for (const weights of [{}, { weights: { mine: 1, token_f1: 1 } }]) {
    expect(await told({ scorers: ["mine", "token_f1"], ...weights })).toMatchObject({
      names: ["success", "token_f1"],
      reasons: { mine: reason, overall: "mine could not be had" },
    });
  }
  expect((await told({ scorers: ["mine", "token_f1"], weights: { token_f1: 1 } })).names).toContain("overall");
  const semantic = { scorers: ["semantic_similarity", "token_f1"] };
  expect(await told(semantic)).toMatchObject({
    names: ["success", "token_f1"],
    reasons: { semantic_similarity: reason, overall: "semantic_similarity could not be had" },
  });
  expect((await told(semantic, interactionOf({}))).reasons).not.toHaveProperty("semantic_similarity");
});

test("a custom scorer that changes its input affects nothing else", async () => {
  const interaction = interactionOf({
    references: ["Your refund is on its way."],
    reference_metadata: { intent: "refund" },
  });
  const before = structuredClone(interaction);
  const scoring = createScoring({
    candidates: new Map(),
    customScorers: {
      meddler: ({ references, reference_metadata, generated_metadata }) => {
        (references as string[]).push("Anything goes.");
        Object.assign(reference_metadata, { intent: "other", urgent: true });
        Object.assign(generated_metadata, { intent: "other" });
        return 1;
      },
    },
  });
  const reply = replied("Your refund is on its way.", { intent: "complaint" });
  const { scores, generated_metadata } = await scoreInteraction({ interaction, reply, scoring });
  expect(generated_metadata).toEqual({ intent: "complaint" });
  expect(scores).toMatchObject({ meddler: 1, "metadata.intent": 0, metadata_match: 0, exact_match: 1 });
  expect(interaction).toEqual(before);
});

test("a check or scorer that throws loses only its own score and overall", async () => {
  const fail = (): never => {
    throw new Error("out of\norder");
  };
  const scoring = createScoring({
    candidates: new Map(),
    settings: { scorers: [{ type: "length", name: "short", max: 5, unit: "words" }] },
    customScorers: { odd: fail },
    lexical: async () => fail(),
  });
  const checks = [...scoring.checks, { name: "broken", check: fail, quality: true, weight: 1, asksModel: false }];
  const { scores, score_reasons } = await scoreInteraction({
    interaction: interactionOf({ reference_reply: "Hello" }),
    reply: replied("Hello"),
    scoring: { ...scoring, checks },
  });
  expect(scores).toEqual({ success: 1, short: 1 });
  expect(score_reasons).toMatchObject({
    broken: "the scorer failed: out of order",
    odd: "the scorer failed: out of order",
    token_f1: "the scorer failed: out of order",
    overall: "word_recall could not be had",
  });
});

const besideCustom = (scorer: CustomScorer) =>
  scoreInteraction({
    interaction: interactionOf({ reference_reply: "Hello" }),
    reply: replied("Hello"),
    scoring: createScoring({ candidates: new Map(), customScorers: { polite: scorer } }),
  });

test.each([
  ["throws", () => Promise.reject(new Error("no"))],
  ["gives no number within 0..1", () => 7],
  ["gives nothing", () => undefined as unknown as null],
])("a custom scorer that %s leaves no overall", async (_, scorer) => {
  const { scores, score_reasons } = await besideCustom(scorer);
  expect(scores).toEqual({ success: 1, exact_match: 1, token_f1: 1, rouge_l: 1, chrf: 1, word_recall: 1 });
  expect(score_reasons["overall"]).toBe("polite could not be had");
});

test("a custom scorer without a value is left out of overall", async () => {
  expect((await besideCustom(() => null)).scores["overall"]).toBe(1);
  expect((await besideCustom(() => 0)).scores["overall"]).toBe(0.5);
});

test("a check that times out, or a reply too long to check, leaves no overall", async () => {
  const settings = { scorers: [{ type: "json_schema", schema: { type: "array" } } as const] };
  const interaction = interactionOf({ reference_reply: "Hello" });
  const slow = createScoring({ candidates: new Map(), settings, runCheck: async () => null });
  const { scores, score_reasons } = await scoreInteraction({ interaction, reply: replied("Hello"), scoring: slow });
  expect(scores).not.toHaveProperty("overall");
  expect(score_reasons).toMatchObject({
    json_schema: "takes too long to check",
    overall: "json_schema could not be had",
  });

  const long = await scoreInteraction({
    interaction: interactionOf({ reference_metadata: { intent: "greeting" } }),
    reply: replied(" ".repeat(1_000_001), { intent: "greeting" }),
    scoring: createScoring({ candidates: new Map(), settings }),
  });
  expect(long.scores).toEqual({ success: 1, "metadata.intent": 1, metadata_match: 1 });
});

test("stores a contradiction, and warns beside the scores that cannot detect it", async () => {
  const scoring = createScoring({ candidates: new Map(), semantic: createSemanticScorer(allAlike) });
  const interaction = interactionOf({ reference_reply: "Your refund was approved." });
  const wrong = await scoreInteraction({ interaction, reply: replied("Your refund was rejected."), scoring });
  const message = wrong.conflicts?.[0]?.message;
  expect(wrong.conflicts).toHaveLength(1);
  const warned = Object.entries(wrong.score_reasons).filter(([, reason]) => reason.endsWith(`; warning: ${message}`));
  expect(warned.map(([name]) => name)).toEqual(["semantic_similarity", "overall"]);

  const right = await scoreInteraction({ interaction, reply: replied("The refund was approved."), scoring });
  expect(right).not.toHaveProperty("conflicts");
  expect(Object.values(right.score_reasons).join()).not.toContain("warning");
});

test("failed scores stay missing when a reply is rescored without models", async () => {
  const interaction = interactionOf({ reference_reply: "Hello there" });
  const broken: Embedder = {
    id: "broken",
    embed: async () => ({ ok: false, error: { code: "upstream_error", detail: "HTTP 503", retryable: true } }),
  };
  const semantic = createSemanticScorer({ embedder: broken, scenarios: [] });
  const options = { interaction, reply: replied("Hello"), scoring: createScoring({ candidates: new Map(), semantic }) };
  const first = await scoreInteraction(options);
  expect(first.score_reasons).toMatchObject({ overall: "semantic_similarity could not be had" });
  const again = await scoreInteraction({ ...options, earlier: first });
  expect(again.scores).toEqual(first.scores);
  expect(again.score_reasons).toEqual(first.score_reasons);

  const empty = await scoreInteraction({ ...options, reply: replied("") });
  expect(empty.scores["overall"]).toBe(0);
  const kept = await scoreInteraction({ ...options, reply: replied(""), earlier: empty });
  expect(kept.score_reasons).toEqual(empty.score_reasons);
});

test("a reply without the verdict on its only rubric has no overall, also when rescored", async () => {
  const failed = { code: "upstream_error", detail: "", upstream_status: 503, tries: 1, retryable: true } as const;
  const judge = {
    model: async () => ({ ok: false, error: failed, latency_ms: 1 }) as const,
    votes: 1,
    audited: true,
  };
  const questions = judgeQuestions({ rubrics: [{ name: "tone", text: "Is it kind?", weight: 1 }] });
  const scoring = createScoring({ candidates: new Map(), judge: { judge, questions } });
  const interaction = interactionOf({ reference_metadata: { intent: "greeting" } });
  const options = { interaction, reply: replied("Hello", { intent: "greeting" }), scoring };
  const first = await scoreInteraction(options);
  expect(first.scores).toEqual({ success: 1, "metadata.intent": 1, metadata_match: 1 });
  expect(first.score_reasons["overall"]).toBe("judge_rubrics could not be had");
  expect(first.failed_scores).toEqual(["judge.tone", "judge_rubrics"]);
  expect((await scoreInteraction({ ...options, earlier: first })).scores).toEqual(first.scores);
  const unjudged = { ...first, judgements: undefined };
  expect((await scoreInteraction({ ...options, earlier: unjudged })).scores).toEqual(first.scores);
});

test("runs a turn's own checks on that turn only", async () => {
  const checks = [
    { type: "contains", text: "friday" },
    { type: "regex", pattern: "\\d{4}", name: "order" },
    { type: "latency", max_ms: 0 },
    { type: "cost", max: 0.01 },
  ];
  const turn = interactionOf({ checks });
  const other = interactionOf({ id: "2" });
  const scoring = createScoring({
    candidates: labelCandidates([]),
    settings: { scorers: [{ type: "contains", text: "sent", mode: "all", ignore_case: true }] },
  });
  const { scores, score_reasons } = await scoreInteraction({
    interaction: turn,
    reply: { ...replied("Sent on Friday."), cost: 0.02 },
    scoring,
  });
  expect(scores).toEqual({ success: 1, contains: 1, contains_2: 1, order: 0, latency: 0, cost: 0, overall: 2 / 3 });
  expect(score_reasons["overall"]).toBe("checks 0.667 (contains, contains_2, order)");
  const unchecked = await scoreInteraction({ interaction: other, reply: replied("Sent on Friday."), scoring });
  expect(unchecked.scores).toEqual({ success: 1, contains: 1, overall: 1 });
});

test("asks the judge a turn's rubric about that turn only, as an unaudited check", async () => {
  const asked: string[] = [];
  const judge: Judge = {
    model: async ({ messages }) => {
      asked.push(JSON.stringify(messages));
      const text = JSON.stringify({
        reason: "So it is.",
        verdict: asked.at(-1)?.includes("Is it kind?") ? "pass" : "fail",
      });
      return sampleReply(text);
    },
    votes: 1,
    audited: true,
  };
  const scoring = createScoring({ candidates: new Map(), judge: { judge, questions: judgeQuestions({}) } });
  const rubrics = ["Is it kind?", "Is it short?"].map((text) => ({ type: "rubric", text }));
  const options = { interaction: interactionOf({ checks: rubrics }), reply: replied("Hello"), scoring };
  const judged = await scoreInteraction(options);
  expect(judged.scores).toEqual({ success: 1, rubric: 1, rubric_2: 0, overall: 0.5 });
  expect(judged.judgements?.["rubric"]?.judge_audited).toBe(false);
  expect(asked).toHaveLength(2);
  expect((await scoreInteraction({ ...options, earlier: judged })).scores).toEqual(judged.scores);
  expect(asked).toHaveLength(2);
  const other = await scoreInteraction({ ...options, interaction: interactionOf({}) });
  expect([other.scores, asked.length]).toEqual([{ success: 1 }, 2]);
});

test("a turn's rubric may define its choices", async () => {
  const model: Judge["model"] = async ({ format }) => {
    const verdict = JSON.stringify(format?.schema).includes('"enum":["correct","wrong"]') ? "correct" : "pass";
    return sampleReply(JSON.stringify({ reason: "So it is.", verdict }));
  };
  const judge = { judge: { model, votes: 1, audited: false }, questions: [] };
  const rubric = { type: "rubric", text: "Is the label correct?", choices: { correct: 0.75, wrong: 0 } };
  const scoring = createScoring({ candidates: new Map(), judge });
  const { scores } = await scoreInteraction({
    interaction: interactionOf({ checks: [rubric] }),
    reply: replied("billing"),
    scoring,
  });
  expect(scores["rubric"]).toBe(0.75);
});

test("a rubric without a judge has no score, with the reason", async () => {
  const { scores, score_reasons } = await score(
    interactionOf({ checks: [{ type: "rubric", text: "Kind?" }] }),
    replied("Hi"),
  );
  expect(scores).toEqual({ success: 1 });
  expect(score_reasons["rubric"]).toBe(
    "unscored: no judge scored single replies in this run; add one and score it again",
  );
});

test("weighs checks, and counts a group as one check in place of its members", async () => {
  const checks = [
    { type: "contains", text: "hello", weight: 3 },
    { type: "contains", name: "silent", text: "bye", weight: 0 },
    {
      type: "group",
      name: "either",
      threshold: 0.5,
      checks: [
        { type: "contains", text: "hello" },
        { type: "contains", text: "bye", name: "bye" },
      ],
    },
    { type: "length", max: 3, negate: true },
    { type: "finish_reason", reason: "length" },
  ];
  const { scores, score_reasons } = await score(interactionOf({ checks }), replied("hello"));
  expect(scores).toMatchObject({
    contains: 1,
    silent: 0,
    either: 1,
    "either.contains": 1,
    bye: 0,
    length: 1,
    finish_reason: 0,
  });
  // 3 × contains, either, length and finish_reason.
  expect(scores["overall"]).toBeCloseTo(5 / 6, 9);
  expect(score_reasons["either"]).toBe("0.50 of 2 checks; below 1: bye");
});

test("has no overall where the code of a check cannot run here", async () => {
  const checks = [{ type: "javascript", code: "true" }];
  const { scores, failed_scores, score_reasons } = await score(interactionOf({ checks }), replied("hello"));
  expect([scores["overall"], failed_scores]).toEqual([undefined, ["javascript"]]);
  expect(score_reasons["javascript"]).toContain("only in rehearsal eval");
});

test("checks the arguments of tool calls by the declared tools", async () => {
  const interaction = interactionOf({ checks: [{ type: "valid_tool_calls" }] });
  const parameters = { type: "object", required: ["id"], properties: { id: { type: "number" } } };
  const world = { tools: [{ name: "find", description: "", parameters, answers: [{ result: 1 }] }] };
  const values = [{ id: 7 }, { id: "7" }].map(async (given) => {
    const reply = { ...replied(""), tool_calls: [{ id: "1", name: "find", arguments: given }] };
    const scoring = createScoring({ candidates: labelCandidates([]) });
    const result = await scoreInteraction({ interaction, reply, scoring, scenario: { world: world as never } });
    return result.scores["valid_tool_calls"];
  });
  expect(await Promise.all(values)).toEqual([1, 0]);
});

async function statedOf(fields: Record<string, unknown>, reply: StoredReply, settings: Partial<RunSettings> = {}) {
  const interaction = interactionOf(fields);
  const scenario: Scenario = { id: "s", description: "", tags: [], interactions: [interaction] };
  const scoring = createScoring({ candidates: labelCandidates([scenario]), settings });
  return (await scoreInteraction({ interaction, reply, scoring })).stated;
}

test("similarity to a reference states nothing, however low or high it is", async () => {
  expect(await statedOf({ reference_reply: "We open at 9." }, replied("Nine in the morning."))).toEqual({});
  expect(await statedOf({ reference_reply: "We open at 9." }, replied("We open at 9."))).toEqual({});
});

test("a check holds by its own rule, not by the mean of all", async () => {
  const checks = [
    { type: "contains", text: "9" },
    { type: "contains", text: "noon", name: "noon" },
    { type: "length", max: 1, unit: "words", name: "brief", weight: 0 },
    { type: "similarity", metric: "chrf", reference: "We open at 9." },
    { type: "similarity", metric: "chrf", reference: "We open at 9.", threshold: 0.9, name: "near" },
  ];
  const settings = { scorers: [{ type: "length" as const, max: 5, unit: "words" as const }] };
  expect(await statedOf({ checks }, replied("At 9."), settings)).toEqual({
    length: true,
    contains: true,
    noon: false,
    near: false,
  });
});

test("a label holds if it is the expected one; a guess of the built-in labeller is undecided", async () => {
  const fields = { reference_reply: "The refund is on its way to you.", reference_metadata: { intent: "refund" } };
  const label = async (reply: StoredReply) => (await statedOf(fields, reply))?.["metadata.intent"];
  expect(await label(replied("Done.", { intent: "refund" }))).toBe(true);
  expect(await label(replied("Done.", { intent: "greeting" }))).toBe(false);
  expect(await label(replied("Nothing like it.", {}))).toBeNull();
  expect(await label(replied("Money is coming back."))).toBeNull();
  expect(await label(replied("The refund is on its way to you."))).toBe(true);
});

test("expected calls, and scorers of the caller", async () => {
  const calls = { reference_tool_calls: [{ name: "get_order", arguments: { id: "7" } }] };
  expect(await statedOf(calls, replied("Yes."))).toEqual({ tool_match: false });
  const scored = (value: number | null) => besideCustom(() => value);
  expect((await scored(0.8)).stated).toEqual({ polite: true });
  expect((await scored(0.79)).stated).toEqual({ polite: false });
  expect((await scored(null)).stated).toEqual({});
  expect((await scored(7)).stated).toEqual({ polite: null });
});

test.each([
  ["Paris", "The capital is Paris.", 1],
  ["Paris", "It is Lyon.", 0],
  ["14 July 1789", "It fell on July 14, 1789.", 1],
  ["14 July 1789", "It fell in July.", 1 / 3],
])("a reference of at most five words, %j, counts by its words in %j", async (reference_reply, reply, expected) => {
  const { scores, score_reasons } = await score(interactionOf({ reference_reply }), replied(reply));
  expect(scores["word_recall"]).toBeCloseTo(expected, 12);
  expect(scores["overall"]).toBe(scores["word_recall"]);
  expect(score_reasons["overall"]).toMatch(/^reply .*\(word_recall\)$/);
});

test("with a longer reference, overall is chrF", async () => {
  const interaction = interactionOf({ reference_reply: "Paris", references: ["It is the city of Paris."] });
  const { scores } = await score(interaction, replied("The capital is Paris."));
  expect(scores).not.toHaveProperty("word_recall");
  expect(scores["overall"]).toBe(scores["chrf"]);
});
