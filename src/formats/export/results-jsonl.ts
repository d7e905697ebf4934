import { interactionRows } from "./interaction-rows.ts";
import { jsonLines } from "./json-lines.ts";
import type { AttemptExport, RunHead } from "./result-export.ts";

/**
 * One interaction per line: run, scenario and attempt beside everything the interaction result holds, and with the last of an
 * attempt what was said of its whole conversation.
 */
export function createResultLines(): AttemptExport {
  let run: Pick<RunHead, "run_id" | "model_id"> = { run_id: "", model_id: "" };
  const attempt: AttemptExport["attempt"] = ({ scenario_id }, result) => [
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
    ),
  ];
  return {
    start: ({ run_id, model_id }) => {
      run = { run_id, model_id };
      return "";
    },
    attempt,
    finish: () => "",
  };
}
