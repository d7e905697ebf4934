import type {
  AttemptResult,
  EvaluationResponse,
  ScenarioResult,
} from "../../../contract/schemas/evaluation-response.ts";

/** The outcome of one requirement on the whole run: a gate, a baseline, a budget, a reachable target. */
export interface RunJudgement {
  readonly name: string;
  /** `told` is information only. `undecided` does not fail, but is no pass either. */
  readonly outcome: "passed" | "failed" | "error" | "undecided" | "told";
  readonly message: string;
}

/** The facts about a run that are known when its export starts. */
export type RunHead = Pick<EvaluationResponse, "run_id" | "test_name" | "endpoint" | "model_id" | "state"> &
  Partial<
    Pick<EvaluationResponse, "message" | "summary" | "timing" | "demo" | "usage" | "history" | "system_prompt">
  > & {
    /** Set if the whole run was judged, as `rehearsal eval` does. */
    readonly judgements?: readonly RunJudgement[];
  };

/** The facts about a scenario that are known before its first attempt. All attempts of a scenario get the same object. */
export type ScenarioHead = Pick<ScenarioResult, "scenario_id" | "system_prompt"> & {
  readonly threshold: number | undefined;
};

/** Writes a run piece by piece, so that a large run is never in memory as a whole. The joined pieces are the file. */
export type ResultExport = ScenarioExport | AttemptExport;

interface ExportEnds {
  start(run: RunHead): string;
  /** The end, in pieces where it may be long. */
  finish(): Iterable<string>;
}

interface ScenarioExport extends ExportEnds {
  scenario(result: ScenarioResult): string;
  /** Writes only the beginning of each reply, and no labels. */
  readonly shortens?: true;
  readonly attempt?: undefined;
}

/** Takes single attempts, because those of one scenario may be many and long. */
export interface AttemptExport extends ExportEnds {
  attempt(scenario: ScenarioHead, attempt: AttemptResult): Iterable<string>;
  /** Called with every attempt of a scenario before the first `attempt`, for output that depends on all of them. */
  look?(scenario: ScenarioHead, attempt: AttemptResult): void;
}

/** The whole file at once, for a run that is already in memory. */
export function exportResults(create: () => ResultExport, response: EvaluationResponse & RunHead): string {
  const pieces = create();
  const head = pieces.start(response);
  const scenarios = response.results.scenarios.map((result) =>
    pieces.attempt ? [...attemptPieces(pieces, result)].join("") : pieces.scenario(result),
  );
  return head + scenarios.join("") + [...pieces.finish()].join("");
}

function* attemptPieces(writer: AttemptExport, result: ScenarioResult): Generator<string> {
  const head = { ...result, threshold: result.threshold };
  for (const attempt of result.attempts) writer.look?.(head, attempt);
  for (const attempt of result.attempts) yield* writer.attempt(head, attempt);
}
