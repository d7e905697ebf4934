import type { RunScenario, RunScenarioList, RunScenariosQuery } from "../contract/schemas/run-scenarios.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import type { AttemptAverages, RunRecord, Store } from "../contract/ports/store.ts";
import { defaultThreshold } from "../contract/schemas/outcome.ts";
import { mean, standardDeviation } from "../evaluation/statistics/descriptive.ts";
import { countAttempt, toAttemptOutline, toScenarioStatus } from "./scenario-outline.ts";
import type { ScenarioOrder } from "./scenario-order.ts";

/** One page of a run's scenarios in short, failures first. */
export async function listRunScenarios(
  run: RunRecord,
  { status, search, limit, offset, around }: RunScenariosQuery,
  { store, order }: { store: Store; order: ScenarioOrder },
): Promise<RunScenarioList> {
  const listed = [order.failing, order.flaky, order.waiting, order.unscored, order.passing];
  const wanted = status ? order[status] : listed.flat();
  // Only a search by words needs the definitions of all.
  const all = search || around !== undefined ? await store.runs.scenarios(run.id) : null;
  const matching = search ? wanted.filter((index) => matches(all?.[index], search)) : wanted;
  const start =
    around === undefined ? offset : Math.max(0, matching.findIndex((index) => all?.[index]?.id === around) - 1);
  const page = matching.slice(start, start + limit);
  const [scenarios, averages] = await Promise.all([
    all ? page.map((index) => all[index]) : store.runs.scenariosAt(run.id, page),
    store.attempts.averagesOf(run.id, page),
  ]);
  const byScenario = Map.groupBy(averages, ({ scenario_index }) => scenario_index);
  const { threshold = defaultThreshold } = run.settings;
  return {
    scenarios: page.map((index, place) => toRunScenario(scenarios[place], byScenario.get(index) ?? [], threshold)),
    offset: start,
    total: matching.length,
    counts: {
      failing: order.failing.length,
      flaky: order.flaky.length,
      waiting: order.waiting.length,
      unscored: order.unscored.length,
      passing: order.passing.length,
    },
  };
}

function toRunScenario(
  scenario: Scenario | undefined,
  averages: readonly AttemptAverages[],
  threshold: number,
): RunScenario {
  const turns = scenario?.interactions.length ?? 0;
  const attempts = averages.map((attempt) => toAttemptOutline(attempt, { threshold, turns }));
  const tally = { ended: 0, passed: 0, failed: 0 };
  for (const outline of attempts) countAttempt(tally, outline);
  const values = attempts.flatMap(({ overall }) => (overall === null ? [] : [overall]));
  return {
    scenario_id: scenario?.id ?? "",
    description: scenario?.description ?? "",
    status: toScenarioStatus(tally),
    attempts,
    overall: mean(values),
    sd: standardDeviation(values),
  };
}

function matches(scenario: Scenario | undefined, search: string): boolean {
  return `${scenario?.id} ${scenario?.description}`.toLowerCase().includes(search.toLowerCase());
}
