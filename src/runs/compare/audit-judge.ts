import type { FieldError } from "../../contract/errors/errors.ts";
import type { JudgeAudit, JudgeAuditRequest } from "../../contract/schemas/judge-audit.ts";
import { auditJudge } from "../../evaluation/judges/audit-judge.ts";
import { judgeFingerprint, judgeQuestions } from "../../evaluation/judges/judge-question.ts";
import type { JudgeRunPairsOptions } from "./judge-run-pairs.ts";
import { invalidFieldsError } from "../plan/fields-error.ts";
import { resolveHelper, withOperatorDefaults } from "../plan/model-target.ts";

/** Measures a judge against human choices. One question at a time: audit each of several rubrics by itself. */
export async function runJudgeAudit(
  { judge: requested, items, repeats }: JudgeAuditRequest,
  { createModel, priceOf, operatorJudge, owner = null, signal }: Omit<JudgeRunPairsOptions, "concurrency">,
): Promise<JudgeAudit> {
  const judge = withOperatorDefaults(requested, operatorJudge);
  const [question, ...others] = judgeQuestions(judge);
  const { target, problems: missing } = resolveHelper("judge", judge);
  const problems: FieldError[] = [...missing];
  if (judge.scope === "conversation") {
    problems.push({ pointer: "/judge/scope", code: "unsupported", message: "must be turn: items are single replies" });
  }
  if (others.length > 0) {
    problems.push({
      pointer: "/judge/rubrics",
      code: "too_big",
      message: "must have at most 1 item: audit each rubric by itself",
    });
  }
  const known = Object.keys(question?.choices ?? {});
  for (const [index, { human }] of items.entries()) {
    if (known.includes(human)) continue;
    problems.push({
      pointer: `/items/${index}/human`,
      code: "invalid_value",
      message: `must be one of ${known.join(", ")}`,
    });
  }
  if (problems.length > 0 || !question || !target) throw invalidFieldsError(problems);
  return auditJudge({
    judge: { model: createModel({ ...target, owner }), votes: 1, audited: false, priceOf: priceOf?.(target) },
    question,
    items,
    repeats,
    fingerprint: await judgeFingerprint(judge, question),
    signal,
  });
}
