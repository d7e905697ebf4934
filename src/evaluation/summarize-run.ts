import { toDollars } from "../base/numbers.ts";
import type { ErrorCode } from "../contract/errors.ts";
import type { Gate } from "../contract/schemas/budget.ts";
import type { LabelRule } from "../contract/schemas/evaluation-request.ts";
import type { ConversationJudgement, HelperUsage, JudgeVerdict } from "../contract/schemas/judge.ts";
import { attemptOutcome, defaultThreshold, lacksOverall } from "../contract/schemas/outcome.ts";
import type { RunSummary } from "../contract/schemas/run.ts";
import type { Scores } from "../contract/schemas/score.ts";
import { addUsage, noUsage } from "../contract/schemas/usage.ts";
import { averageInteractions, averageScenarios } from "./average-scores.ts";
import { createBreakdown } from "./breakdown.ts";
import { createDrift } from "./drift.ts";
import { checkGate } from "./gate.ts";
import { addHelperUsage, isHelperUsage, noHelperUsage } from "./helper-usage.ts";
import { createLabelTallies } from "./label-tallies.ts";
import { createScoreSeries } from "./score-series.ts";
import type { ScoredInteraction } from "./scored-interaction.ts";
import { DurationTally } from "./statistics/duration-tally.ts";
import { flakiness } from "./statistics/flakiness.ts";
import { NumberColumn } from "./statistics/number-column.ts";
import { SpreadTable } from "./statistics/spread-table.ts";

export interface FiguredAttempt {
  /** Tells scenarios apart. */
  readonly scenario: number | string;
  readonly tags?: readonly string[];
  readonly interactions: readonly ScoredInteraction[];
  /** With history both: the same attempt with reference history. Never part of the averages. */
  readonly reference?: readonly ScoredInteraction[];
  /** Turns of a replay: paid for, and nothing else here. */
  readonly replayed?: readonly ScoredInteraction[];
  /** What was said of the conversation as a whole. */
  readonly conversation?: ConversationJudgement | undefined;
  /** Some of its turns are missing: the run was stopped. */
  readonly unfinished?: boolean;
}

interface RunFiguresOptions {
  readonly threshold?: number | undefined;
  readonly gate?: Gate | undefined;
  readonly label_rules?: Readonly<Record<string, LabelRule>> | undefined;
  /** Names of the caller's checks, which are 0 or 1 by nature. */
  readonly checks?: ReadonlySet<string>;
}

/** Takes a run attempt by attempt, in any order. Its memory grows with scenarios, not with attempts or interactions. */
export interface RunFigures {
  /** Names a scenario that was planned, whether anything of it was carried out or not. */
  expect(scenario: number | string): void;
  add(attempt: FiguredAttempt): void;
  finish(options?: { stopped_by?: "budget" | undefined }): { summary: RunSummary; message: string };
}

