import { compact } from "../../base/compact.ts";
import { roundDollars } from "../../base/numbers.ts";
import type { ErrorCode } from "../../contract/errors/errors.ts";
import type { Gate } from "../../contract/schemas/budget.ts";
import type { LabelRule } from "../../scoring/scorers/label-rule.ts";
import type { ConversationJudgement } from "../../contract/schemas/judging/judge.ts";
import { unauditedScoresOf } from "../../contract/schemas/judging/unaudited.ts";
import {
  attemptOutcome,
  isFailure,
  lacksOverall,
  standingOfTurns,
  turnOutcome,
} from "../../contract/schemas/outcome.ts";
import type { AlwaysFailing, FailureCause, RunSummary, ScenarioCounts } from "../../contract/schemas/run.ts";
import type { ScenarioTotals } from "../../contract/schemas/run-scenarios.ts";
import { overallFirst, simulatedUserScore } from "../../contract/schemas/scores/score-names.ts";
import { addUsage, noUsage, type HelperUsage } from "../../contract/schemas/shared/usage.ts";
import { addHelperUsage, hasHelperUsage, noHelperUsage } from "../helpers/helper-usage.ts";
import { DurationTally, MeanTable, NumberColumn, SpreadTable } from "../statistics/accumulators.ts";
import { flakiness, meanPassHatK } from "../statistics/reliability.ts";
import { createBreakdown } from "./breakdown.ts";
import { createDrift } from "./drift.ts";
import { createLabelTallies } from "./label-metrics.ts";
import { checkGate } from "./quality-gate.ts";
import { averageScores, averageTurns, undecidedScores, type ScoredInteraction } from "./score-averages.ts";
import { createScoreSeries } from "./score-series.ts";
import { createSimulatedUsers } from "./simulated-users.ts";

export interface FiguredAttempt {
  /** Identifies the scenario. */
  readonly scenario: number | string;
  readonly tags?: readonly string[];
  readonly interactions: readonly ScoredInteraction[];
  /** With history both: the same attempt with reference history. Never part of the averages. */
  readonly reference?: readonly ScoredInteraction[];
  /** Turns of a replay: counted for cost only. */
  readonly replayed?: readonly ScoredInteraction[];
  /** The judgement of the conversation as a whole. */
  readonly conversation?: ConversationJudgement | undefined;
  /** Some turns are missing because the run was stopped. */
  readonly unfinished?: boolean;
}

interface RunFiguresOptions {
  /** Minimum `overall` of an attempt that passes. Default: what the scenarios state decides. */
  readonly threshold?: number | undefined;
  readonly gate?: Gate | undefined;
  readonly label_rules?: Readonly<Record<string, LabelRule>> | undefined;
  /** Names of the caller's checks, which are always 0 or 1. */
  readonly checks?: ReadonlySet<string>;
}

/** Summarizes a run attempt by attempt, in any order. Memory grows with scenarios, not with attempts or interactions. */
export interface RunFigures {
  /** Registers a planned scenario. */
  expect(scenario: number | string): void;
  add(attempt: FiguredAttempt): void;
  totalsOf(scenario: number | string): ScenarioTotals;
  finish(options?: { stopped_by?: "budget" | undefined; planned?: number | undefined }): {
    summary: RunSummary;
    message: string;
  };
}

