import type { AttemptResult, EvaluationResponse, ScenarioResult } from "../../contract/schemas/evaluation-response.ts";
import { thresholdOf } from "../../contract/schemas/outcome.ts";
import type { Judgement } from "./judgement.ts";

/** What is known of a run when its export begins. */
export type RunHead = Pick<EvaluationResponse, "run_id" | "test_name" | "endpoint" | "model_id" | "state"> &
  Partial<
    Pick<EvaluationResponse, "message" | "summary" | "timing" | "demo" | "usage" | "history" | "system_prompt">
  > & {
    /** Of a run that was judged as a whole, as `rehearsal eval` does. */
    readonly judgements?: readonly Judgement[];
  };

/** What is known of a scenario when its first attempt is read: the same object for all of them. */
export type ScenarioHead = Pick<ScenarioResult, "scenario_id" | "system_prompt"> & { readonly threshold: number };

/** An export that takes a run part by part, so that a large one never stands in memory as a whole. Joined pieces are the file. */
export type ResultExport = ScenarioExport | AttemptExport;

interface ExportEnds {
  start(run: RunHead): string;
  finish(): string;
}

/** Takes scenarios one at a time. */
interface ScenarioExport extends ExportEnds {
  scenario(result: ScenarioResult): string;
  /** Shows only the beginning of a reply, and none of its labels. */
  readonly shortens?: true;
  readonly attempt?: undefined;
}

/** Takes attempts one at a time: those of one scenario may be long, and many. */
export interface AttemptExport extends ExportEnds {
  attempt(scenario: ScenarioHead, attempt: AttemptResult): Iterable<string>;
  /** Where what is written depends on all attempts of a scenario: is shown each of them before the first is written. */
  look?(scenario: ScenarioHead, attempt: AttemptResult): void;
}

/** The whole file at once, for a run that is in memory anyway. */
export function exportResults(create: () => ResultExport, response: EvaluationResponse & RunHead): string {
  const pieces = create();
  const head = pieces.start(response);
  const scenarios = response.results.scenarios.map((result) =>
    pieces.attempt ? [...attemptPieces(pieces, result)].join("") : pieces.scenario(result),
  );
  return head + scenarios.join("") + pieces.finish();
}

function* attemptPieces(writer: AttemptExport, result: ScenarioResult): Generator<string> {
  const head = { ...result, threshold: thresholdOf(result) };
  for (const attempt of result.attempts) writer.look?.(head, attempt);
  for (const attempt of result.attempts) yield* writer.attempt(head, attempt);
}