/** Figures of a whole run: the mean of its scenarios' averages, with intervals over scenarios. */
export function createRunFigures({
  threshold = defaultThreshold,
  gate,
  label_rules,
  checks,
}: RunFiguresOptions = {}): RunFigures {
  /** The row of each scenario in the tables. */
  const rows = new Map<number | string, number>();
  const averages = new MeanTable();
  const references = new MeanTable();
  const overall = new SpreadTable();
  const passed = new NumberColumn();
  const missed = new NumberColumn();
  const series = createScoreSeries("scenario", checks);
  const labels = createLabelTallies(label_rules);
  const breakdown = createBreakdown();
  const drift = createDrift("scenario");
  const failures = new Map<ErrorCode, number>();
  const spending = createSpending();
  const latencies = new DurationTally();
  const firstTokens = new DurationTally();
  const expected = new Set<number | string>();
  const finished = new Set<number | string>();
  const passes = { counted: 0, passed: 0 };
  const taughtTurns = { interactions: 0, failed: 0 };
  let usage = noUsage;
  let interactions = 0;
  let conflicts = 0;
  let unscored = 0;
  let audited: boolean | undefined;

  function rowOf(scenario: number | string): number {
    const row = rows.get(scenario) ?? rows.size;
    rows.set(scenario, row);
    return row;
  }

  function noteAudits(judgements: Readonly<Record<string, JudgeVerdict>> = {}): void {
    for (const { judge_audited } of Object.values(judgements)) audited = (audited ?? true) && judge_audited;
  }

  function addInteraction(interaction: ScoredInteraction, attempt: FiguredAttempt): void {
    interactions++;
    series.note(interaction.scores);
    labels.add(interaction, attempt.scenario);
    breakdown.add(interaction, attempt.tags ?? []);
    if ((interaction.conflicts ?? []).length > 0) conflicts++;
    if (isUnscored(interaction, attempt.conversation)) unscored++;
    noteAudits(interaction.judgements);
    if (interaction.error) failures.set(interaction.error.code, (failures.get(interaction.error.code) ?? 0) + 1);
    else addTimes(interaction);
  }

  function addTimes({ latency_ms, first_token_ms }: ScoredInteraction): void {
    if (typeof latency_ms === "number") latencies.add(latency_ms);
    if (typeof first_token_ms === "number") firstTokens.add(first_token_ms);
  }

  return {
    expect(scenario) {
      expected.add(scenario);
    },
    add(attempt) {
      if (!attempt.unfinished) finished.add(attempt.scenario);
      const { reference = [], replayed = [], conversation } = attempt;
      for (const interaction of attempt.interactions) addInteraction(interaction, attempt);
      for (const interaction of [...attempt.interactions, ...reference, ...replayed]) {
        usage = addUsage(usage, interaction.usage);
        spending.add(interaction);
      }
      taughtTurns.interactions += reference.length;
      taughtTurns.failed += reference.filter(({ error }) => error).length;
      drift.add({ generated: attempt.interactions, reference, cluster: attempt.scenario });
      const row = rowOf(attempt.scenario);
      const average = {
        ...averageInteractions(attempt.interactions.map(({ scores }) => scores)),
        ...conversation?.scores,
      };
      if (conversation) {
        series.noteConversation(conversation.scores);
        noteAudits(conversation.judgements);
        spending.addHelper(conversation.helper_usage);
      }
      averages.add(row, average);
      if (reference.length > 0) references.add(row, averageInteractions(reference.map(({ scores }) => scores)));
      // One that was stopped halfway says nothing about how it would have ended.
      if (attempt.unfinished) return;
      if (average["overall"] !== undefined) overall.add(row, average["overall"]);
      const outcome = attemptOutcome(average, threshold);
      if (outcome === "unscored") return;
      const good = outcome === "passed";
      passes.counted++;
      if (good) passes.passed++;
      (good ? passed : missed).add(row, 1);
    },
    finish({ stopped_by } = {}) {
      const entries = [...rows].map(([key, row]) => ({ scenario_id: String(key), row }));
      const scenarios = entries.map(({ scenario_id, row }) => ({ scenario_id, average_scores: averages.means(row) }));
      const scores = scenarios.map((entry) => entry.average_scores);
      const average_scores = averageScenarios(scores);
      const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
      const gap = drift.finish();
      const flaky = flakiness(entries.map(({ scenario_id, row }) => ({ scenario_id, ...overall.of(row) })));
      const taught = entries.filter(({ row }) => references.has(row)).map(({ row }) => references.means(row));
      const latency_ms = latencies.finish();
      const first_token_ms = firstTokens.finish();
      const unfinished = [...expected].filter((key) => !finished.has(key)).map(String);
      const figures = { average_scores, scenarios, interactions, failed, unscored, attempts: passes, unfinished };
      const summary: RunSummary = {
        average_scores,
        score_stats: series.finish(scores),
        label_metrics: labels.finish(),
        usage,
        interactions,
        failed,
        ...(unscored > 0 && { unscored }),
        conflicts,
        breakdown: breakdown.finish(),
        ...spending.finish(),
        ...(latency_ms && { latency_ms }),
        ...(first_token_ms && { first_token_ms }),
        ...(stopped_by && { stopped_by }),
        ...(gap && { drift: gap, reference_scores: averageScenarios(taught) }),
        ...(gate && { gate: checkGate(gate, figures) }),
        flaky: entries.filter(({ row }) => passed.get(row) > 0 && missed.get(row) > 0).length,
        ...(flaky && { flakiness: flaky }),
        ...(audited !== undefined && { judge_audited: audited }),
      };
      const message = statusMessage({ interactions, failures, taught: taughtTurns, unscored, stopped_by });
      return { summary, message };
    },
  };
}

