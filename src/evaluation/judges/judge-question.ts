import type { JudgeSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Choices } from "../../contract/schemas/scorer-setting.ts";

/** One question to a judge: what to judge, what it may answer, and the name of the score. */
export interface JudgeQuestion {
  readonly name: string;
  readonly text: string;
  readonly choices: Choices;
  readonly weight: number;
  /** The built-in question compares with the reference; without one there is nothing to ask. */
  readonly needsReference: boolean;
  /** Whether the judge was checked against people for this question. Default: what its judge says of all. */
  readonly audited?: boolean;
}

/** Is the reply right, by the reference? Extra truths do not make a right answer wrong. */
const correctnessChoices: Choices = {
  equivalent: 1,
  correct_with_extra: 1,
  partial: 0.5,
  unrelated: 0,
  contradicts: 0,
};

const gradeChoices: Choices = { pass: 1, partial: 0.5, fail: 0 };

/** A rubric that a turn brings itself, under the name of its score. No audit was made with it. */
export function turnQuestion(
  name: string,
  { text, choices = gradeChoices }: { text: string; choices?: Choices | undefined },
): JudgeQuestion {
  return { name, text, choices, weight: 1, needsReference: false, audited: false };
}

const correctnessText = `Compare the reply with the reference replies, any one of which would be right. Judge the content only, not style or length.
- equivalent: it says the same as a reference.
- correct_with_extra: it says what a reference says, and more that does not contradict it.
- partial: it says a part of what a reference says, and nothing that contradicts it.
- unrelated: it says nothing of what the references say.
- contradicts: it says something that contradicts the references.`;

const conversationText =
  "Did the assistant serve the user well over the whole conversation: was the user's need understood, met, and nothing false or contradictory said?";

/** The score of a judge that is asked one question. */
export function usualName(scope: NonNullable<JudgeSettings["scope"]>): string {
  return scope === "turn" ? "judge_correctness" : "conversation_quality";
}

/** The questions of a run, from its settings. */
export function judgeQuestions({ rubric, rubrics, choices, scope = "turn" }: JudgeSettings): readonly JudgeQuestion[] {
  const prefix = scope === "turn" ? "judge" : "conversation";
  if (rubrics) {
    return rubrics.map((entry) => ({
      name: `${prefix}.${entry.name}`,
      text: entry.text,
      weight: entry.weight,
      choices: entry.choices ?? choices ?? gradeChoices,
      needsReference: false,
    }));
  }
  const own = rubric !== undefined;
  const text = rubric ?? (scope === "turn" ? correctnessText : conversationText);
  const usual = !own && scope === "turn" ? correctnessChoices : gradeChoices;
  return [
    { name: usualName(scope), text, weight: 1, choices: choices ?? usual, needsReference: !own && scope === "turn" },
  ];
}

/**
 * How many items an audit needs to pass a judge, and how many of them must be of another choice than people's most frequent one, on
 * which kappa rests.
 */
export const auditRule = { items: 20, others: 5 } as const;
