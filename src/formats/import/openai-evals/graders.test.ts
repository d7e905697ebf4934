import { expect, test } from "vitest";
import { importScenarios } from "../../import-scenarios.ts";

const rowOf = { question: "Which queue?", queue: "billing", code: 5, long: { kind: "a.b" } };

/** Imports one row with an eval that has these graders. */
function graded(graders: readonly object[], item: object = rowOf) {
  const definition = {
    object: "eval",
    id: "eval_1",
    name: "Queues",
    data_source_config: { type: "custom", schema: {} },
    testing_criteria: graders,
  };
  const text = [definition, { item }].map((value) => JSON.stringify(value)).join("\n");
  const { scenarios, checks, notes } = importScenarios({ text, name: "bundle.jsonl" });
  const [turn] = scenarios[0]?.interactions ?? [];
  return {
    checks: turn?.checks,
    reference: turn?.reference_reply,
    reply: turn?.agent_reply,
    user: turn?.user_message,
    listed: checks,
    notes: notes.filter(({ kind }) => kind !== "kept").map(({ kind, line, message }) => `${kind} ${line}: ${message}`),
  };
}

const stringCheck = (operation: string, more: object = {}) => ({
  type: "string_check",
  name: "Queue",
  input: "{{ sample.output_text }}",
  operation,
  reference: "{{item.queue}}",
  ...more,
});

test.each([
  ["eq", { type: "equals", text: "billing", ignore_case: false, negate: false }],
  ["ne", { type: "equals", text: "billing", ignore_case: false, negate: true }],
  ["like", { type: "contains", text: "billing", mode: "all", ignore_case: false }],
  ["ilike", { type: "contains", text: "billing", mode: "all", ignore_case: true }],
])("converts string_check %s to a check named after the grader", (operation, check) => {
  expect(graded([stringCheck(operation)])).toMatchObject({ checks: [{ ...check, name: "Queue" }], notes: [] });
});

test("uses an expected text as the reference reply only if the reply must equal it", () => {
  expect(graded([stringCheck("eq")])).toMatchObject({ reference: "billing", user: "Which queue?" });
  expect(graded([stringCheck("ilike")])).toMatchObject({ reference: "", user: "Which queue?" });
  const swapped = { input: "{{item.queue}}", reference: "{{sample.output_text}}" };
  expect(graded([stringCheck("eq", swapped)])).toMatchObject({ checks: [{ type: "equals", text: "billing" }] });
});

test.each([
  ["eq", "{{item.code}}", { enum: ["5", 5] }],
  ["ne", "{{item.queue}}", { not: { enum: ["billing"] } }],
  ["like", "{{item.long.kind}}", { type: "string", pattern: "a\\.b" }],
  ["ilike", "{{item.long.kind}}", { type: "string", pattern: "(?i)a\\.b" }],
])("converts string_check %s of a JSON field to a schema", (operation, reference, value) => {
  const inner = { type: "object", required: ["kind"], properties: { kind: value } };
  const schema = { type: "object", required: ["ticket"], properties: { ticket: inner } };
  const input = "{{ sample.output_json.ticket.kind }}";
  expect(graded([stringCheck(operation, { input, reference })]).checks).toEqual([
    { type: "json_schema", name: "Queue", schema },
  ]);
});

test.each([
  [
    { input: "{{sample.output_tools[0].function.name}}" },
    "reads sample.output_tools[0].function.name, which cannot be checked",
  ],
  [{ input: "It is {{sample.output_text}}" }, "uses the reply inside a longer text"],
  [{ input: "{{item.queue}}", reference: "{{sample.output_text}}" }, "looks for the reply in a text of the row"],
  [{ input: "{{sample.output_json.list[0]}}" }, "reads sample.output_json in a way that no JSON schema can express"],
  [{ operation: "matches" }, 'has the unknown operation "matches"'],
])("notes an unsupported string_check once, with its place: %j", (more, why) => {
  expect(graded([stringCheck("like", more)])).toMatchObject({
    checks: undefined,
    notes: [`dropped 1: grader "Queue" ${why}`],
  });
});

