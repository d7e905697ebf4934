import type { z } from "zod";
import type { JudgeSettings } from "../../src/contract/schemas/evaluation-request.ts";
import type { JudgeAuditRequest } from "../../src/contract/schemas/judge-audit.ts";
import { isRecord } from "../../src/base/json.ts";
import { judgeQuestions } from "../../src/evaluation/judges/judge-question.ts";

type AuditedJudge = z.input<typeof JudgeAuditRequest>["judge"];

/** One question of a run's judge, as a person answers it and an audit is asked for it. */
export interface AuditQuestion {
  readonly name: string;
  readonly text: string;
  readonly choices: readonly string[];
  readonly needsReference: boolean;
  /** The model of the run saw the references in place of its own replies. */
  readonly isTaught: boolean;
  readonly judge: AuditedJudge;
}

/** What the judge of a run was asked about single replies; nothing where it has none, or judges whole conversations. */
export function auditQuestions({ judge, history }: Readonly<Record<string, unknown>>): readonly AuditQuestion[] {
  if (!isRecord(judge) || judge["scope"] === "conversation") return [];
  const { rubrics, ...alone } = judge as JudgeSettings;
  return judgeQuestions(judge as JudgeSettings).map(({ name, text, choices, needsReference }) => ({
    name,
    text,
    choices: Object.keys(choices),
    needsReference,
    isTaught: history === "reference",
    // Each of several rubrics is audited by itself.
    judge: rubrics ? { ...alone, rubric: text, choices } : alone,
  }));
}
