import type { IncomingMessage, ServerResponse } from "node:http";
import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import type {
  Agreement,
  Corrections,
  ReviewItem,
  ReviewQuestion,
  ReviewQueue,
  VerdictInput,
} from "../../../src/contract/schemas/judging/human-verdict.ts";
import type { JudgeAudit } from "../../../src/contract/schemas/judge-audit.ts";
import { correctMean } from "../../../src/evaluation/judges/correct-judge.ts";
import { judgeQuestions } from "../../../src/evaluation/judges/judge-question.ts";
import {
  fleissKappa,
  krippendorffAlpha,
  pairKappa,
  type Coefficient,
} from "../../../src/evaluation/statistics/agreement.ts";
import { makeProblem } from "./fake-agent.ts";
import type { FakeRuns } from "./fake-runs.ts";
import { readJson, sendJson, sendProblem } from "./fake-io.ts";

type Verdict = VerdictInput & { readonly rater: string; readonly choice: string };

const actions = ["review", "verdicts", "agreement", "corrections", "audit"] as const;
type ReviewAction = (typeof actions)[number];

export const isReviewAction = (action: string | undefined): action is ReviewAction =>
  actions.some((name) => name === action);

const [correctness] = judgeQuestions({});
const question: ReviewQuestion = {
  name: "judge_correctness",
  text: correctness?.text ?? "",
  choices: correctness?.choices ?? {},
  scope: "turn",
  judged: true,
};
const general: ReviewQuestion = {
  name: "review",
  text: "Is this a good reply?",
  choices: { pass: 1, partial: 0.5, fail: 0 },
  scope: "turn",
  judged: false,
};

/** Verdicts by run. Grace and Alan differ on one reply from the start. */
const stored = new WeakMap<FakeRuns, Map<string, Verdict[]>>();

function verdictsOf(runs: FakeRuns, run: EvaluationResponse): Verdict[] {
  const byRun = stored.get(runs) ?? new Map<string, Verdict[]>();
  stored.set(runs, byRun);
  const known = byRun.get(run.run_id);
  if (known) return known;
  const place = { scenario_id: "case-1", attempt: 1, turn_index: 0, question: question.name };
  const first: Verdict[] = [
    { ...place, rater: "grace", choice: "equivalent" },
    { ...place, rater: "alan", choice: "partial", comment: "It leaves out the date." },
  ];
  const verdicts = "judge_correctness" in run.summary.average_scores ? first : [];
  byRun.set(run.run_id, verdicts);
  return verdicts;
}

const keyOf = ({ scenario_id, attempt, turn_index, question: name }: Partial<Verdict>): string =>
  JSON.stringify([scenario_id, attempt, turn_index, name]);

