import { interactionRows } from "./interaction-rows.ts";
import { jsonLines } from "./json-lines.ts";
import type { ResultExport, RunHead } from "./result-export.ts";

/**
 * One interaction per line: run, scenario and attempt beside everything the interaction result holds, and with the last of an
 * attempt what was said of its whole conversation.
 */
export function createResultLines(): ResultExport {
  let run: Pick<RunHead, "run_id" | "model_id"> = { run_id: "", model_id: "" };
  const attempt: ResultExport["attempt"] & {} = (scenario_id, result) =>
    jsonLines(
      interactionRows(scenario_id, result).map(({ interaction: { id, ...rest }, conversation }) => ({
        run_id: run.run_id,
        model_id: run.model_id,
        scenario_id,
        attempt: result.attempt,
        interaction_id: id,
        ...rest,
        ...(conversation && { conversation }),
      })),
    );
  return {
    start: ({ run_id, model_id }) => {
      run = { run_id, model_id };
      return "";
    },
    attempt,
    scenario: ({ scenario_id, attempts }) => attempts.map((result) => attempt(scenario_id, result)).join(""),
    finish: () => "",
  };
}
