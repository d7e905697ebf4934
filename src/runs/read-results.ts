import type { AttemptResult, EvaluationResponse, ScenarioResult } from "../contract/schemas/evaluation-response.ts";
import { firstCharacters } from "../base/text.ts";
import type { InteractionResult } from "../contract/schemas/interaction-result.ts";
import { defaultThreshold } from "../contract/schemas/outcome.ts";
import { scoringVersion } from "../contract/schemas/score.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { RunRecord, Store } from "../contract/ports/store.ts";
import type { RunFigures } from "../evaluation/summary/summarize-run.ts";
import { toAttemptResults, type AttemptResults } from "./attempt-result.ts";
import { mustExist } from "./find-run.ts";
import { figuresOf, toFigured } from "./figure-run.ts";
import { measuresOf } from "./measures-of.ts";
import { isShown, readScenario, shownReference, type ScenarioAbout, type ScenarioReading } from "./scenario-reading.ts";
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

/** Pieces of text are about this long: to hand over each turn by itself would take longer than to write it. */
const pieceLength = 64 * 1024;

/**
 * The evaluation response of a run as pieces of JSON text. One attempt is held in memory at a time, so that a run of a million
 * interactions can be read, and one of long replies. A run that has not ended gives what is stored so far.
 */
export async function* readResults(
  run: RunRecord,
  { store, now, scenarioId }: { store: Store; now: () => number; scenarioId?: string | undefined },
): AsyncGenerator<string> {
  const scenarios = await store.runs.scenarios(run.id);
  const figures = figuresOf(run.settings, scenarios);
  const versions = new Set<string>();
  yield `{"message":${JSON.stringify(toRun(run).message)},"results":{"scenarios":[`;
  const parts = readParts(run, { store, scenarioId, figures, versions, scenarios });
  yield* toPieces(parts, { run, store });
  yield `]},${JSON.stringify(about(run, { now, figures, versions })).slice(1)}`;
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

/**
 * The scenarios of a run with their results, one in memory at a time; `shortened`, of its replies no more than is shown in a report.
 * Fails when the run is deleted before the last one is read.
 */
export async function* readScenarioResults(
  run: RunRecord,
  { shortened = false, ...reading }: Reading & { readonly shortened?: boolean | undefined },
): AsyncGenerator<ScenarioResult> {
  let attempts: AttemptResult[] = [];
  let references: AttemptResult[] = [];
  const keep = shortened ? shorten : (attempt: AttemptResult) => attempt;
  for await (const part of readParts(run, reading)) {
    if (part.results) {
      const { attempt } = part.results;
      const reference = shownReference(part.results);
      if (isShown(attempt, run.settings)) attempts.push(keep(attempt));
      if (reference) references.push(keep(reference));
      continue;
    }
    yield { ...part.about, attempts, ...(references.length > 0 && { reference_attempts: references }) };
    [attempts, references] = [[], []];
  }
}

/** An attempt, and what is known of its scenario: the same object for all attempts at it. */
export interface ReadAttempt {
  readonly scenario: Pick<ScenarioResult, "scenario_id" | "system_prompt"> & { readonly threshold: number };
  readonly attempt: AttemptResult;
}

/**
 * Each attempt with its scenario, one in memory at a time. Where somebody wants to `look` at all attempts of a scenario before its
 * first is given, they are read twice. Fails as `readScenarioResults` does.
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

const headOf = (
  { id, system_prompt }: Scenario,
  { threshold = defaultThreshold }: RunSettings,
): ReadAttempt["scenario"] => ({
  scenario_id: id,
  ...(system_prompt !== undefined && { system_prompt }),
  threshold,
});

/** An attempt as it is read; after the last one of a scenario, what is said of all of them. */
type ReadPart = { readonly scenario: Scenario; readonly index: number } & (
  | { readonly results: AttemptResults }
  | { readonly results?: undefined; readonly about: ScenarioAbout }
);

interface OpenScenario {
  readonly scenario: Scenario;
  readonly index: number;
  readonly reading: ScenarioReading;
}

async function* readParts(
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
  let open: OpenScenario | undefined;
  for await (const attempt of store.attempts.withInteractions(run.id, only)) {
    const scenario = scenarios[attempt.scenario_index];
    if (!scenario) continue;
    if (open?.scenario !== scenario) {
      if (open) yield ended(open);
      open = { scenario, index: attempt.scenario_index, reading: readScenario(scenario, settings) };
    }
    const results = toAttemptResults(attempt, { scenario, settings });
    if (!run.summary) figures?.add(toFigured(scenario, results));
    if (versions) noteVersions(results.attempt, versions);
    open.reading.add(results);
    yield { scenario, index: open.index, results };
  }
  if (open) yield ended(open);
  await mustExist(store, run.id);
}

/** A run that was scored before this process was made has the definitions of its time. A turn that was never scored has none. */
function noteVersions({ interactions }: AttemptResult, versions: Set<string>): void {
  for (const { scores, scoring_version } of interactions) if ("success" in scores) versions.add(scoring_version);
}

/** Scenarios as JSON text, attempt by attempt. */
async function* toPieces(
  parts: AsyncIterable<ReadPart>,
  { run, store }: { run: RunRecord; store: Store },
): AsyncGenerator<string> {
  let text = "";
  let scenarios = 0;
  let attempts: number | null = null;
  let hasReferences = false;
  for await (const part of parts) {
    const { scenario, results } = part;
    if (attempts === null) text += `${scenarios++ > 0 ? "," : ""}${scenarioHead(scenario)},"attempts":[`;
    attempts ??= 0;
    if (results) {
      hasReferences ||= shownReference(results) !== null;
      if (!isShown(results.attempt, run.settings)) continue;
      if (attempts++ > 0) text += ",";
      for (const piece of attemptPieces(results.attempt)) {
        text += piece;
        if (text.length < pieceLength) continue;
        yield text;
        text = "";
      }
      continue;
    }
    const { scenario_id: _, description: __, ...rest } = part.about;
    text += `],${JSON.stringify(rest).slice(1, -1)}`;
    if (hasReferences) {
      yield text;
      text = "";
      yield* referencePieces(run, { store, scenario, index: part.index });
    }
    text += "}";
    attempts = null;
    hasReferences = false;
  }
  yield text;
}

const scenarioHead = ({ id, description }: Scenario): string =>
  JSON.stringify({ scenario_id: id, description }).slice(0, -1);

/** An attempt as JSON text, turn by turn: a long one would otherwise be one long step. */
function* attemptPieces({ attempt, interactions, ...rest }: AttemptResult): Generator<string> {
  let text = `{"attempt":${attempt},"interactions":[`;
  for (const [index, interaction] of interactions.entries()) {
    text += (index > 0 ? "," : "") + JSON.stringify(interaction);
    if (text.length < pieceLength) continue;
    yield text;
    text = "";
  }
  yield `${text}],${JSON.stringify(rest).slice(1)}`;
}

/** They follow all attempts of their scenario, so they are read a second time rather than held until then. */
async function* referencePieces(
  { id, settings }: RunRecord,
  { store, scenario, index }: { store: Store; scenario: Scenario; index: number },
): AsyncGenerator<string> {
  let before = `,"reference_attempts":[`;
  for await (const attempt of store.attempts.withInteractions(id, index)) {
    const reference = shownReference(toAttemptResults(attempt, { scenario, settings }));
    if (!reference) continue;
    yield before;
    before = ",";
    yield* attemptPieces(reference);
  }
  if (before === ",") yield "]";
}

/** Reports show no more of a reply. */
const shownCharacters = 10_000;

function shorten(attempt: AttemptResult): AttemptResult {
  const { replay: _, ...rest } = attempt;
  return { ...rest, interactions: attempt.interactions.map(shortenTurn) };
}

function shortenTurn(turn: InteractionResult): InteractionResult {
  if (turn.agent_reply.length <= shownCharacters) return { ...turn, generated_metadata: {} };
  // A part of a text keeps all of it in memory; a copy does not.
  const agent_reply = JSON.parse(JSON.stringify(firstCharacters(turn.agent_reply, shownCharacters))) as string;
  return { ...turn, agent_reply, generated_metadata: {} };
}

/** All but the scenarios. The figures are those of a run that has not ended. */
function about(
  run: RunRecord,
  { now, figures, versions }: { now: () => number; figures: RunFigures; versions: ReadonlySet<string> },
): Omit<EvaluationResponse, "message" | "results"> {
  const { started_at, finished_at, endpoint } = toRun(run);
  const begin = run.started_at ?? run.created_at;
  const { usage, ...summary } = run.summary ?? figures.finish().summary;
  return {
    run_id: run.id,
    test_name: run.settings.test_name,
    endpoint,
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
    ...(run.settings.adaptive && { adaptive: run.settings.adaptive }),
    history: run.settings.history ?? "generated",
    measures: measuresOf(run.settings),
    ...(run.settings.system_prompt !== undefined && { system_prompt: run.settings.system_prompt }),
    summary,
    usage,
  };
}