/** Figures of a whole run: the mean of its scenarios' averages, with intervals over scenarios. */
export function createRunFigures({ threshold, gate, label_rules, checks }: RunFiguresOptions = {}): RunFigures {
  /** The row of each scenario in the tables. */
  const rows = new Map<number | string, number>();
  const averages = new MeanTable();
  const references = new MeanTable();
  const overall = new SpreadTable();
  const verdicts = createVerdicts(threshold);
  const series = createScoreSeries("scenario", checks);
  const labels = createLabelTallies(label_rules);
  const breakdown = createBreakdown();
  const drift = createDrift("scenario");
  const failures = new Map<ErrorCode, FailureCause>();
  const spending = createSpending();
  const latencies = new DurationTally();
  const firstTokens = new DurationTally();
  const expected = new Set<number | string>();
  const passes = { counted: 0, passed: 0 };
  const referenceTurns = { interactions: 0, failed: 0 };
  const users = createSimulatedUsers(gate?.max_simulator_failures);
  /** Attempts behind the means of a row. */
  const counted = new NumberColumn();
  /** Attempts of a row that were not cut short. */
  const ended = new NumberColumn();
  let usage = noUsage;
  let interactions = 0;
  let conflicts = 0;
  let unscored = 0;
  let writtenCalls = 0;
  /** Attempts in which a score could not be decided, by its name. */
  const undecided = new Map<string, number>();
  let audited: boolean | undefined;
  const unaudited = new Set<string>();

  function rowOf(scenario: number | string): number {
    const row = rows.get(scenario) ?? rows.size;
    rows.set(scenario, row);
    return row;
  }

  const hasEnded = (scenario: number | string): boolean => ended.get(rows.get(scenario) ?? -1) > 0;

  function noteAudits(judged: Pick<ScoredInteraction, "judgements" | "score_reasons" | "scores">): void {
    for (const { judge_audited } of Object.values(judged.judgements ?? {}))
      audited = (audited ?? true) && judge_audited;
    if (audited === false) for (const name of unauditedScoresOf(judged)) unaudited.add(name);
  }

  function addInteraction(interaction: ScoredInteraction, attempt: FiguredAttempt): void {
    interactions++;
    series.note(interaction.scores);
    labels.add(interaction, attempt.scenario);
    breakdown.add(interaction, attempt.tags ?? []);
    if ((interaction.conflicts ?? []).length > 0) conflicts++;
    if (isUnscored(interaction, attempt.conversation)) unscored++;
    if (interaction.written_call !== undefined) writtenCalls++;
    noteAudits(interaction);
    if (interaction.error) {
      const { code, detail } = interaction.error;
      failures.set(code, { detail, ...failures.get(code), code, count: (failures.get(code)?.count ?? 0) + 1 });
    } else addTimes(interaction);
  }

  function addTimes({ latency_ms, first_token_ms }: ScoredInteraction): void {
    if (typeof latency_ms === "number") latencies.add(latency_ms);
    if (typeof first_token_ms === "number") firstTokens.add(first_token_ms);
  }

  function countScenarios(): ScenarioCounts {
    const counts = { passing: 0, flaky: 0, failing: 0, no_reply: 0, unscored: 0, waiting: 0 };
    const keys = new Set([...expected, ...rows.keys()]);
    for (const key of keys) {
      const verdict = verdicts.of(rows.get(key) ?? -1);
      counts[verdict ?? (hasEnded(key) ? "unscored" : "waiting")]++;
    }
    return { total: keys.size, ...counts };
  }

  return {
    expect(scenario) {
      expected.add(scenario);
    },
    add(attempt) {
      const { reference = [], replayed = [], conversation } = attempt;
      const row = rowOf(attempt.scenario);
      if (!attempt.unfinished) ended.add(row, 1);
      if (users.add(row, attempt)) {
        for (const interaction of attempt.interactions) {
          usage = addUsage(usage, interaction.usage);
          spending.add(interaction);
        }
        spending.addHelper(conversation?.helper_usage);
        averages.add(row, { [simulatedUserScore]: 0 });
        series.noteConversation({ [simulatedUserScore]: 0 });
        return;
      }
      counted.add(row, 1);
      for (const interaction of attempt.interactions) addInteraction(interaction, attempt);
      for (const interaction of [...attempt.interactions, ...reference, ...replayed]) {
        usage = addUsage(usage, interaction.usage);
        spending.add(interaction);
      }
      referenceTurns.interactions += reference.length;
      referenceTurns.failed += reference.filter(({ error }) => error).length;
      drift.add({ generated: attempt.interactions, reference, cluster: attempt.scenario });
      const average = {
        ...averageTurns(attempt.interactions),
        ...conversation?.scores,
      };
      for (const name of undecidedScores(attempt.interactions, conversation)) {
        undecided.set(name, (undecided.get(name) ?? 0) + 1);
      }
      if (conversation) {
        series.noteConversation(conversation.scores);
        noteAudits(conversation);
        spending.addHelper(conversation.helper_usage);
      }
      averages.add(row, average);
      if (reference.length > 0) references.add(row, averageTurns(reference));
      // The outcome of an attempt that was stopped is unknown.
      if (attempt.unfinished) return;
      if (average["overall"] !== undefined) overall.add(row, average["overall"]);
      const outcome = attemptOutcome(average, { turns: standingOfTurns(attempt), threshold });
      if (outcome === "unscored" || outcome === "simulator_failed") return;
      passes.counted++;
      if (outcome === "passed") passes.passed++;
      if (outcome === "passed" && conversation?.user) users.countPassed();
      verdicts.add(row, outcome, attempt.interactions);
    },
    totalsOf(scenario) {
      const row = rows.get(scenario) ?? -1;
      const { attempts, passed } = verdicts.counts(row);
      const { overall = null } = averages.means(row);
      return { ended: ended.get(row), passed, failed: attempts - passed, overall };
    },
    finish({ stopped_by, planned } = {}) {
      const entries = [...rows].map(([key, row]) => ({ scenario_id: String(key), row }));
      const scenarios = entries.map(({ scenario_id, row }) => ({ scenario_id, average_scores: averages.means(row) }));
      const scores = scenarios.map((entry) => entry.average_scores);
      const average_scores = averageScores(scores);
      const causes = [...failures.values()].toSorted((left, right) => right.count - left.count);
      const failed = causes.reduce((sum, { count }) => sum + count, 0);
      const always_failing = verdicts.alwaysFailing(entries);
      const gap = drift.finish();
      const flaky = flakiness(entries.map(({ scenario_id, row }) => ({ scenario_id, ...overall.of(row) })));
      const pass_hat_k = meanPassHatK(entries.map(({ row }) => verdicts.counts(row)));
      const referenceScores = entries.filter(({ row }) => references.has(row)).map(({ row }) => references.means(row));
      const latency_ms = latencies.finish();
      const first_token_ms = firstTokens.finish();
      const unfinished = [...expected].filter((key) => !hasEnded(key)).map(String);
      spending.addHelper(users.usage());
      const simulated_users = users.finish(
        entries.map(({ row }) => ({ row, average_scores: averages.means(row), attempts: counted.get(row) })),
      );
      const figures = {
        average_scores,
        scenarios,
        interactions,
        failed,
        unscored,
        undecided,
        attempts: passes,
        unfinished,
        simulated_users,
      };
      const summary: RunSummary = compact({
        average_scores,
        score_stats: series.finish(scores),
        label_metrics: labels.finish(),
        usage,
        interactions,
        failed,
        failures: causes.length > 0 ? causes.slice(0, maximumCauses) : undefined,
        scenarios: countScenarios(),
        always_failing: always_failing.length > 0 ? always_failing : undefined,
        unscored: unscored || undefined,
        written_calls: writtenCalls || undefined,
        undecided_scores: undecided.size > 0 ? Object.fromEntries(undecided) : undefined,
        conflicts,
        breakdown: breakdown.finish(),
        ...spending.finish(),
        latency_ms: latency_ms ?? undefined,
        first_token_ms: first_token_ms ?? undefined,
        stopped_by,
        drift: gap ?? undefined,
        reference_scores: gap ? averageScores(referenceScores) : undefined,
        gate: gate && checkGate(gate, figures),
        flaky: entries.filter(({ row }) => verdicts.of(row) === "flaky").length,
        flakiness: flaky ?? undefined,
        judge_audited: audited,
        unaudited_scores: unaudited.size > 0 ? overallFirst([...unaudited]) : undefined,
        simulated_users: simulated_users ?? undefined,
        pass_hat_k: pass_hat_k ?? undefined,
      });
      const counts = new Map(causes.map(({ code, count }) => [code, count]));
      const message = statusMessage({
        interactions,
        failures: counts,
        referenceTurns,
        unscored,
        spoiled: users.failed().failed,
        limit: simulated_users?.undecided && simulated_users.limit,
        stopped_by,
        planned,
      });
      return { summary, message };
    },
  };
}

