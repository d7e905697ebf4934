import { ServiceError, type FieldError } from "../contract/errors.ts";
import type { LabellerSettings, RunSettings } from "../contract/evaluation-request.ts";
import type { JudgeAudit, JudgeAuditRequest } from "../contract/judge-audit.ts";
import type { ChatModel } from "../contract/model.ts";
import { auditJudge } from "../evaluation/judges/audit-judge.ts";
import { judgeFingerprint } from "../evaluation/judges/judge-fingerprint.ts";
import { judgeQuestions } from "../evaluation/judges/judge-question.ts";

/** Where a model is: as much of a run's settings as it takes to call it. */
export type ModelTarget = Pick<RunSettings, "endpoint" | "model_id" | "protocol">;

/** Measures a judge against the choices of people. One question at a time: with several rubrics, audit each by itself. */
export async function runJudgeAudit(
  { judge: requested, items, repeats }: JudgeAuditRequest,
  {
    createModel,
    operatorJudge,
    signal,
  }: { createModel: (target: ModelTarget) => ChatModel; operatorJudge?: LabellerSettings; signal: AbortSignal },
): Promise<JudgeAudit> {
  const judge = { ...operatorJudge, ...requested };
  const [question, ...others] = judgeQuestions(judge);
  const { endpoint, model_id, protocol = "openai-chat" } = judge;
  const problems: FieldError[] = [];
  if (endpoint === undefined) problems.push({ pointer: "/judge/endpoint", code: "required", message: "is required" });
  if (model_id === undefined) problems.push({ pointer: "/judge/model_id", code: "required", message: "is required" });
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
  if (problems.length > 0 || !question || endpoint === undefined || model_id === undefined) {
    const [first] = problems;
    throw new ServiceError("validation_failed", `${first?.pointer} ${first?.message}`, {
      errors: problems.slice(0, 50),
    });
  }
  return auditJudge({
    judge: { model: createModel({ endpoint, model_id, protocol }), votes: 1, audited: false },
    question,
    items,
    repeats,
    fingerprint: await judgeFingerprint(judge),
    signal,
  });
}
