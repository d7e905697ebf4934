import { expect, test } from "vitest";
import { auditQuestions, missingReplies } from "../../../web/audit/audit-questions.ts";
import { createReplySample, type ExportedTurn } from "../../../web/audit/reply-sample.ts";

const turn = (number: number, fields: Partial<ExportedTurn> = {}): ExportedTurn => ({
  scenario_id: `s${number}`,
  attempt: 1,
  turn_index: 0,
  user_message: `question ${number}`,
  agent_reply: `reply ${number}`,
  reference_reply: `reference ${number}`,
  error: null,
  ...fields,
});

function sampled(turns: readonly ExportedTurn[], { runId = "run", needsReference = false } = {}): string[] {
  const sample = createReplySample({ runId, most: 10, needsReference, hasReferenceHistory: false });
  for (const each of turns) sample.add(each);
  return sample.replies().map(({ reply }) => reply);
}

test("samples the same replies of a run in any order, and others of another run", () => {
  const turns = Array.from({ length: 500 }, (_, index) => turn(index));
  const first = sampled(turns);
  expect(new Set(first).size).toBe(10);
  expect(sampled(turns.toReversed())).toEqual(first);
  expect(sampled(turns, { runId: "other" })).not.toEqual(first);
  expect(first.some((reply) => Number(reply.slice(6)) >= 250)).toBe(true);
});

test("samples only replies the judge can grade", () => {
  const turns = [turn(1), turn(2, { error: { code: "upstream_timeout" } }), turn(3, { reference_reply: "" })];
  expect(sampled(turns, { needsReference: true })).toEqual(["reply 1"]);
  expect(sampled(turns).toSorted()).toEqual(["reply 1", "reply 3"]);
});

test("shows the history as the model saw it", () => {
  const turns = [0, 1, 2].map((turn_index) => turn(turn_index, { scenario_id: "s", turn_index }));
  const failed = turn(1, { scenario_id: "s", turn_index: 1, error: { code: "upstream_timeout" } });
  const before = (added: readonly ExportedTurn[], hasReferenceHistory: boolean) => {
    const sample = createReplySample({ runId: "run", most: 10, needsReference: false, hasReferenceHistory });
    for (const each of added) sample.add(each);
    const last = sample.replies().find(({ reply }) => reply === "reply 2");
    return last?.conversation_before.map(({ user_message, reply }) => [user_message, reply]);
  };
  expect(before([turn(9), ...turns], false)).toEqual([
    ["question 0", "reply 0"],
    ["question 1", "reply 1"],
  ]);
  expect(before([turns[0]!, failed, turns[2]!], false)).toEqual([["question 0", "reply 0"]]);
  expect(before(turns, true)).toEqual([
    ["question 0", "reference 0"],
    ["question 1", "reference 1"],
  ]);
});

test("audits each question of a judge separately", () => {
  const judge = { endpoint: "http://judge/v1", model_id: "j", votes: 3 };
  expect(auditQuestions({ judge })).toMatchObject([{ name: "judge_correctness", needsReference: true, judge }]);
  const rubrics = [
    { name: "kind", text: "Is it kind?" },
    { name: "short", text: "Is it short?", choices: { yes: 1, no: 0 } },
  ];
  expect(auditQuestions({ judge: { ...judge, rubrics } })).toEqual([
    {
      name: "judge.kind",
      text: "Is it kind?",
      choices: ["pass", "partial", "fail"],
      needsReference: false,
      hasReferenceHistory: false,
      judge: { ...judge, rubric: "Is it kind?", choices: { pass: 1, partial: 0.5, fail: 0 } },
    },
    {
      name: "judge.short",
      text: "Is it short?",
      choices: ["yes", "no"],
      needsReference: false,
      hasReferenceHistory: false,
      judge: { ...judge, rubric: "Is it short?", choices: { yes: 1, no: 0 } },
    },
  ]);
});

test.each([{}, { judge: { scope: "conversation" } }])("finds no questions to audit in %j", (request) => {
  expect(auditQuestions(request)).toEqual([]);
});

test("reports missing replies first, then missing variety", () => {
  const chosen = (good: number, bad: number) => [
    ...Array.from({ length: good }, () => "good"),
    ...Array.from({ length: bad }, () => "bad"),
  ];
  expect(missingReplies([])).toContain("20 more replies");
  expect(missingReplies(chosen(10, 9))).toContain("1 more reply.");
  expect(missingReplies(chosen(18, 2))).toContain("3 are missing");
  expect(missingReplies(chosen(15, 5))).toBeUndefined();
});
