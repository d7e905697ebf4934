import type { RunSettings } from "../contract/evaluation-request.ts";
import type { AttemptResult, EvaluationResponse, ScenarioResult } from "../contract/evaluation-response.ts";
import { scoringVersion } from "../contract/score.ts";
import type { Scenario } from "../contract/scenario.ts";
import type { AttemptWithInteractions, RunRecord, Store } from "../contract/store.ts";
import { createDrift } from "../evaluation/drift.ts";
import { summarizeScenario } from "../evaluation/summarize-scenario.ts";
import type { RunFigures } from "../evaluation/summarize-run.ts";
import { toAttemptResults, type AttemptResults } from "./attempt-result.ts";
import { mustExist } from "./find-run.ts";
import { checksOf, figuresOf, toFigured } from "./figure-run.ts";
import { measuresOf } from "./measures-of.ts";
import { toRun } from "./to-run.ts";

/** A run's results, with what is needed to sum up a run that has not ended. */
interface Reading {
  readonly store: Store;
  readonly scenarioId?: string | undefined;
  readonly figures?: RunFigures | undefined;
  /** Takes the definitions that the turns read were scored by. */
  readonly versions?: Set<string>;
  /** Where they were read before. */
  readonly scenarios?: readonly Scenario[];
}

/** Pieces of text are about this long: to hand over each scenario by itself would take longer than to write it. */
const pieceLength = 64 * 1024;

/**
 * The evaluation response of a run as pieces of JSON text. One scenario is held in memory at a time, so that a run of
 * a million interactions can be read. A run that has not ended gives what is stored so far.
 */
export async function* readResults(
  run: RunRecord,
  { store, now, scenarioId }: { store: Store; now: () => number; scenarioId?: string | undefined },
): AsyncGenerator<string> {
  const scenarios = await store.runs.scenarios(run.id);
  const figures = figuresOf(run.settings, scenarios);
  const versions = new Set<string>();
  let text = `{"message":${JSON.stringify(toRun(run).message)},"results":{"scenarios":[`;
  let separator = "";
  for await (const result of readScenarioResults(run, { store, scenarioId, figures, versions, scenarios })) {
    for (const piece of toPieces(result)) {
      text += separator + piece;
      separator = "";
      if (text.length < pieceLength) continue;
      yield text;
      text = "";
    }
    separator = ",";
  }
  yield `${text}]},${JSON.stringify(about(run, { now, figures, versions })).slice(1)}`;
}

/** The same as one value, for whoever uses it in this process: writing and reading it as text would take most of the time. */
export async function readWholeResults(
  run: RunRecord,
  { store, now }: { store: Store; now: () => number },
): Promise<EvaluationResponse> {
  const planned = await store.runs.scenarios(run.id);
  const figures = figuresOf(run.settings, planned);
  const versions = new Set<string>();
  const scenarios = await Array.fromAsync(readScenarioResults(run, { store, figures, versions, scenarios: planned }));
  return { message: toRun(run).message, results: { scenarios }, ...about(run, { now, figures, versions }) };
}

/** The scenarios of a run with their results, one in memory at a time. Fails when the run is deleted before the last one is read. */
export async function* readScenarioResults(
  run: RunRecord,
  { store, scenarioId, figures, versions, scenarios: read }: Reading,
): AsyncGenerator<ScenarioResult> {
  const { settings } = run;
  const scenarios = read ?? (await store.runs.scenarios(run.id));
  const only = scenarioId === undefined ? undefined : scenarios.findIndex(({ id }) => id === scenarioId);
  const attempts = store.attempts.withInteractions(run.id, only);
  for await (const { scenario, results } of byScenario(attempts, { scenarios, settings })) {
    if (!run.summary) for (const result of results) figures?.add(toFigured(scenario, result));
    if (versions) for (const { attempt } of results) noteVersions(attempt, versions);
    yield toScenarioResult(scenario, { results, settings });
  }
  await mustExist(store, run.id);
}

/** A run that was scored before this process was made has the definitions of its time. A turn that was never scored has none. */
function noteVersions({ interactions }: AttemptResult, versions: Set<string>): void {
  for (const { scores, scoring_version } of interactions) if ("success" in scores) versions.add(scoring_version);
}

