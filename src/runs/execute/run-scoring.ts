import { compact } from "../../base/compact.ts";
import type { JudgeSettings } from "../../contract/schemas/evaluation-request.ts";
import type { ChatModel, ChatRequest, FailedReply, Reply } from "../../contract/ports/chat-model.ts";
import type { Embedder } from "../../contract/ports/embedder.ts";
import { noSpent, spentByHelper, type Spent, estimateSpend } from "../../evaluation/budget/budget.ts";
import { failedHelperUsage, helperUsageOf, type PriceOf } from "../../evaluation/helpers/helper-usage.ts";
import type { Judge } from "../../evaluation/judges/ask-judge.ts";
import {
  judgeFingerprint,
  judgeQuestions,
  questionsOf,
  type JudgeQuestion,
} from "../../evaluation/judges/judge-question.ts";
import { labelCandidates } from "../../evaluation/labels/label-candidates.ts";
import { createScoring, type TurnJudge } from "../../evaluation/scoring.ts";
import type { Simulator } from "../../evaluation/simulation/ask-simulator.ts";
import { estimateTokens } from "../../evaluation/budget/estimate-tokens.ts";
import type { CheckRunnerThread } from "../threads/check-runner.ts";
import { helperTarget, type ModelTarget } from "../plan/model-target.ts";
import type { RunServices } from "../run-services.ts";
import type { CreateRunScoring, ScoredRun } from "./run-context.ts";
import type { RunLedger } from "./run-ledger.ts";
import type { ScoringPool } from "../threads/scoring-pool.ts";

type ScoringServices = Pick<RunServices, "embedderFor" | "customScorers" | "priceOf" | "audits" | "checkCode">;

interface ScoringParts {
  /** Creates judges and labellers. */
  readonly createModel: RunServices["createModel"];
  readonly lexical?: ScoringPool["score"] | undefined;
  /** Run checks and comparisons that may take long. */
  readonly checks?: Pick<CheckRunnerThread, "run" | "compare"> | undefined;
}

/** Creates the scoring of runs from the operator's services and the run's settings. */
export function createRunScoring(
  { embedderFor, customScorers, priceOf, audits, checkCode }: ScoringServices,
  { createModel, lexical, checks }: ScoringParts,
): CreateRunScoring {
  async function judgeOf({ owner, policy, settings, ledger }: ScoredRun): Promise<TurnJudge | undefined> {
    const { judge } = settings;
    if (!judge) return undefined;
    const target = { ...helperTarget(settings, judge), owner, policy };
    const voter = (of: ModelTarget) => {
      const price = priceOf?.(of);
      return { model: budgeted(createModel(of), { ledger, priceOf: price }), name: of.model_id, priceOf: price };
    };
    const panel = (judge.panel ?? []).map((member) => {
      const { endpoint, protocol } = { ...judge, ...member };
      return voter({
        ...helperTarget(settings, compact({ endpoint, protocol, model_id: member.model_id })),
        owner,
        policy,
      });
    });
    const built: Judge = {
      ...voter(target),
      ...(panel.length > 0 && { panel }),
      votes: judge.votes ?? 1,
      audited: false,
    };
    return { judge: built, questions: await Promise.all(judgeQuestions(judge).map(withAudit(judge))) };
  }

  /** The judge with its questions of one scope; null where it has none. */
  function ofScope(judged: TurnJudge | undefined, settings: JudgeSettings | undefined, scope: "turn" | "conversation") {
    if (!judged || !settings) return null;
    const wanted = new Set(questionsOf(settings, scope).map(({ name }) => name));
    const questions = judged.questions.filter(({ name }) => wanted.has(name));
    // The rubrics of single turns are for a judge of turns.
    const isOwn = scope === (settings.scope ?? "turn");
    return questions.length > 0 || isOwn ? { ...judged, questions } : null;
  }

  function simulatorOf({ owner, policy, settings, scenarios, ledger }: ScoredRun): Simulator | null {
    const { simulator } = settings;
    if (!simulator || !scenarios.some(({ user }) => user && !user.recorded)) return null;
    const target = { ...helperTarget(settings, simulator), owner, policy };
    const price = priceOf?.(target);
    const model = budgeted(createModel(target), { ledger, priceOf: price });
    return { model, parameters: simulator.parameters, priceOf: price };
  }

  function withAudit(judge: JudgeSettings): (question: JudgeQuestion) => Promise<JudgeQuestion> {
    return async (question) => ({
      ...question,
      audited: (await audits?.hasPassed(await judgeFingerprint(judge, question))) ?? false,
    });
  }

  return async (run) => {
    const { owner, policy, settings, scenarios, ledger } = run;
    const candidates = labelCandidates(scenarios);
    const judge = await judgeOf(run);
    const { labeller } = settings;
    const embedder = await embedderFor?.(settings);
    const scoring = createScoring({
      candidates,
      settings,
      customScorers,
      modelLabeller: labeller && (await labellerOf({ ...helperTarget(settings, labeller), owner, policy })),
      semantic: embedder ? await semanticScorerOf(embedder) : undefined,
      judge: ofScope(judge, settings.judge, "turn") ?? undefined,
      lexical: lexical && ((question) => lexical(question, owner)),
      runCheck: checks && ((question, signal) => checks.run(question, { asker: owner, signal })),
      runComparison: checks && ((task, signal) => checks.compare(task, { asker: owner, signal })),
      code: checkCode?.run,
    });
    return {
      scoring,
      conversationJudge: withQuestions(ofScope(judge, settings.judge, "conversation")),
      outcomeJudge: judge?.judge ?? null,
      simulator: simulatorOf(run),
    };

    async function semanticScorerOf(embedder: Embedder) {
      const { createSemanticScorer } = await import("../../evaluation/scorers/semantic-similarity.ts");
      return createSemanticScorer({ embedder, scenarios });
    }

    async function labellerOf(target: ModelTarget) {
      const { createModelLabeller } = await import("../../evaluation/labels/model-labeller.ts");
      const price = priceOf?.(target);
      const model = budgeted(createModel(target), { ledger, priceOf: price });
      return createModelLabeller({ model, candidates, name: target.model_id, priceOf: price });
    }
  };
}

/** A judge or labeller that is not called once the budget is spent: its calls fail, and the score is missing. */
function budgeted(
  model: ChatModel,
  { ledger, priceOf }: { ledger: RunLedger | null; priceOf: PriceOf | undefined },
): ChatModel {
  if (!ledger) return model;
  return async (request, options) => {
    if (!(await ledger.admit(options.signal))) return overBudget;
    let took = noSpent;
    try {
      const reply = await model(request, options);
      took = spentOnHelper(request, reply, priceOf);
      return reply;
    } finally {
      ledger.settle(took);
    }
  };
}

function spentOnHelper({ messages }: ChatRequest, reply: Reply, priceOf: PriceOf | undefined): Spent {
  if (!reply.ok) return spentByHelper(failedHelperUsage(reply));
  if (reply.usage) return spentByHelper(helperUsageOf(reply, priceOf));
  const input = messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  return estimateSpend({ input, reply: reply.text, model: reply.model }, priceOf);
}

const withQuestions = (judge: TurnJudge | null): TurnJudge | null =>
  judge && judge.questions.length > 0 ? judge : null;

const overBudget: FailedReply = {
  ok: false,
  error: {
    code: "budget_exceeded",
    detail: "The run's budget is spent.",
    upstream_status: null,
    tries: 0,
    retryable: false,
  },
  latency_ms: 0,
};
