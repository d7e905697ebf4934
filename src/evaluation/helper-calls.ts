import type { EvaluationPlan, JudgeSettings } from "../contract/evaluation-request.ts";
import type { Interaction, Scenario } from "../contract/scenario.ts";
import { judgeQuestions } from "./judges/judge-question.ts";
import { referenceReplies } from "./reference-replies.ts";
import { rubricsOf } from "./rubrics-of.ts";

/** How often a judge and a labeller are asked. */
export interface HelperCalls {
  readonly judge: number;
  readonly labeller: number;
}

/** What is judged and labelled, and by whom. */
export interface Helped extends Pick<EvaluationPlan, "judge" | "labeller"> {
  readonly scenarios: readonly Scenario[];
}

/**
 * What one pass through the scenarios takes, if every turn is answered: a judge that compares skips turns without a reference,
 * a labeller those without labels.
 */
export function helperCalls({ scenarios, judge, labeller }: Helped): HelperCalls {
  return {
    judge: judge ? judgeCalls(scenarios, judge) : 0,
    labeller: labeller ? turnsOf(scenarios).filter(hasLabels).length : 0,
  };
}

function judgeCalls(scenarios: Helped["scenarios"], judge: JudgeSettings): number {
  const { votes = 1 } = judge;
  const questions = judgeQuestions(judge);
  if (judge.scope === "conversation") return votes * questions.length * scenarios.length;
  const turns = turnsOf(scenarios);
  const referenced = turns.filter((turn) => referenceReplies(turn).length > 0).length;
  const rubrics = turns.flatMap(rubricsOf).length;
  return (
    votes * questions.reduce((sum, { needsReference }) => sum + (needsReference ? referenced : turns.length), rubrics)
  );
}

const turnsOf = (scenarios: Helped["scenarios"]) => scenarios.flatMap(({ interactions }) => interactions);

const hasLabels = ({ reference_metadata }: Interaction): boolean =>
  Object.values(reference_metadata).some((value) => ["string", "number", "boolean"].includes(typeof value));