/** Groups attempts, which come in order, by their scenario. Each is made into results as it comes: never all at once. */
async function* byScenario(
  attempts: AsyncIterable<AttemptWithInteractions>,
  { scenarios, settings }: { scenarios: readonly Scenario[]; settings: RunSettings },
): AsyncGenerator<{ scenario: Scenario; results: readonly AttemptResults[] }> {
  let index = -1;
  let results: AttemptResults[] = [];
  for await (const attempt of attempts) {
    if (attempt.scenario_index !== index) {
      const done = scenarios[index];
      if (done) yield { scenario: done, results };
      results = [];
      index = attempt.scenario_index;
    }
    const scenario = scenarios[index];
    if (scenario) results.push(toAttemptResults(attempt, { scenario, settings }));
  }
  const last = scenarios[index];
  if (last) yield { scenario: last, results };
}

/** A scenario's results as JSON text, attempt by attempt: a long one would otherwise be one long step. */
function* toPieces({ scenario_id, description, attempts, ...rest }: ScenarioResult): Generator<string> {
  yield `${JSON.stringify({ scenario_id, description }).slice(0, -1)},"attempts":[`;
  for (const [index, attempt] of attempts.entries()) yield (index > 0 ? "," : "") + JSON.stringify(attempt);
  yield `],${JSON.stringify(rest).slice(1)}`;
}

function toScenarioResult(
  scenario: Scenario,
  { results, settings }: { results: readonly AttemptResults[]; settings: RunSettings },
): ScenarioResult {
  const { threshold, label_rules } = settings;
  // Attempts that were not needed, or not paid for, have nothing to show. A run without either lists every attempt.
  const optional = settings.adaptive !== undefined || settings.budget !== undefined;
  const shown = results.filter(({ attempt }) => !optional || attempt.interactions.length > 0);
  const judged = results.filter(({ attempt }) => attempt.interactions.length > 0);
  const references = judged.flatMap(({ reference }) => (reference ? [reference] : []));
  const drift = createDrift();
  for (const { attempt, reference } of judged) {
    if (reference) drift.add({ generated: attempt.interactions, reference: reference.interactions });
  }
  const gap = drift.finish();
  return {
    scenario_id: scenario.id,
    description: scenario.description,
    ...(scenario.system_prompt !== undefined && { system_prompt: scenario.system_prompt }),
    attempts: shown.map(({ attempt }) => attempt),
    ...(threshold !== undefined && { threshold }),
    ...summarizeScenario(
      judged.map(({ attempt, conversation }) => ({
        interactions: attempt.interactions,
        conversation: conversation?.scores,
        unfinished: attempt.unfinished,
      })),
      { threshold, label_rules, tags: scenario.tags, checks: checksOf(settings, [scenario]) },
    ),
    ...(gap && { drift: gap }),
    ...(references.length > 0 && { reference_attempts: references }),
    ...(shown.length < results.length && { attempts_skipped: results.length - shown.length }),
  };
}

/** All but the scenarios. The figures are those of a run that has not ended. */
function about(
  run: RunRecord,
  { now, figures, versions }: { now: () => number; figures: RunFigures; versions: ReadonlySet<string> },
): Omit<EvaluationResponse, "message" | "results"> {
  const { started_at, finished_at } = toRun(run);
  const begin = run.started_at ?? run.created_at;
  const { usage, ...summary } = run.summary ?? figures.finish().summary;
  return {
    run_id: run.id,
    test_name: run.settings.test_name,
    endpoint: run.settings.endpoint,
    model_id: run.settings.model_id,
    state: run.state,
    demo: run.demo,
    scoring_version: [...versions].join(", ") || scoringVersion,
    timing: { started_at, finished_at, duration_ms: Math.max(0, (run.finished_at ?? now()) - begin) },
    warnings: [...run.warnings],
    ...(run.tied && { own_agent: true as const }),
    protocol: run.settings.protocol,
    parameters: run.settings.parameters ?? {},
    attempts: run.settings.attempts,
    history: run.settings.history ?? "generated",
    measures: measuresOf(run.settings),
    ...(run.settings.system_prompt !== undefined && { system_prompt: run.settings.system_prompt }),
    summary,
    usage,
  };
}