const maximumCauses = 10;
const maximumAlwaysFailing = 200;

/** A turn that failed in every attempt so far, or passed in one. */
type TurnRecord = "fails" | "passed" | undefined;

/** The verdict on each scenario, by row: how many of its attempts passed, and which turns never do. */
function createVerdicts(threshold: number | undefined) {
  const passed = new NumberColumn();
  const missed = new NumberColumn();
  const errored = new NumberColumn();
  const turns = new Map<number, TurnRecord[]>();

  /** Undefined while no attempt has passed or failed. */
  function verdictOf(row: number): "passing" | "flaky" | "failing" | "no_reply" | undefined {
    if (passed.get(row) > 0) return missed.get(row) > 0 ? "flaky" : "passing";
    if (missed.get(row) === 0) return undefined;
    return errored.get(row) === missed.get(row) ? "no_reply" : "failing";
  }

  return {
    of: verdictOf,
    counts: (row: number) => ({ attempts: passed.get(row) + missed.get(row), passed: passed.get(row) }),
    add(row: number, outcome: "passed" | "failed" | "errored", interactions: readonly ScoredInteraction[]): void {
      (outcome === "passed" ? passed : missed).add(row, 1);
      if (outcome === "errored") errored.add(row, 1);
      const records = turns.get(row) ?? [];
      turns.set(row, records);
      for (const [place, turn] of interactions.entries()) {
        const result = turnOutcome(turn, threshold);
        const index = turn.turn_index ?? place;
        if (result === "unscored" || records[index] === "passed") continue;
        records[index] = isFailure(result) ? "fails" : "passed";
      }
    },
    alwaysFailing(entries: readonly { scenario_id: string; row: number }[]): AlwaysFailing[] {
      return entries
        .flatMap(({ scenario_id, row }) => {
          const verdict = verdictOf(row);
          if (verdict !== "passing" && verdict !== "flaky") return [];
          const failing = [...(turns.get(row) ?? []).entries()].filter(([, record]) => record === "fails");
          return failing.length === 0 ? [] : [{ scenario_id, turns: failing.map(([index]) => index) }];
        })
        .slice(0, maximumAlwaysFailing);
    },
  };
}