interface ReviewCall {
  readonly runs: FakeRuns;
  readonly run: EvaluationResponse;
  readonly action: ReviewAction;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

export async function answerReview({ runs, run, action, request, response, url }: ReviewCall): Promise<void> {
  const verdicts = verdictsOf(runs, run);
  const asked =
    url.searchParams.get("question") === general.name || !("judge_correctness" in run.summary.average_scores)
      ? general
      : question;
  if (action === "agreement") return sendJson(response, 200, agreement(verdicts));
  if (action === "corrections") return sendJson(response, 200, corrections(run, verdicts));
  if (action === "audit") return sendJson(response, 200, audit(run, verdicts));
  if (action === "review") {
    const rater = url.searchParams.get("rater") ?? "";
    if (rater === "") {
      const errors = [{ pointer: "/rater", code: "invalid_value", message: "is missing" }];
      return sendProblem(response, { ...makeProblem("validation_failed", "/rater is missing"), errors });
    }
    return sendJson(
      response,
      200,
      queue(run, { verdicts, rater, asked, limit: Number(url.searchParams.get("limit") ?? 1) }),
    );
  }
  const body = (await readJson(request)) as { rater: string; verdicts: readonly Verdict[] };
  for (const verdict of body.verdicts.filter(({ skipped }) => !skipped)) {
    const added = { ...verdict, rater: body.rater };
    const same = (other: Verdict): boolean =>
      keyOf(other) === keyOf(added) && other.rater === added.rater && other.adjudication === added.adjudication;
    const index = verdicts.findIndex(same);
    if (index === -1) verdicts.push(added);
    else verdicts[index] = added;
  }
  sendJson(response, 200, { stored: body.verdicts.length, withdrawn: 0, skipped: 0 });
}

function itemsOf(run: EvaluationResponse): ReviewItem[] {
  return run.results.scenarios.flatMap(({ scenario_id, attempts }) =>
    attempts.flatMap(({ attempt, interactions }) =>
      interactions
        .filter(({ error }) => error === null)
        .map(({ turn_index, id, user_message, agent_reply, reference_reply }) => ({
          scenario_id,
          attempt,
          turn_index,
          interaction_id: id,
          conversation_before: [],
          user_message,
          reply: agent_reply,
          reference_reply,
        })),
    ),
  );
}

function queue(
  run: EvaluationResponse,
  {
    verdicts,
    rater,
    asked,
    limit,
  }: { verdicts: readonly Verdict[]; rater: string; asked: ReviewQuestion; limit: number },
): ReviewQueue {
  const items = itemsOf(run);
  const given = verdicts.filter(({ question: name, adjudication }) => name === asked.name && !adjudication);
  const mine = new Set(given.filter((verdict) => verdict.rater === rater).map(keyOf));
  const byRater = Map.groupBy(given, (verdict) => verdict.rater);
  return {
    rater,
    question: asked,
    questions:
      asked === general && !("judge_correctness" in run.summary.average_scores) ? [general] : [question, general],
    items: items.filter((item) => !mine.has(keyOf({ ...item, question: asked.name }))).slice(0, limit),
    progress: {
      replies: items.length,
      judged: new Set(given.map(keyOf)).size,
      complete: 0,
      mine: mine.size,
      conflicts: openConflicts(verdicts).length,
      raters: [...byRater].map(([name, list]) => ({ rater: name, verdicts: list.length })),
    },
  };
}

function conflictsOf(verdicts: readonly Verdict[]): Agreement["conflicts"] {
  const groups = Map.groupBy(
    verdicts.filter((verdict) => verdict.question === question.name),
    keyOf,
  );
  return [...groups.values()].flatMap((group) => {
    const given = group.filter(({ adjudication }) => !adjudication);
    const [first] = given;
    if (!first || new Set(given.map(({ choice }) => choice)).size < 2) return [];
    const { scenario_id, attempt, turn_index = 0 } = first;
    const decision = group.find(({ adjudication }) => adjudication)?.choice ?? null;
    const shown = given.map(({ rater, choice, comment }) => ({
      rater,
      choice,
      ...(comment !== undefined && { comment }),
    }));
    return [{ scenario_id, attempt, turn_index, verdicts: shown, adjudicated: decision }];
  });
}

const openConflicts = (verdicts: readonly Verdict[]) =>
  conflictsOf(verdicts).filter(({ adjudicated }) => adjudicated === null);

const toFigure = ({ value, interval, method, units }: Coefficient): Agreement["fleiss"] => ({
  value,
  ci_lower: interval?.lower ?? null,
  ci_upper: interval?.upper ?? null,
  method,
  replies: units,
});

function agreement(verdicts: readonly Verdict[]): Agreement {
  const given = verdicts.filter(({ adjudication, question: name }) => !adjudication && name === question.name);
  const ratings = given.map((verdict) => ({
    unit: keyOf(verdict),
    rater: verdict.rater,
    category: verdict.choice,
    value: question.choices[verdict.choice] ?? 0,
  }));
  const names = [...new Set(given.map(({ rater }) => rater))];
  const alpha = (metric: "nominal" | "ordinal" | "interval") => toFigure(krippendorffAlpha(ratings, { metric }));
  const [left = "", right = ""] = names;
  return {
    question,
    raters: names.map((rater) => ({ rater, verdicts: given.filter((verdict) => verdict.rater === rater).length })),
    replies: new Set(given.map(keyOf)).size,
    alpha: { nominal: alpha("nominal"), ordinal: alpha("ordinal"), interval: alpha("interval") },
    fleiss: toFigure(fleissKappa(ratings)),
    pairs: [{ raters: [left, right], kappa: toFigure(pairKappa(ratings, [left, right])) }],
    people: { mean: 0.7, ci_lower: 0.5, ci_upper: 0.9 },
    judge: null,
    conflicts: conflictsOf(verdicts),
    open_conflicts: openConflicts(verdicts).length,
    sentence: `${names.length} people gave ${given.length} verdicts.`,
  };
}

function corrections(run: EvaluationResponse, verdicts: readonly Verdict[]): Corrections {
  if (!("judge_correctness" in run.summary.average_scores)) return { scores: [], label_next: [], notes: [] };
  const human = new Map(verdicts.map((verdict) => [keyOf(verdict), question.choices[verdict.choice] ?? 0]));
  const replies = itemsOf(run).map((item) => ({
    cluster: item.scenario_id,
    judge: item.reply.startsWith("Good") ? 1 : 0,
    human: human.get(keyOf({ ...item, question: question.name })),
  }));
  return { scores: [correctMean(question.name, replies)], label_next: [], notes: [] };
}

/** A judge that calls every good reply equivalent and every other one unrelated; it passes where people say the same. */
function audit(run: EvaluationResponse, verdicts: readonly Verdict[]): JudgeAudit {
  const replies = new Map(itemsOf(run).map((item) => [keyOf({ ...item, question: question.name }), item.reply]));
  const judged = verdicts.filter(({ rater, question: name }) => rater === "ada" && name === question.name);
  const confusion: Record<string, Record<string, number>> = {};
  let same = 0;
  for (const verdict of judged) {
    const said = replies.get(keyOf(verdict))?.startsWith("Good") ? "equivalent" : "unrelated";
    const row = (confusion[verdict.choice] ??= {});
    row[said] = (row[said] ?? 0) + 1;
    if (said === verdict.choice) same += 1;
  }
  const agrees = same === judged.length;
  return {
    fingerprint: "f".repeat(64),
    passed: agrees,
    items: judged.length,
    judged: judged.length,
    kappa: agrees ? 1 : 0.1,
    ci_lower: agrees ? null : -0.2,
    ci_upper: agrees ? null : 0.4,
    agreement: same / judged.length,
    base_rate: 0.75,
    confusion,
    self_consistency: 1,
    position_flip_rate: null,
    length_bias: { correlation: null, pairs: 0, longer_wins: null },
    notes: ["No position test: no item has a reference reply that differs from its reply."],
  };
}
