import type { JudgeSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Interaction } from "../../contract/schemas/scenario.ts";
import { singleChecks } from "../../contract/schemas/scores/score-names.ts";
import type { Choices } from "../../scoring/checks/rubric.ts";
import type { JudgeNeed, ReadyJudge } from "../../scoring/judges/define-judge.ts";
import { readyJudge } from "../../scoring/judges/ready-judges.ts";

/** One question to a judge, its possible answers, and the name of its score. */
export interface JudgeQuestion {
  readonly name: string;
  readonly text: string;
  readonly choices: Choices;
  readonly weight: number;
  /** Skips turns without a reference, as the built-in question does. */
  readonly needsReference: boolean;
  /** True when the judge passed an audit with this question. Default: as for the judge. */
  readonly audited?: boolean;
  /** What else a turn must have to be asked about. */
  readonly needs?: readonly JudgeNeed[];
  /** The verdict quotes what it rests on. */
  readonly quotes?: boolean;
  /** Asked together with others of the same scope, and not again about the same content. */
  readonly isReady?: boolean;
  /** Default: that of the judge. */
  readonly scope?: "turn" | "conversation";
}

/** Correct additions do not make a correct answer wrong. */
const correctnessChoices: Choices = {
  equivalent: 1,
  correct_with_extra: 1,
  partial: 0.5,
  unrelated: 0,
  contradicts: 0,
};

const gradeChoices: Choices = { pass: 1, partial: 0.5, fail: 0 };

/** The question of a turn's own rubric, which is never audited. */
export function turnQuestion(
  name: string,
  { text, choices = gradeChoices }: { text: string; choices?: Choices | undefined },
): JudgeQuestion {
  return { name, text, choices, weight: 1, needsReference: false, audited: false };
}

/** The score of a turn's rubric, from the value of the choice. */
export function rubricValue(
  { threshold, negate }: { threshold?: number | undefined; negate?: boolean | undefined },
  value: number,
): number {
  const reached = threshold === undefined ? value : value >= threshold ? 1 : 0;
  return negate ? 1 - reached : reached;
}

const correctnessText = `Compare the reply with the reference replies, any one of which would be right. Judge the content only, not style or length.
- equivalent: it says the same as a reference.
- correct_with_extra: it says what a reference says, and more that does not contradict it.
- partial: it says a part of what a reference says, and nothing that contradicts it.
- unrelated: it says nothing of what the references say.
- contradicts: it says something that contradicts the references.`;

const conversationText =
  "Did the assistant serve the user well over the whole conversation: was the user's need understood, met, and nothing false or contradictory said?";

/** The score of a judge with a single question. */
function defaultScoreName(scope: NonNullable<JudgeSettings["scope"]>): string {
  return scope === "turn" ? "judge_correctness" : "conversation_quality";
}

/** The questions of a run, from its settings. Ready-made ones may be about another scope than the others. */
export function judgeQuestions(settings: JudgeSettings): readonly JudgeQuestion[] {
  const { judges = [], rubric, rubrics } = settings;
  const own = judges.length === 0 || rubric !== undefined || rubrics !== undefined ? ownQuestions(settings) : [];
  return [...own, ...[...new Set(judges)].map((name) => toQuestion(readyJudge(name)))];
}

/** The questions about single turns, or about whole conversations. */
export const questionsOf = (settings: JudgeSettings, scope: "turn" | "conversation"): readonly JudgeQuestion[] =>
  judgeQuestions(settings).filter((question) => (question.scope ?? settings.scope ?? "turn") === scope);

/** A ready-made judge as a question. */
export function toQuestion({ name, scope, text, choices, needs, quotes }: ReadyJudge): JudgeQuestion {
  return {
    name: `${scope === "turn" ? "judge" : "conversation"}.${name}`,
    text,
    choices,
    weight: 1,
    needsReference: needs.includes("reference"),
    needs: needs.filter((need) => need !== "reference"),
    quotes,
    isReady: true,
    scope,
  };
}

function ownQuestions({ rubric, rubrics, choices, scope = "turn" }: JudgeSettings): readonly JudgeQuestion[] {
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
    {
      name: defaultScoreName(scope),
      text,
      weight: 1,
      choices: choices ?? usual,
      needsReference: !own && scope === "turn",
    },
  ];
}

/**
 * Items an audit needs to pass a judge, and how many of them must be outside the people's most frequent choice, on which kappa
 * rests.
 */
export const auditRule = { items: 20, others: 5 } as const;

/** The rubrics of a turn, judged in addition to the questions of the run. */
export function turnRubrics({ checks = [] }: Pick<Interaction, "checks">) {
  return singleChecks(checks).filter((check) => check.type === "rubric");
}

/**
 * Identifies a judge with one of its questions: an audit is valid only for the same model, question and choices. The name of
 * the score is not included, because the judge does not see it.
 */
export async function judgeFingerprint(
  { endpoint, model_id, protocol = "openai-chat", scope = "turn" }: JudgeSettings,
  { text, choices }: JudgeQuestion,
): Promise<string> {
  const questions = [[defaultScoreName(scope), text, Object.entries(choices)]];
  const bytes = new TextEncoder().encode(JSON.stringify([endpoint, model_id, protocol, scope, questions]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