test("notes the row that lacks a field of a grader", () => {
  const { checks, notes } = graded([stringCheck("eq", { reference: "{{item.team.name}}" }), stringCheck("like")]);
  expect(checks).toHaveLength(1);
  expect(notes).toEqual(['dropped 2: grader "Queue" reads item.team.name, which this row does not have']);
});

const similarity = (metric: string, more: object = {}) => ({
  type: "text_similarity",
  name: "Near",
  input: "{{sample.output_text}}",
  reference: "{{item.queue}}",
  evaluation_metric: metric,
  pass_threshold: 0.8,
  ...more,
});

test.each([
  ["rouge_1", "token_f1"],
  ["rouge_l", "rouge_l"],
])("keeps the threshold of text_similarity by %s", (metric, own) => {
  expect(graded([similarity(metric)])).toMatchObject({
    checks: [{ type: "similarity", name: "Near", metric: own, reference: "billing", threshold: 0.8 }],
    reference: "billing",
    notes: [],
  });
});

test.each([
  ["fuzzy_match", "edit_similarity"],
  ["bleu", "chrf"],
  ["gleu", "chrf"],
  ["meteor", "token_f1"],
  ["rouge_2", "rouge_l"],
  ["rouge_5", "rouge_l"],
  ["cosine", "semantic_similarity"],
])("notes the closest metric to text_similarity by %s, and keeps its reference", (metric, closest) => {
  const { checks, reference, listed, notes } = graded([similarity(metric)]);
  expect([checks, reference]).toEqual([undefined, "billing"]);
  expect(listed).toMatchObject([{ type: metric, value: "billing", threshold: 0.8 }]);
  expect(notes).toEqual([
    `dropped 1: grader "Near" uses ${metric} with the threshold 0.8, which is not supported; the closest metric is ${closest}. Its reference became the reference reply`,
  ]);
});

const message = (role: string, text: string) => ({ type: "message", role, content: { type: "input_text", text } });

test("converts label_model to a rubric with its labels as choices", () => {
  const { checks, notes } = graded([
    {
      type: "label_model",
      name: "Right queue",
      model: "o3-mini",
      input: [
        message("developer", "Is the queue right? It should be {{item.queue}}."),
        message("user", "Ticket: {{ item.question }}\nQueue: {{ sample.output_text }}"),
      ],
      labels: ["right", "close", "wrong"],
      passing_labels: ["right", "close"],
    },
  ]);
  expect(checks).toEqual([
    {
      type: "rubric",
      name: "Right_queue",
      text: "Is the queue right? It should be billing.\n\nTicket: Which queue?\nQueue: (reply_to_judge)",
      choices: { right: 1, close: 1, wrong: 0 },
    },
  ]);
  expect(notes).toEqual([
    'changed 1: grader "Right queue" became a rubric for the judge of the run (right, close 1, any other label 0); it used o3-mini: set judge.model_id to keep that model',
  ]);
});

const scoreModel = (more: object) => ({
  type: "score_model",
  name: "Score",
  model: "gpt-4.1",
  input: [message("user", "Score {{sample.output_text}}")],
  ...more,
});
const choicesOf = (more: object) => {
  const [check] = graded([scoreModel(more)]).checks ?? [];
  return check?.type === "rubric" ? check.choices : undefined;
};

test("converts score_model to a rubric with scores as choices and its threshold", () => {
  expect(choicesOf({ range: [1, 5], pass_threshold: 4 })).toEqual({ 1: 0, 2: 0, 3: 0, 4: 1, 5: 1 });
  expect(choicesOf({ range: [1, 5] })).toEqual({ 1: 0, 2: 0.25, 3: 0.5, 4: 0.75, 5: 1 });
  expect(choicesOf({ pass_threshold: 0.7 })).toMatchObject({ 0: 0, 0.6: 0, 0.7: 1, 1: 1 });
  expect(choicesOf({ range: [0, 100] })).toMatchObject({ 0: 0, 10: 0.1, 100: 1 });
  const { notes } = graded([scoreModel({ pass_threshold: 0.7, sampling_params: { temperature: 0, seed: null } })]);
  expect(notes).toEqual([
    'changed 1: grader "Score" became a rubric for the judge of the run (0 to 1 in steps of 0.1, 0.7 and more is 1, less is 0); it used gpt-4.1 with temperature 0: set judge.model_id to keep that model',
  ]);
});

