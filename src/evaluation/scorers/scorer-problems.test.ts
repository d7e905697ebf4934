import { expect, test } from "vitest";
import { ScorerSetting } from "../../contract/scorer-setting.ts";
import { scorerProblems } from "./scorer-problems.ts";

function problemsOf(name: string): string[] {
  const setting = ScorerSetting.parse({ type: "contains", text: "refund", name });
  return scorerProblems([setting], ["token_f1"]).map(({ message }) => message);
}

test("a check may not take the name of a score of ours, not even of a label or a rubric", () => {
  for (const name of ["overall", "token_f1", "semantic_similarity", "conversation_quality"]) {
    expect(problemsOf(name)).toEqual([`"${name}" is the name of another score`]);
  }
  expect(problemsOf("metadata.intent")).toEqual([
    `"metadata.intent" begins with "metadata.", as only the service's own scores do`,
  ]);
  expect(problemsOf("judge.tone")).toHaveLength(1);
  expect(problemsOf("conversation.tone")).toHaveLength(1);
  expect(problemsOf("metadata_checked")).toEqual([]);
});

test("patterns and schemas are refused before they are compiled when they are too long together", () => {
  const pattern = { type: "regex", pattern: "(".repeat(2_000), ignore_case: false, negate: false } as const;
  const schema = { type: "json_schema", schema: { description: "x".repeat(60_000) } } as const;
  expect(scorerProblems([...Array.from({ length: 11 }, () => pattern), schema, schema], [])).toMatchObject([
    { index: 10, field: "pattern", code: "too_big" },
    { index: 12, field: "schema", code: "too_big" },
  ]);
  expect(scorerProblems([{ ...pattern, pattern: "a".repeat(2_000) }, schema], [])).toEqual([]);
});
