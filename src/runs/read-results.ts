import type { EvaluationResponse, ScenarioResult } from "../contract/evaluation-response.ts";
import { scoringVersion } from "../contract/score.ts";
import type { Scenario } from "../contract/scenario.ts";
import type { AttemptWithInteractions, RunRecord, Store } from "../contract/store.ts";
import { createRunFigures } from "../evaluation/summarize-run.ts";
import { summarizeScenario } from "../evaluation/summarize-scenario.ts";
import { toAttemptResult } from "./attempt-result.ts";
import { toRun } from "./to-run.ts";

/**
 * The evaluation response of a run as pieces of JSON text. One scenario is held in memory at a time, so that a run of
 * a million interactions can be read. A run that has not ended gives what is stored so far.
 */
export async function* readResults(
  run: RunRecord,
  { store, now }: { store: Store; now: () => number },
): AsyncGenerator<string> {
  const scenarios = await store.runs.scenarios(run.id);
  const figures = createRunFigures();
  yield `{"message":${JSON.stringify(toRun(run).message)},"results":{"scenarios":[`;
  let separator = "";
  for await (const result of scenarioResults(store.attempts.withInteractions(run.id), scenarios)) {
    for (const attempt of result.attempts)
      figures.add({ scenario: result.scenario_id, interactions: attempt.interactions });
    yield separator + JSON.stringify(result);
    separator = ",";
  }
  const { usage, ...summary } = run.summary ?? figures.finish().summary;
  const rest: Omit<EvaluationResponse, "message" | "results"> = { ...about(run, now), summary, usage };
  yield `]},${JSON.stringify(rest).slice(1)}`;
}

async function* scenarioResults(
  attempts: AsyncIterable<AttemptWithInteractions>,
  scenarios: readonly Scenario[],
): AsyncGenerator<ScenarioResult> {
  let index = -1;
  let held: AttemptWithInteractions[] = [];
  for await (const attempt of attempts) {
    if (attempt.scenario_index !== index) {
      const scenario = scenarios[index];
      if (scenario) yield toScenarioResult(scenario, held);
      held = [];
      index = attempt.scenario_index;
    }
    held.push(attempt);
  }
  const last = scenarios[index];
  if (last) yield toScenarioResult(last, held);
}

function toScenarioResult(scenario: Scenario, held: readonly AttemptWithInteractions[]): ScenarioResult {
  const attempts = held.map((attempt) => toAttemptResult(attempt, scenario));
  const judged = attempts.map(({ interactions }) => interactions).filter((interactions) => interactions.length > 0);
  return { scenario_id: scenario.id, description: scenario.description, attempts, ...summarizeScenario(judged) };
}

function about(
  run: RunRecord,
  now: () => number,
): Omit<EvaluationResponse, "message" | "results" | "summary" | "usage"> {
  const { started_at, finished_at } = toRun(run);
  const begin = run.started_at ?? run.created_at;
  return {
    run_id: run.id,
    test_name: run.settings.test_name,
    endpoint: run.settings.endpoint,
    model_id: run.settings.model_id,
    state: run.state,
    demo: run.demo,
    scoring_version: scoringVersion,
    timing: { started_at, finished_at, duration_ms: Math.max(0, (run.finished_at ?? now()) - begin) },
    warnings: [...run.warnings],
  };
}
