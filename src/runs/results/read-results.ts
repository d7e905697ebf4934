import { compact } from "../../base/compact.ts";
import { truncateText } from "../../base/text.ts";
import { testsOwnAgent } from "../plan/endpoints.ts";
import type { RunRecord, Store, VerdictRecord } from "../../contract/ports/store.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { AttemptResult, EvaluationResponse, ScenarioResult } from "../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import { passThreshold } from "../../contract/schemas/outcome.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { scoringVersion } from "../../contract/schemas/scores/score.ts";
import { createDrift } from "../../evaluation/summary/drift.ts";
import type { RunFigures } from "../../evaluation/summary/summarize-run.ts";
import { createScenarioSummary } from "../../evaluation/summary/summarize-scenario.ts";
import { toMeasures } from "../stored/score-definitions.ts";
import { toTurnVerdict } from "../stored/reply-verdicts.ts";
import { toAttemptResults, type AttemptResults } from "./attempt-result.ts";
import { assertRunExists } from "../stored/find-run.ts";
import { checkScoreNames, createFiguresOfRun, toFiguredAttempt } from "./run-figures.ts";
import { toRun, warningsOf } from "./to-run.ts";

interface Reading {
  readonly store: Store;
  readonly scenarioId?: string | undefined;
  readonly figures?: RunFigures | undefined;
  /** Collects the scoring versions of the turns read. */
  readonly versions?: Set<string>;
  /** Set when the scenarios have been read already. */
  readonly scenarios?: readonly Scenario[];
}

/** The evaluation response as one value. */
export async function readWholeResults(
  run: RunRecord,
  reading: { store: Store; now: () => number },
): Promise<EvaluationResponse> {
  const scenarios: ScenarioResult[] = [];
  const { message, ...about } = await readResponse(run, {
    ...reading,
    onScenario: (scenario) => void scenarios.push(scenario),
  });
  return { message, results: { scenarios }, ...about };
}

/**
 * Passes the scenarios of the response to `onScenario`, one in memory at a time, and resolves to the rest of it. For callers in this
 * process: serializing and parsing the response would dominate the time.
 */
export async function readResponse(
  run: RunRecord,
  { store, now, onScenario }: { store: Store; now: () => number; onScenario: (scenario: ScenarioResult) => void },
): Promise<Omit<EvaluationResponse, "results">> {
  const scenarios = await store.runs.scenarios(run.id);
  const figures = createFiguresOfRun(run.settings, scenarios);
  const versions = new Set<string>();
  for await (const scenario of readScenarioResults(run, { store, figures, versions, scenarios })) onScenario(scenario);
  return { message: toRun(run).message, ...responseDetails(run, { now, figures, versions }) };
}

/**
 * The results of a run by scenario, one scenario in memory at a time. `shortened` truncates replies to the length shown in a
 * report. Throws when the run is deleted meanwhile.
 */
export async function* readScenarioResults(
  run: RunRecord,
  { shortened = false, ...reading }: Reading & { readonly shortened?: boolean | undefined },
): AsyncGenerator<ScenarioResult> {
  let attempts: AttemptResult[] = [];
  let references: AttemptResult[] = [];
  const keep = shortened ? shortenReference : (attempt: AttemptResult) => attempt;
  for await (const part of readParts(run, reading)) {
    if (part.results) {
      const { attempt } = part.results;
      const reference = listedReference(part.results);
      if (isListedAttempt(attempt, run.settings)) attempts.push(keep(attempt));
      if (reference) references.push(keep(reference));
      continue;
    }
    yield compact({ ...part.about, attempts, reference_attempts: references.length > 0 ? references : undefined });
    [attempts, references] = [[], []];
  }
}

/** An attempt and its scenario; attempts of one scenario share the same object. */
export interface ReadAttempt {
  readonly scenario: Pick<ScenarioResult, "scenario_id" | "system_prompt"> & { readonly threshold: number | undefined };
  readonly attempt: AttemptResult;
}