/** A reply has no verdict either where the judge gave none on the conversation it is part of. */
function isUnscored(interaction: ScoredInteraction, conversation: ConversationJudgement | undefined): boolean {
  if (interaction.error) return false;
  const lost = Object.keys(conversation?.score_reasons ?? {}).some((name) => conversation?.scores[name] === undefined);
  return lost || lacksOverall(interaction);
}

/** Adds up money, and what judging and labelling took. */
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
      const cost = { total: toDollars(total + (helper.cost ?? 0)), unpriced: unpriced + (helper.unpriced ?? 0) };
      return {
        ...((priced > 0 || helper.cost !== null) && { cost }),
        ...(isHelperUsage(helper) && { helper_usage: helper }),
      };
    },
  };
}

/** The `message` of a completed evaluation: how many interactions, and what went wrong with how many, most frequent first. */
export function statusMessage({
  interactions,
  failures,
  taught = { interactions: 0, failed: 0 },
  unscored = 0,
  stopped_by,
}: {
  readonly interactions: number;
  readonly failures: ReadonlyMap<ErrorCode, number>;
  /** With history both: the same turns with reference history, which are in no figure above. */
  readonly taught?: { readonly interactions: number; readonly failed: number };
  /** Replies whose scoring failed. */
  readonly unscored?: number;
  readonly stopped_by?: "budget" | undefined;
}): string {
  const ending = [
    ...(taught.failed > 0 ? [`; with reference history ${taught.failed} of ${taught.interactions} failed`] : []),
    ...(unscored > 0 ? [`; the scoring of ${unscored} failed`] : []),
    ...(stopped_by === "budget" ? ["; stopped before the end: the budget is spent"] : []),
  ].join("");
  const noun = interactions === 1 ? "interaction" : "interactions";
  const causes = [...failures].toSorted(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  const failed = causes.reduce((sum, [, count]) => sum + count, 0);
  if (failed === 0) return `Evaluation completed: ${interactions} ${noun}${ending}`;

  const named = causes.length === 1 ? causes[0]?.[0] : causes.map(([code, count]) => `${code} ${count}`).join(", ");
  return `Evaluation completed: ${failed} of ${interactions} ${noun} failed (${named})${ending}`;
}

interface Column {
  readonly sums: NumberColumn;
  readonly counts: NumberColumn;
}

/** Means of scores for many rows, fed one by one. In columns: sums in objects of their own would take ten times the memory. */
export class MeanTable {
  readonly #columns = new Map<string, Column>();
  readonly #added = new NumberColumn();

  add(row: number, scores: Scores): void {
    this.#added.add(row, 1);
    for (const [name, value] of Object.entries(scores)) {
      const { sums, counts } = this.#columnOf(name);
      sums.add(row, value);
      counts.add(row, 1);
    }
  }

  /** Whether the row has been given any scores, be it none at all. */
  has(row: number): boolean {
    return this.#added.get(row) > 0;
  }

  means(row: number): Scores {
    const present = [...this.#columns].filter(([, { counts }]) => counts.get(row) > 0);
    return Object.fromEntries(present.map(([name, { sums, counts }]) => [name, sums.get(row) / counts.get(row)]));
  }

  #columnOf(name: string): Column {
    const known = this.#columns.get(name);
    if (known) return known;
    const column = { sums: new NumberColumn(), counts: new NumberColumn() };
    this.#columns.set(name, column);
    return column;
  }
}
