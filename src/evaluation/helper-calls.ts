import type { EvaluationPlan, JudgeSettings } from "../contract/schemas/evaluation-request.ts";
import type { Interaction, Scenario } from "../contract/schemas/scenario.ts";
import { judgeQuestions } from "./judges/judge-question.ts";
import { referenceReplies } from "./reference-replies.ts";
import { rubricsOf } from "./rubrics-of.ts";

/** How often a judge and a labeller are asked. */
interface HelperCalls {
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
  if (judge.scope === "conversation") return votes * judgeQuestions(judge).length * scenarios.length;
  const textsOf = createTurnTexts(judge);
  return votes * turnsOf(scenarios).reduce((sum, turn) => sum + textsOf(turn).length, 0);
}

/** Tells what a judge of single replies is asked about a turn. */
export function createTurnTexts(judge: JudgeSettings): (turn: Interaction) => readonly string[] {
  const questions = judgeQuestions(judge);
  const always = questions.filter(({ needsReference }) => !needsReference).map(({ text }) => text);
  const all = questions.map(({ text }) => text);
  return (turn) => [...(referenceReplies(turn).length > 0 ? all : always), ...rubricsOf(turn).map(({ text }) => text)];
}

const turnsOf = (scenarios: Helped["scenarios"]) => scenarios.flatMap(({ interactions }) => interactions);

export const hasLabels = ({ reference_metadata }: Interaction): boolean =>
  Object.values(reference_metadata).some((value) => ["string", "number", "boolean"].includes(typeof value));
