import type { z } from "zod";
import { isRecord } from "../../src/base/json.ts";
import type { JudgeSettings } from "../../src/contract/schemas/evaluation-request.ts";
import type { JudgeAuditRequest } from "../../src/contract/schemas/judge-audit.ts";
import { auditRule, judgeQuestions } from "../../src/evaluation/judges/judge-question.ts";
import { formatCount, formatInteger } from "../parts/text/format.ts";

type AuditedJudge = z.input<typeof JudgeAuditRequest>["judge"];

/** One question of a run's judge, to be answered by a person and by the judge. */
export interface AuditQuestion {
  readonly name: string;
  readonly text: string;
  readonly choices: readonly string[];
  readonly needsReference: boolean;
  /** True when the history held the references instead of the model's own replies. */
  readonly hasReferenceHistory: boolean;
  readonly judge: AuditedJudge;
}

/** The judge's questions about single replies; none without a judge, or if it judges whole conversations. */
export function auditQuestions({ judge, history }: Readonly<Record<string, unknown>>): readonly AuditQuestion[] {
  if (!isRecord(judge) || judge["scope"] === "conversation") return [];
  const { rubrics, ...alone } = judge as JudgeSettings;
  return judgeQuestions(judge as JudgeSettings).map(({ name, text, choices, needsReference }) => ({
    name,
    text,
    choices: Object.keys(choices),
    needsReference,
    hasReferenceHistory: history === "reference",
    // Every rubric is audited separately.
    judge: rubrics ? { ...alone, rubric: text, choices } : alone,
  }));
}

/** Says how many grades an audit still needs to pass; undefined when there are enough. */
export function missingReplies(chosen: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const choice of chosen) counts.set(choice, (counts.get(choice) ?? 0) + 1);
  const items = auditRule.items - chosen.length;
  const others = auditRule.others - (chosen.length - Math.max(0, ...counts.values()));
  if (items > 0) return `Grade at least ${formatCount(items, "more reply", "more replies")}.`;
  if (others > 0)
    return `To verify a judge, ${formatInteger(auditRule.others)} replies need another grade than your most frequent one: ${formatInteger(others)} are missing.`;
  return undefined;
}