/**
 * Each attempt with its scenario, one in memory at a time. `look` receives all attempts of a scenario before the first is
 * yielded, so they are read twice. Throws when the run is deleted meanwhile.
 */
export async function* readAttemptResults(
  run: RunRecord,
  { look, ...reading }: Reading & { readonly look?: ((read: ReadAttempt) => void) | undefined },
): AsyncGenerator<ReadAttempt> {
  const { settings } = run;
  let head: ReadAttempt["scenario"] | null = null;
  for await (const { scenario, index, results } of readParts(run, reading)) {
    if (!results) {
      head = null;
      continue;
    }
    if (!head) {
      head = headOf(scenario, settings);
      for await (const stored of look ? reading.store.attempts.withInteractions(run.id, index) : [])
        look?.({ scenario: head, attempt: toAttemptResults(stored, { scenario, settings }).attempt });
    }
    yield { scenario: head, attempt: results.attempt };
  }
}

const headOf = ({ id, system_prompt }: Scenario, settings: RunSettings): ReadAttempt["scenario"] => ({
  ...compact({ scenario_id: id, system_prompt }),
  threshold: passThreshold(settings),
});

/** An attempt, or after the last attempt of a scenario the scenario's summary. */
export type ReadPart = { readonly scenario: Scenario; readonly index: number } & (
  | { readonly results: AttemptResults }
  | { readonly results?: undefined; readonly about: ScenarioAbout }
);

interface OpenScenario {
  readonly scenario: Scenario;
  readonly index: number;
  readonly reading: ScenarioReading;
}

export async function* readParts(
  run: RunRecord,
  { store, scenarioId, figures, versions, scenarios: read }: Reading,
): AsyncGenerator<ReadPart> {
  const { settings } = run;
  const scenarios = read ?? (await store.runs.scenarios(run.id));
  const only = scenarioId === undefined ? undefined : scenarios.findIndex(({ id }) => id === scenarioId);
  const ended = ({ scenario, index, reading }: OpenScenario): ReadPart => ({
    scenario,
    index,
    about: reading.finish(),
  });
  const verdicts = Map.groupBy(
    await store.verdicts.ofRun(run.id),
    ({ scenario_index, attempt }) => `${scenario_index} ${attempt}`,
  );
  let open: OpenScenario | undefined;
  for await (const attempt of store.attempts.withInteractions(run.id, only)) {
    const scenario = scenarios[attempt.scenario_index];
    if (!scenario) continue;
    if (open?.scenario !== scenario) {
      if (open) yield ended(open);
      open = { scenario, index: attempt.scenario_index, reading: readScenario(scenario, settings) };
    }
    const results = withVerdicts(
      toAttemptResults(attempt, { scenario, settings }),
      verdicts.get(`${attempt.scenario_index} ${attempt.attempt}`),
    );
    if (!run.summary) figures?.add(toFiguredAttempt(scenario, results));
    if (versions) noteVersions(results.attempt, versions);
    open.reading.add(results);
    yield { scenario, index: open.index, results };
  }
  if (open) yield ended(open);
  await assertRunExists(store, run.id);
}

/** A verdict on a whole conversation names the last turn of the scenario, which a simulated user may not have reached. */
function withVerdicts(results: AttemptResults, verdicts: readonly VerdictRecord[] | undefined): AttemptResults {
  if (!verdicts) return results;
  const { attempt } = results;
  const last = attempt.interactions.at(-1)?.turn_index ?? 0;
  const byTurn = Map.groupBy(verdicts, ({ turn_index }) => Math.min(turn_index, last));
  const interactions = attempt.interactions.map((turn) => {
    const given = byTurn.get(turn.turn_index);
    return given ? { ...turn, verdicts: given.map(toTurnVerdict) } : turn;
  });
  return { ...results, attempt: { ...attempt, interactions } };
}

/** A run may have been scored by an earlier version. Turns without scores have no version. */
function noteVersions({ interactions }: AttemptResult, versions: Set<string>): void {
  for (const { scores, scoring_version } of interactions) if ("success" in scores) versions.add(scoring_version);
}

