import { compact } from "../../base/compact.ts";
import type { ConversationJudgement, JudgeVerdict } from "../../contract/schemas/judging/judge.ts";
import type { CodeRunner } from "../../scoring/checks/define-check.ts";
import { resultOfThrown, toResult, withoutRunner } from "../../scoring/checks/user-code.ts";
import { expectationScore } from "../../contract/schemas/outcome.ts";
import { addHelperUsage, hasHelperUsage, noHelperUsage } from "../helpers/helper-usage.ts";
import { describeVerdict, type Judge } from "../judges/ask-judge.ts";
import type { JudgedSetting, JudgedTurn } from "../judges/judge-material.ts";
import type { JudgeQuestion } from "../judges/judge-question.ts";
import { judgeConversation } from "../judges/judge-replies.ts";
import { StateView } from "../world/state.ts";
import { evaluateOutcome, outcomeScores, type OutcomeInput, type RubricAnswer } from "./outcome.ts";

interface JudgeOutcomeOptions extends Omit<OutcomeInput, "rubric" | "earlier"> {
  readonly signal: AbortSignal;
  /** The conversation as the judge sees it. */
  readonly turns: readonly JudgedTurn[];
  readonly setting?: JudgedSetting | undefined;
  /** Answers the rubric. Null: its stored verdict is kept, or there is none. */
  readonly judge: Judge | null;
  /** Runs the code of `expect.code`. */
  readonly runCode?: CodeRunner | undefined;
  /** The stored scores of an attempt that is rescored. */
  readonly earlier?: ConversationJudgement | undefined;
}

export const rubricScore = "outcome.rubric";

/** The outcome of an attempt as scores of its conversation. The rubric is answered by the judge, once per attempt. */
export async function judgeOutcome(options: JudgeOutcomeOptions): Promise<ConversationJudgement> {
  const { expect, judge, turns, setting, earlier, signal } = options;
  const judged =
    expect.rubric !== undefined && judge
      ? await judgeConversation(judge, { questions: [rubricQuestion(expect.rubric)], turns, setting, signal })
      : undefined;
  const verdict = judged?.judgements[rubricScore] ?? (judge ? undefined : earlier?.judgements[rubricScore]);
  const rubric = verdict ? toJudgedAnswer(verdict) : judged && unanswered(judged);
  const code = await answersOfCode(options);
  const evaluated = await evaluateOutcome({ ...options, rubric, code, earlier: earlier?.outcome });
  return compact({
    ...outcomeScores(evaluated),
    judgements: verdict ? { [rubricScore]: verdict } : {},
    helper_usage: judged?.helper_usage ? judged.helper_usage : undefined,
    outcome: evaluated.outcome,
  });
}

/** Asks the code of an expectation about the final state. */
async function answersOfCode({
  expect,
  state,
  replies,
  runCode,
  signal,
}: JudgeOutcomeOptions): Promise<readonly RubricAnswer[] | undefined> {
  if (!expect.code || state === undefined) return undefined;
  const output = state instanceof StateView ? state.value : state;
  const said = replies.map(({ agent_reply }) => agent_reply);
  const calls = replies.flatMap(({ tool_calls = [] }) => tool_calls);
  return Promise.all(
    expect.code.map(async ({ vars = {}, ...source }): Promise<RubricAnswer> => {
      if (!runCode) return { passed: null, reason: `undecided: ${withoutRunner}` };
      const context = { vars, replies: said, tool_calls: calls };
      const answer = await runCode({ ...source, kind: "state", output, context }, signal);
      const { value, reason } = "thrown" in answer ? resultOfThrown(answer) : toResult(answer.result);
      return { passed: value === null ? null : value >= 1, reason: reason ?? "" };
    }),
  );
}

/** The question about a conversation that `expect.rubric` of its scenario asks. */
export function rubricQuestion(text: string): JudgeQuestion {
  const choices = { pass: 1, fail: 0 };
  return { name: rubricScore, text, choices, weight: 1, needsReference: false, audited: false };
}

/** Only a clear majority passes. */
function toJudgedAnswer(verdict: JudgeVerdict): RubricAnswer {
  const reason = describeVerdict(verdict);
  return { passed: verdict.value === null ? null : verdict.value > 0.5, reason };
}

function unanswered({ score_reasons }: ConversationJudgement): RubricAnswer {
  return { passed: null, reason: score_reasons[rubricScore] ?? "undecided: the judge gave no verdict" };
}

/** The scores of an attempt whose outcome could not be computed. */
export function undecidedOutcome(reason: string): ConversationJudgement {
  return {
    scores: { [expectationScore]: 1 },
    score_reasons: { outcome: reason },
    judgements: {},
    outcome: { value: null, parts: [{ name: "outcome", passed: null, reason }] },
  };
}

/** The judge's verdict on the conversation together with the outcome. */
export function withOutcome(
  judged: ConversationJudgement | undefined,
  outcome: ConversationJudgement,
): ConversationJudgement {
  if (!judged) return outcome;
  const usage = addHelperUsage(addHelperUsage(noHelperUsage, judged.helper_usage), outcome.helper_usage);
  return {
    ...judged,
    scores: { ...judged.scores, ...outcome.scores },
    score_reasons: { ...judged.score_reasons, ...outcome.score_reasons },
    ...(outcome.undecided_scores && { undecided_scores: outcome.undecided_scores }),
    judgements: { ...judged.judgements, ...outcome.judgements },
    ...(hasHelperUsage(usage) && { helper_usage: usage }),
    ...(outcome.outcome && { outcome: outcome.outcome }),
  };
}

/** The judge's verdict on the conversation without the outcome. */
export function withoutOutcome({
  outcome: _outcome,
  undecided_scores: _undecided,
  ...judged
}: ConversationJudgement): ConversationJudgement {
  const own = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !isOutcomeScore(name)));
  return {
    ...judged,
    scores: own(judged.scores),
    score_reasons: own(judged.score_reasons),
    judgements: own(judged.judgements),
  };
}

function isOutcomeScore(name: string): boolean {
  return name === "outcome" || name === "tool_rules" || name.startsWith("outcome.");
}
