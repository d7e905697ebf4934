import { compact } from "../../base/compact.ts";
import type { ConversationJudgement, JudgeVerdict } from "../../contract/schemas/judging/judge.ts";
import type { HelperUsage } from "../../contract/schemas/shared/usage.ts";
import type { ChatMessage } from "../../contract/ports/chat-model.ts";
import type { Score } from "../../contract/schemas/scores/score.ts";
import { addHelperUsage, noHelperUsage } from "../helpers/helper-usage.ts";
import type { GivenScore } from "../../scoring/scorers/scorer.ts";
import { askJudge, describeVerdict, type Judge } from "./ask-judge.ts";
import { answeredTurns, conversationPrompt, turnPrompt, type JudgedTurn } from "./judge-prompt.ts";
import type { JudgeQuestion } from "./judge-question.ts";

/** A judge's scores and verdicts on one reply. */
export interface TurnJudgement {
  readonly scores: readonly GivenScore[];
  readonly judgements: Readonly<Record<string, JudgeVerdict>>;
  readonly helper_usage: HelperUsage;
}

/** Judges one reply by each of the questions. */
export async function judgeTurn(
  judge: Judge,
  {
    questions,
    turn,
    before,
    signal,
  }: {
    questions: readonly JudgeQuestion[];
    turn: JudgedTurn;
    before: readonly JudgedTurn[];
    signal: AbortSignal;
  },
): Promise<TurnJudgement> {
  const { asked, unasked } = splitQuestions(questions, turn.references ?? []);
  const judged = await askAll(judge, asked, {
    signal,
    judged: repliesOf([...before, turn]),
    promptOf: (question) => turnPrompt(question, { turn, before }),
  });
  return { ...judged, scores: [...unasked, ...scoresOf(judged.judgements, questions, "judge_rubrics")] };
}

/** Rebuilds the scores from stored verdicts, with the current audit state of the judge. */
export function judgementFromStored(
  earlier: Readonly<Record<string, JudgeVerdict>>,
  { questions, references }: { questions: readonly JudgeQuestion[]; references: readonly string[] },
): TurnJudgement {
  const { asked, unasked } = splitQuestions(questions, references);
  const auditStates = new Map(questions.map(({ name, audited }) => [name, audited]));
  const judgements = Object.fromEntries(
    Object.entries(earlier).map(([name, stored]): [string, JudgeVerdict] => [
      name,
      { ...stored, judge_audited: auditStates.get(name) ?? stored.judge_audited },
    ]),
  );
  const verdicts = Object.fromEntries(asked.map(({ name }) => [name, judgements[name] ?? missingVerdict]));
  return {
    scores: [...unasked, ...scoresOf(verdicts, questions, "judge_rubrics")],
    judgements,
    helper_usage: noHelperUsage,
  };
}

const missingVerdict: JudgeVerdict = { value: null, verdict: null, votes: [], agreement: null, judge_audited: false };

function splitQuestions(
  questions: readonly JudgeQuestion[],
  references: readonly string[],
): { asked: readonly JudgeQuestion[]; unasked: readonly Score[] } {
  const asked = questions.filter(({ needsReference }) => !needsReference || references.length > 0);
  const unasked = questions
    .filter((question) => !asked.includes(question))
    .map(({ name }): Score => ({ name, value: null, reason: "no reference reply" }));
  return { asked, unasked };
}

/** Judges a whole conversation by each of the questions. A conversation without replies is not judged. */
export async function judgeConversation(
  judge: Judge,
  {
    questions,
    turns,
    signal,
  }: { questions: readonly JudgeQuestion[]; turns: readonly JudgedTurn[]; signal: AbortSignal },
): Promise<ConversationJudgement> {
  if (answeredTurns(turns).length === 0) {
    const reasons = questions.map(({ name }) => [name, "unscored: no turn got a reply"]);
    return { scores: {}, score_reasons: Object.fromEntries(reasons), judgements: {} };
  }
  const { judgements, helper_usage } = await askAll(judge, questions, {
    signal,
    judged: repliesOf(turns),
    promptOf: (question) => conversationPrompt(question, turns),
  });
  const scores = scoresOf(judgements, questions, "conversation_rubrics");
  return {
    scores: Object.fromEntries(scores.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]))),
    score_reasons: Object.fromEntries(
      scores.flatMap(({ name, reason }) => (reason === undefined ? [] : [[name, reason]])),
    ),
    judgements,
    helper_usage,
  };
}

function repliesOf(turns: readonly JudgedTurn[]): string[] {
  return turns.flatMap(({ reply }) => reply ?? []);
}

async function askAll(
  judge: Judge,
  questions: readonly JudgeQuestion[],
  {
    promptOf,
    judged,
    signal,
  }: { promptOf: (question: JudgeQuestion) => ChatMessage[]; judged: readonly string[]; signal: AbortSignal },
): Promise<Omit<TurnJudgement, "scores"> & { judgements: Record<string, JudgeVerdict> }> {
  const answers = await Promise.all(
    questions.map(async (question) => ({
      name: question.name,
      ...(await askJudge(
        { ...judge, audited: question.audited ?? judge.audited },
        {
          messages: promptOf(question),
          judged,
          choices: question.choices,
          signal,
        },
      )),
    })),
  );
  const judgements = Object.fromEntries(answers.map(({ name, verdict }) => [name, verdict]));
  return {
    judgements,
    helper_usage: answers.reduce((sum, answer) => addHelperUsage(sum, answer.helper_usage), noHelperUsage),
  };
}

const isRubric = (name: string): boolean => name.startsWith("judge.") || name.startsWith("conversation.");

/** One score per verdict and, for rubrics, their weighted mean. */
function scoresOf(
  judgements: Readonly<Record<string, JudgeVerdict>>,
  questions: readonly JudgeQuestion[],
  total: "judge_rubrics" | "conversation_rubrics",
): GivenScore[] {
  const known = questions.flatMap((question) => {
    const verdict = judgements[question.name];
    return verdict ? [{ question, verdict }] : [];
  });
  const scores = known.map(({ question, verdict }): GivenScore =>
    compact({
      name: question.name,
      value: verdict.value,
      reason: describeVerdict(verdict),
      failed: verdict.value === null || undefined,
    }),
  );
  const rubrics = known.filter(({ question }) => isRubric(question.name));
  return rubrics.length === 0 ? scores : [...scores, weightedMean(rubrics, total)];
}

function weightedMean(
  rubrics: readonly { question: JudgeQuestion; verdict: JudgeVerdict }[],
  name: string,
): GivenScore {
  const missing = rubrics.filter(({ question, verdict }) => question.weight > 0 && verdict.value === null);
  if (missing.length > 0) {
    const names = missing.map(({ question }) => question.name).join(", ");
    return { name, value: null, reason: `no verdict on ${names}`, failed: true };
  }
  const total = rubrics.reduce((sum, { question }) => sum + question.weight, 0);
  if (total === 0) return { name, value: null, reason: "all rubrics weigh 0" };
  const value = rubrics.reduce((sum, { question, verdict }) => sum + question.weight * (verdict.value ?? 0), 0) / total;
  return {
    name,
    value: Math.min(1, value),
    reason: rubrics.length === 1 ? "one rubric" : `weighted mean of ${rubrics.length} rubrics`,
  };
}
