import { compact } from "../../base/compact.ts";
import type { AttemptResult, EvaluationResponse, ScenarioResult } from "../../contract/schemas/evaluation-response.ts";
import { turnCheckNames } from "../../contract/schemas/scores/score-names.ts";
import { createRunFigures, type FiguredAttempt } from "../../evaluation/summary/summarize-run.ts";
import { CliError } from "../terminal/cli-error.ts";

/**
 * Runs of different scenarios as one run, summarized again from their replies. The pytest plug-in, for example, makes a run
 * of each scenario.
 */
export function joinRuns(runs: readonly EvaluationResponse[], file: string): EvaluationResponse {
  const [first, ...others] = runs;
  if (!first) throw new CliError(`${file} holds no run`);
  if (others.length === 0) return first;
  const scenarios = runs.flatMap(({ results }) => results.scenarios);
  refuseOtherRuns(runs, scenarios, file);
  const threshold = scenarios[0]?.threshold;
  const { label_rules } = first;
  const figures = createRunFigures(compact({ threshold, label_rules, checks: checkRunNames(first, scenarios) }));
  for (const scenario of scenarios) {
    figures.expect(scenario.scenario_id);
    for (const attempt of scenario.attempts) {
      if (attempt.interactions.length > 0) figures.add(toFigured(scenario, attempt));
    }
  }
  const {
    summary: { usage, ...summary },
    message,
  } = figures.finish({
    stopped_by: runs.some(({ summary: { stopped_by } }) => stopped_by !== undefined) ? "budget" : undefined,
  });
  const states = runs.map(({ state }) => state);
  const started = runs.flatMap(({ timing }) => timing.started_at ?? []).sort();
  const finished = runs.flatMap(({ timing }) => timing.finished_at ?? []).sort();
  const warnings = new Map(runs.flatMap((run) => run.warnings.map((warning) => [JSON.stringify(warning), warning])));
  return {
    ...first,
    message,
    results: { scenarios },
    state: states.find((state) => state !== "completed") ?? "completed",
    demo: runs.some(({ demo }) => demo),
    summary,
    usage,
    timing: {
      started_at: started[0] ?? null,
      finished_at: finished.at(-1) ?? null,
      duration_ms: runs.reduce((sum, { timing }) => sum + timing.duration_ms, 0),
    },
    warnings: [...warnings.values()],
  };
}

/** Runs of the same scenarios, of several tests, or scored in different ways have no common figures. */
function refuseOtherRuns(
  runs: readonly EvaluationResponse[],
  scenarios: readonly ScenarioResult[],
  file: string,
): void {
  const cannotJoin = (why: string): CliError =>
    new CliError(`${file} holds ${runs.length} runs: rehearsal eval -o results.json writes a file for each\n  ${why}`);
  const ids = scenarios.map(({ scenario_id }) => scenario_id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw cannotJoin(`They cannot be joined: several have the scenario "${twice}".`);
  const differ = (valueOf: (run: EvaluationResponse) => unknown): boolean =>
    new Set(runs.map((run) => JSON.stringify(valueOf(run)))).size > 1;
  if (differ(({ test_name }) => test_name)) throw cannotJoin("They cannot be joined: they are of several tests.");
  if (
    differ(({ scoring_version, measures, label_rules, history }) => [scoring_version, measures, label_rules, history])
  )
    throw cannotJoin("They cannot be joined: they were scored in different ways.");
  if (new Set(scenarios.map(({ threshold }) => threshold)).size > 1)
    throw cannotJoin("They cannot be joined: their thresholds differ.");
}

function toFigured(scenario: ScenarioResult, attempt: AttemptResult): FiguredAttempt {
  const { interactions, unfinished, replay, conversation, outcome, user } = attempt;
  const reference = scenario.reference_attempts?.find((other) => other.attempt === attempt.attempt);
  return compact({
    scenario: scenario.scenario_id,
    tags: scenario.tags,
    interactions,
    reference: reference?.interactions,
    replayed: reference ? undefined : replay?.interactions,
    conversation: conversation && compact({ ...conversation, outcome, user }),
    unfinished,
  });
}

/** Names of the checks of the run and of its turns, except rubrics, which can score a reply between 0 and 1. */
function checkRunNames({ measures }: EvaluationResponse, scenarios: readonly ScenarioResult[]): ReadonlySet<string> {
  const names = new Set(Object.keys(measures?.checks ?? {}));
  for (const { attempts } of scenarios) {
    for (const { checks } of attempts.flatMap(({ interactions }) => interactions)) {
      if (!checks) continue;
      for (const [index, name] of turnCheckNames(checks, []).entries())
        if (checks[index]?.type !== "rubric") names.add(name);
    }
  }
  return names;
}
