import type { HelperUsage } from "../../contract/schemas/shared/usage.ts";
import { addHelperUsage, noHelperUsage } from "../helpers/helper-usage.ts";
import { runConcurrently } from "../helpers/run-concurrently.ts";
import { wilson, type Interval } from "../statistics/intervals.ts";
import { cohensKappa } from "../statistics/kappa.ts";
import type { Judge } from "./ask-judge.ts";
import type { JudgeCase } from "./read-case.ts";
import type { JudgeQuestion } from "./judge-question.ts";
import { judgeConversation, judgeTurn } from "./judge-replies.ts";

/** How a judge's verdicts agree with those of people. */
export interface JudgeTest {
  readonly cases: number;
  /** Cases with a verdict. Without one, a case counts as not agreed. */
  readonly judged: number;
  readonly agreed: number;
  readonly agreement: number | null;
  /** Wilson's, at 95 %. */
  readonly interval: Interval | null;
  /** Beyond chance; null where people or judge always said the same. */
  readonly kappa: number | null;
  readonly disagreements: readonly Disagreement[];
  readonly helper_usage: HelperUsage;
}

export interface Disagreement {
  readonly case: JudgeCase;
  readonly index: number;
  /** Null for a void or unreadable verdict. */
  readonly verdict: string | null;
  readonly reason: string;
}

/** Asks a judge about labelled cases. */
export async function testJudge(
  judge: Judge,
  {
    question,
    cases,
    signal,
    onCase,
  }: { question: JudgeQuestion; cases: readonly JudgeCase[]; signal: AbortSignal; onCase?: (done: number) => void },
): Promise<JudgeTest> {
  const counts = new Map<string, Map<string, number>>();
  const disagreements: Disagreement[] = [];
  let [judged, agreed, done] = [0, 0, 0];
  let usage = noHelperUsage;
  await runConcurrently([...cases.keys()], {
    lanes: 4,
    signal,
    run: async (index, caseSignal) => ask(judge, { question, asked: cases[index] as JudgeCase, signal: caseSignal }),
    keep: (index, { verdict, reason, helper_usage }) => {
      const asked = cases[index] as JudgeCase;
      usage = addHelperUsage(usage, helper_usage);
      if (verdict !== null) {
        judged++;
        const cells = counts.get(asked.verdict) ?? new Map<string, number>();
        counts.set(asked.verdict, cells.set(verdict, (cells.get(verdict) ?? 0) + 1));
      }
      if (verdict === asked.verdict) agreed++;
      else disagreements.push({ case: asked, index, verdict, reason });
      onCase?.(++done);
      return Promise.resolve(true);
    },
  });
  return {
    cases: cases.length,
    judged,
    agreed,
    agreement: cases.length === 0 ? null : agreed / cases.length,
    interval: wilson(agreed, cases.length),
    kappa: judged === 0 ? null : cohensKappa(counts),
    disagreements: disagreements.toSorted((left, right) => left.index - right.index),
    helper_usage: usage,
  };
}

async function ask(
  judge: Judge,
  { question, asked: { turns, setting }, signal }: { question: JudgeQuestion; asked: JudgeCase; signal: AbortSignal },
): Promise<{ verdict: string | null; reason: string; helper_usage: HelperUsage }> {
  const last = turns.at(-1);
  if (!last) return { verdict: null, reason: "the case has no turn", helper_usage: noHelperUsage };
  if (question.scope === "conversation") {
    const {
      judgements,
      score_reasons,
      helper_usage = noHelperUsage,
    } = await judgeConversation(judge, { questions: [question], turns, setting, signal });
    return {
      verdict: judgements[question.name]?.verdict ?? null,
      reason: score_reasons[question.name] ?? "",
      helper_usage,
    };
  }
  const { judgements, scores, helper_usage } = await judgeTurn(judge, {
    questions: [question],
    turn: last,
    before: turns.slice(0, -1),
    setting,
    signal,
  });
  return { verdict: judgements[question.name]?.verdict ?? null, reason: scores[0]?.reason ?? "", helper_usage };
}
