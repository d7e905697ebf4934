import type { AttemptWithInteractions, RunRecord, Store } from "../contract/ports/store.ts";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { RunSummary } from "../contract/schemas/run.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { checkNames, turnCheckNames } from "../contract/schemas/score-names.ts";
import { addSpent, isSpent, noSpent, spentOn, wasHelperRefused } from "../evaluation/budget/budget.ts";
import { createRunFigures, type FiguredAttempt } from "../evaluation/summary/summarize-run.ts";
import { toAttemptResults, type AttemptResults } from "./attempt-result.ts";
import { plannedPasses } from "./passes.ts";

/** An attempt's results in the form figures are made from. */
export function toFigured(scenario: Scenario, { attempt, reference, conversation }: AttemptResults): FiguredAttempt {
  return {
    scenario: scenario.id,
    tags: scenario.tags,
    interactions: attempt.interactions,
    ...(attempt.unfinished && { unfinished: true }),
    ...(reference && { reference: reference.interactions }),
    ...(attempt.replay && !reference && { replayed: attempt.replay.interactions }),
    ...(conversation && { conversation }),
  };
}

export function figuresOf(settings: RunSettings, scenarios: readonly Scenario[]) {
  const { threshold, gate, label_rules } = settings;
  return createRunFigures({ threshold, gate, label_rules, checks: checksOf(settings, scenarios) });
}

/** Names of the checks of the run and of the turns in these scenarios. Rubrics are none of these: a judge may find a reply partly right. */
export function checksOf({ scorers = [] }: RunSettings, scenarios: readonly Scenario[]): ReadonlySet<string> {
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

export interface Figured {
  readonly summary: RunSummary;
  readonly message: string;
}

/** An attempt as far as figures need it. */
export type AttemptTurns = Pick<AttemptWithInteractions, "attempt" | "interactions">;

/** The figures of a run from what is stored of it. */
export async function figureRun(run: RunRecord, { store, now }: { store: Store; now: () => number }): Promise<Figured> {
  const scenarios = await store.runs.scenarios(run.id);
  const figuring = createFiguring(run.settings, scenarios);
  for await (const attempt of store.attempts.withInteractions(run.id)) {
    const scenario = scenarios[attempt.scenario_index];
    if (scenario) figuring.add(scenario, attempt);
  }
  return figuring.finish(run, now);
}

/** Makes the figures of a run, attempt by attempt. */
export function createFiguring(settings: RunSettings, scenarios: readonly Scenario[]) {
  const figures = figuresOf(settings, scenarios);
  let spent = noSpent;
  let cut = false;
  let skipped = false;
  return {
    add(scenario: Scenario, attempt: AttemptTurns): void {
      const turns = scenario.interactions.length;
      const short = attempt.interactions.length < turns * plannedPasses(settings);
      // In a run of an earlier version, an attempt without any turn may not have been needed.
      const optional = settings.adaptive !== undefined && attempt.interactions.length === 0;
      cut ||= short && !optional;
      skipped ||= short && optional;
      figures.expect(scenario.id);
      if (attempt.interactions.length === 0) return;
      if (settings.budget) {
        for (const turn of attempt.interactions) spent = addSpent(spent, spentOn(turn));
        cut ||= attempt.interactions.some(({ scores }) => wasHelperRefused(scores));
      }
      figures.add(toFigured(scenario, toAttemptResults(attempt, { scenario, settings })));
    },
    finish: (run: RunRecord, now: () => number): Figured =>
      figures.finish({
        stopped_by: (cut || skipped) && overBudget(run, { cut, spent, now }) ? "budget" : undefined,
      }),
  };
}

/**
 * A run whose turns, or what judges and labellers say of them, are not all there although it came to its end has stopped because
 * of its budget: what was under way may have taken less of it than expected.
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