/** A reply counts as unscored also when the judge gave no verdict on its conversation. */
function isUnscored(interaction: ScoredInteraction, conversation: ConversationJudgement | undefined): boolean {
  if (interaction.error) return false;
  const undecided = new Set(conversation?.undecided_scores);
  const lost = Object.keys(conversation?.score_reasons ?? {}).some(
    (name) => conversation?.scores[name] === undefined && !undecided.has(name),
  );
  return lost || lacksOverall(interaction);
}

/** Sums up costs, including judging and labelling. */
function createSpending() {
  let helper = noHelperUsage;
  let total = 0;
  let priced = 0;
  let unpriced = 0;

  return {
    addHelper(usage: HelperUsage | undefined): void {
      helper = addHelperUsage(helper, usage);
    },
    add({ cost, helper_usage, error }: ScoredInteraction): void {
      helper = addHelperUsage(helper, helper_usage);
      if (typeof cost === "number") {
        total += cost;
        priced++;
      } else if (!error) unpriced++;
    },
    finish(): Pick<RunSummary, "cost" | "helper_usage"> {
      const cost = { total: roundDollars(total + (helper.cost ?? 0)), unpriced: unpriced + (helper.unpriced ?? 0) };
      return compact({
        cost: priced > 0 || helper.cost !== null ? cost : undefined,
        helper_usage: hasHelperUsage(helper) ? helper : undefined,
      });
    },
  };
}

/** The `message` of a completed evaluation: interactions and failures, the most frequent cause first. */
export function statusMessage({
  interactions,
  failures,
  referenceTurns = { interactions: 0, failed: 0 },
  unscored = 0,
  spoiled = 0,
  limit,
  stopped_by,
  planned,
}: {
  readonly interactions: number;
  readonly failures: ReadonlyMap<ErrorCode, number>;
  /** With history both: the turns with reference history, which are not part of the other figures. */
  readonly referenceTurns?: { readonly interactions: number; readonly failed: number };
  /** Replies whose scoring failed. */
  readonly unscored?: number;
  /** Attempts whose simulated user failed. */
  readonly spoiled?: number;
  /** The share of attempts that may be left out, when more are. */
  readonly limit?: number | undefined;
  readonly stopped_by?: "budget" | undefined;
  /** Turns that the run would have had. */
  readonly planned?: number | undefined;
}): string {
  const ending = [
    ...(referenceTurns.failed > 0
      ? [`; with reference history ${referenceTurns.failed} of ${referenceTurns.interactions} failed`]
      : []),
    ...(unscored > 0 ? [`; the scoring of ${unscored} failed`] : []),
    ...(spoiled > 0
      ? [`; ${spoiled} ${spoiled === 1 ? "attempt is" : "attempts are"} left out: the simulated user failed`]
      : []),
    ...(limit === undefined ? [] : [`; more than ${Number((limit * 100).toFixed(1))} %, so the run is undecided`]),
  ].join("");
  const noun = interactions === 1 ? "interaction" : "interactions";
  const causes = [...failures].toSorted(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  const failed = causes.reduce((sum, [, count]) => sum + count, 0);
  const named = causes.length === 1 ? causes[0]?.[0] : causes.map(([code, count]) => `${code} ${count}`).join(", ");
  if (stopped_by === "budget") {
    const done = planned === undefined ? `after ${interactions} turns` : `${interactions} of ${planned} turns`;
    return `Evaluation stopped by budget, ${done}${failed === 0 ? "" : `; ${failed} failed (${named})`}${ending}`;
  }
  if (failed === 0) return `Evaluation completed: ${interactions} ${noun}${ending}`;
  return `Evaluation completed: ${failed} of ${interactions} ${noun} failed (${named})${ending}`;
}