test("notes a threshold that every score passes, and an image", () => {
  const picture = [
    {
      role: "user",
      content: [
        { type: "input_text", text: "Score it" },
        { type: "input_image", image_url: "x" },
      ],
    },
  ];
  const { checks, notes } = graded([scoreModel({ pass_threshold: 0, input: picture })]);
  expect(checks).toMatchObject([{ text: "Score it", choices: { 0.5: 0.5 } }]);
  expect(notes).toEqual([
    'dropped 1: grader "Score": only text is kept; dropped: input_image',
    expect.stringContaining("as a share of the range; the pass_threshold 0 separates no scores"),
  ]);
});

test("keeps the speakers of examples in a model grader, and notes what the judge does not see", () => {
  const input = ["user", "assistant", "user"].map((role) => ({ role, content: "Say {{sample.output_json.x}}" }));
  const said = "Say (x of the JSON in reply_to_judge)";
  expect(graded([scoreModel({ input })]).checks).toMatchObject([
    { text: `user: ${said}\n\nassistant: ${said}\n\nuser: ${said}` },
  ]);
  expect(graded([scoreModel({ input: [message("user", "{{sample.output_tools}}")] })])).toMatchObject({
    checks: undefined,
    notes: [expect.anything(), 'dropped 1: grader "Score" reads sample.output_tools, which the judge does not see'],
  });
});

test.each([
  ["0.6 * exact + near * 0.4", { "Both.exact": 0.6, "Both.near": 0.4 }],
  ["(exact + near) / 2", { "Both.exact": 1, "Both.near": 1 }],
  ["min(exact, near)", undefined],
])("converts the graders of a multi grader to checks, and notes its formula %s", (formula, weights) => {
  const graders = {
    exact: stringCheck("eq"),
    near: similarity("rouge_l", { pass_threshold: undefined }),
  };
  const { checks, notes } = graded([{ type: "multi", name: "Both", graders, calculate_output: formula }]);
  expect(checks?.map(({ name, type }) => [name, type])).toEqual([
    ["Both.exact", "equals"],
    ["Both.near", "similarity"],
  ]);
  const instead = weights ? `; equivalent weights of a run: ${JSON.stringify(weights)}` : "";
  expect(notes).toEqual([
    `changed 1: grader "Both": its 2 graders became checks; its formula "${formula}" was dropped${instead}`,
  ]);
});

test("notes python, unknown and broken graders", () => {
  const list = [
    { type: "python", name: "Code", source: "def grade(sample, item): return 1.0" },
    { type: "azure_ai_evaluator", name: "Fluency" },
    {
      type: "label_model",
      name: "One",
      model: "m",
      input: [message("user", "Hi")],
      labels: ["yes"],
      passing_labels: [],
    },
    { type: "score_model", name: "Range", model: "m", input: [message("user", "Hi")], range: [1, 1] },
  ];
  expect(graded(list).notes).toEqual([
    'dropped 1: grader "Code" runs its own code, which is not executed here',
    'dropped 1: grader "Fluency" has the unknown type "azure_ai_evaluator"',
    'dropped 1: grader "One" has 1 labels; a judge chooses from 2 to 20',
    'dropped 1: grader "Range" has an empty range',
  ]);
});

test("makes two checks of two graders with one name", () => {
  const { checks, notes } = graded([stringCheck("eq"), stringCheck("ilike")]);
  expect(checks?.map(({ name, type }) => [name, type])).toEqual([
    ["Queue", "equals"],
    [undefined, "contains"],
  ]);
  expect(notes).toEqual([
    'changed 1: grader "Queue" has a name that a score cannot have; its score is named after its type',
  ]);
});

test("reads the recorded reply of a row if the graders read no sample", () => {
  const list = [stringCheck("eq", { input: "{{item.answer}}" }), similarity("rouge_l", { input: "{{ item.answer }}" })];
  expect(graded(list, { ...rowOf, answer: "payments" })).toMatchObject({
    checks: [{ type: "equals", text: "billing" }, { type: "similarity" }],
    reply: "payments",
    user: "Which queue?",
    notes: [
      "changed 1: the graders read item.answer, an earlier reply: it is kept as the recorded reply, and a run asks the model again",
    ],
  });
});
