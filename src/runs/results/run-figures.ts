import { compact } from "../../base/compact.ts";
import type { AttemptWithInteractions, RunRecord, Store } from "../../contract/ports/store.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import { passThreshold } from "../../contract/schemas/outcome.ts";
import type { RunSummary } from "../../contract/schemas/run.ts";
import type { ScenarioTotals } from "../../contract/schemas/run-scenarios.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { checkNames, turnCheckNames } from "../../contract/schemas/scores/score-names.ts";
import { addSpent, isSpent, noSpent, spentOn, wasHelperRefused } from "../../evaluation/budget/budget.ts";
import { createRunFigures, type FiguredAttempt } from "../../evaluation/summary/summarize-run.ts";
import { toAttemptResults, type AttemptResults } from "./attempt-result.ts";
import { plannedPasses } from "../stored/passes.ts";

export function toFiguredAttempt(
  scenario: Scenario,
  { attempt, reference, conversation }: AttemptResults,
): FiguredAttempt {
  return compact({
    scenario: scenario.id,
    tags: scenario.tags,
    interactions: attempt.interactions,
    unfinished: attempt.unfinished ? true : undefined,
    reference: reference?.interactions,
    replayed: attempt.replay && !reference ? attempt.replay.interactions : undefined,
    conversation,
  });
}

export function createFiguresOfRun(settings: RunSettings, scenarios: readonly Scenario[]) {
  const { gate, label_rules } = settings;
  return createRunFigures({
    threshold: passThreshold(settings),
    gate,
    label_rules,
    checks: checkScoreNames(settings, scenarios),
  });
}

/**
 * Names of the checks of the run and of the turns in these scenarios, except rubrics, which can score a reply between 0 and 1.
 */
export function checkScoreNames({ scorers = [] }: RunSettings, scenarios: readonly Scenario[]): ReadonlySet<string> {
  const names = new Set(checkNames(scorers).filter((name) => name !== null));
  for (const { interactions } of scenarios) {
    for (const { checks } of interactions) {
      if (!checks) continue;
      for (const [index, name] of turnCheckNames(checks, scorers).entries())
        if (checks[index]?.type !== "rubric") names.add(name);
    }
  }
  return names;
}

interface SummarizedRun {
  readonly summary: RunSummary;
  readonly message: string;
  /** In the order of the scenarios. */
  readonly totals: readonly ScenarioTotals[];
}

type AttemptTurns = Pick<AttemptWithInteractions, "attempt" | "interactions">;

/** Computes the summary of a run from its stored turns. */
export async function summarizeStoredRun(
  run: RunRecord,
  { store, now }: { store: Store; now: () => number },
): Promise<SummarizedRun> {
  const scenarios = await store.runs.scenarios(run.id);
  const figuring = createRunSummarizer(run.settings, scenarios);
  for await (const attempt of store.attempts.withInteractions(run.id)) {
    const scenario = scenarios[attempt.scenario_index];
    if (scenario) figuring.add(scenario, attempt);
  }
  return figuring.finish(run, now);
}

/** Computes the summary of a run attempt by attempt. */
export function createRunSummarizer(settings: RunSettings, scenarios: readonly Scenario[]) {
  const figures = createFiguresOfRun(settings, scenarios);
  let spent = noSpent;
  let cut = false;
  let skipped = false;
  return {
    add(scenario: Scenario, attempt: AttemptTurns): void {
      const turns = scenario.interactions.length;
      const isOver = scenario.user && attempt.interactions.some(({ scores }) => scores?.conversation?.user);
      const short = !isOver && attempt.interactions.length < turns * plannedPasses(settings);
      // An empty attempt may not have been needed: the comparison was decided before, or the run is an adaptive one.
      const optional =
        (settings.adaptive !== undefined || settings.sequence !== undefined) && attempt.interactions.length === 0;
      cut ||= short && !optional;
      skipped ||= short && optional;
      if (optional && settings.sequence) return;
      figures.expect(scenario.id);
      if (attempt.interactions.length === 0) return;
      if (settings.budget) {
        for (const turn of attempt.interactions) spent = addSpent(spent, spentOn(turn));
        cut ||= attempt.interactions.some(({ scores }) => wasHelperRefused(scores));
      }
      figures.add(toFiguredAttempt(scenario, toAttemptResults(attempt, { scenario, settings })));
    },
    finish: (run: RunRecord, now: () => number): SummarizedRun => ({
      ...figures.finish({
        stopped_by: (cut || skipped) && overBudget(run, { cut, spent, now }) ? "budget" : undefined,
        planned: run.progress.interactions_total,
      }),
      totals: scenarios.map(({ id }) => figures.totalsOf(id)),
    }),
  };
}

/**
 * A run that ended with missing turns or verdicts was stopped by its budget, even if the calls in progress then took less than
 * expected.
 */
function overBudget(
  run: RunRecord,
  { cut, spent, now }: { cut: boolean; spent: typeof noSpent; now: () => number },
): boolean {
  const { budget } = run.settings;
  if (!budget || run.state === "cancelling" || run.state === "cancelled" || run.state === "failed") return false;
  if (run.summary) return run.summary.stopped_by === "budget";
  if (cut) return true;
  const elapsed = (run.finished_at ?? now()) - (run.started_at ?? run.created_at);
  return isSpent(budget, { spent, late: budget.seconds !== undefined && elapsed >= budget.seconds * 1_000 });
}

/** A summary that grows with the attempts executed in this process, so that the run need not be read again at its end. */
export interface IncrementalSummary {
  /** Adds an attempt whose end is stored. */
  add(attempt: AttemptTurns & { readonly scenario_index: number }): void;
  /** Null when other processes executed some of the attempts; the store has them all. */
  finish(run: RunRecord, now: () => number): SummarizedRun | null;
}

interface FiguresSoFarOptions {
  readonly settings: RunSettings;
  readonly scenarios: readonly Scenario[];
  /** How many attempts may wait for an earlier one. With more the run is read at its end, so that memory does not grow. */
  readonly reach?: number;
}

/** Attempts are added in their order in the run, so that the figures equal those from the store to the last digit. */
export function createIncrementalSummary({
  settings,
  scenarios,
  reach = 1_000,
}: FiguresSoFarOptions): IncrementalSummary {
  const figuring = createRunSummarizer(settings, scenarios);
  const total = scenarios.length * settings.attempts;
  const early = new Map<number, AttemptTurns>();
  let next = 0;
  let complete = true;

  function countOn(): void {
    for (let attempt = early.get(next); attempt; attempt = early.get(next)) {
      early.delete(next);
      const scenario = scenarios[Math.floor(next / settings.attempts)];
      if (scenario) figuring.add(scenario, attempt);
      next += 1;
    }
  }

  return {
    add(attempt) {
      if (!complete) return;
      const place = attempt.scenario_index * settings.attempts + attempt.attempt - 1;
      complete = place >= next && early.size < reach;
      if (!complete) return early.clear();
      early.set(place, attempt);
      countOn();
    },
    finish: (run, now) => (complete && next === total ? figuring.finish(run, now) : null),
  };
}