/** Reports show at most this much of a reply. */
const shownCharacters = 10_000;

function shortenReference(attempt: AttemptResult): AttemptResult {
  const { replay: _, ...rest } = attempt;
  return { ...rest, interactions: attempt.interactions.map(shortenTurn) };
}

function shortenTurn(turn: InteractionResult): InteractionResult {
  if (turn.agent_reply.length <= shownCharacters) return { ...turn, generated_metadata: {} };
  // A slice keeps the whole string in memory; a copy does not.
  const agent_reply = JSON.parse(JSON.stringify(truncateText(turn.agent_reply, shownCharacters))) as string;
  return { ...turn, agent_reply, generated_metadata: {} };
}

/** The response without its scenarios. The figures apply to a run that has not ended. */
export function responseDetails(
  run: RunRecord,
  { now, figures, versions }: { now: () => number; figures: RunFigures; versions: ReadonlySet<string> },
): Omit<EvaluationResponse, "message" | "results"> {
  const { started_at, finished_at, endpoint } = toRun(run);
  const begin = run.started_at ?? run.created_at;
  const { usage, ...summary } = run.summary ?? figures.finish().summary;
  return compact({
    run_id: run.id,
    test_name: run.settings.test_name,
    endpoint,
    model_id: run.settings.model_id,
    state: run.state,
    demo: run.demo,
    scoring_version: [...versions].join(", ") || scoringVersion,
    timing: { started_at, finished_at, duration_ms: Math.max(0, (run.finished_at ?? now()) - begin) },
    warnings: warningsOf(run),
    own_agent: testsOwnAgent(run) || undefined,
    protocol: run.settings.protocol,
    parameters: run.settings.parameters ?? {},
    attempts: run.settings.attempts,
    adaptive: run.settings.adaptive,
    history: run.settings.history ?? "generated",
    measures: toMeasures(run.settings),
    label_rules: run.settings.label_rules,
    system_prompt: run.settings.system_prompt,
    summary,
    usage,
  });
}

/** A scenario's results without its attempts. */
type ScenarioAbout = Omit<ScenarioResult, "attempts" | "reference_attempts">;

/** Summarizes the attempts of a scenario one by one, without keeping their texts. */
interface ScenarioReading {
  add(results: AttemptResults): void;
  finish(): ScenarioAbout;
}

function readScenario(scenario: Scenario, settings: RunSettings): ScenarioReading {
  const { label_rules } = settings;
  const threshold = passThreshold(settings);
  const { tags } = scenario;
  const summary = createScenarioSummary({
    threshold,
    label_rules,
    tags,
    checks: checkScoreNames(settings, [scenario]),
  });
  const drift = createDrift();
  let skipped = 0;
  return {
    add({ attempt, reference, conversation }) {
      const { interactions, unfinished } = attempt;
      if (!isListedAttempt(attempt, settings)) skipped += 1;
      if (interactions.length === 0) return;
      summary.add({ interactions, conversation, unfinished });
      if (reference) drift.add({ generated: interactions, reference: reference.interactions });
    },
    finish() {
      const gap = drift.finish();
      return compact({
        scenario_id: scenario.id,
        description: scenario.description,
        tags: tags.length > 0 ? tags : undefined,
        system_prompt: scenario.system_prompt,
        threshold,
        ...summary.finish(),
        drift: gap ?? undefined,
        attempts_skipped: skipped || undefined,
      });
    },
  };
}

/** The attempt with reference history; null when there is no attempt to compare it with. */
export function listedReference({ attempt, reference }: AttemptResults): AttemptResult | null {
  return attempt.interactions.length > 0 ? reference : null;
}

/** Hides attempts skipped by the budget or, in earlier versions, by adaptive attempts. Other runs list every attempt. */
export function isListedAttempt({ interactions }: AttemptResult, { adaptive, budget }: RunSettings): boolean {
  return interactions.length > 0 || (adaptive === undefined && budget === undefined);
}
