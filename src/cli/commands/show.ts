import type { Command } from "commander";
import type { EvaluationResponse, ScenarioResult } from "../../contract/schemas/evaluation-response.ts";
import { CliError } from "../cli-error.ts";
import { withSource, type SourceOptions } from "../options.ts";
import { summaryText } from "../reporters/summary-text.ts";
import { transcriptText } from "../reporters/transcript-text.ts";
import { openSource } from "../sources/open-source.ts";
import { readResults } from "../sources/read-results.ts";
import { outputWidth, printJson, tell } from "../terminal/output.ts";
import { styleFor } from "../terminal/style.ts";

interface ShowOptions extends SourceOptions {
  readonly scenario?: string;
  readonly json?: boolean;
}

/** `rehearsal show` */
export function declare(command: Command): void {
  withSource(command.argument("[run]", "id of the run, part of it, a test's name, latest, or a results file", "latest"))
    .option("--scenario <id>", "show every turn of this scenario")
    .option("--json", "print the results as one JSON object")
    .action(show);
}

async function show(text: string, { scenario, json, ...where }: ShowOptions): Promise<void> {
  await using source = await openSource(where);
  const response = await readResults(source, text);
  const style = styleFor(process.stdout);
  if (scenario !== undefined) {
    const result = scenarioOf(response, scenario);
    if (json) printJson(result);
    else tell(transcriptText(result, style, outputWidth()));
  } else if (json) printJson(response);
  else tell(summaryText({ response, gates: [], comparison: null, problems: [], exitCode: 0 }, style, outputWidth()));
}

function scenarioOf({ results, run_id }: EvaluationResponse, id: string): ScenarioResult {
  const found = results.scenarios.find(({ scenario_id }) => scenario_id === id);
  if (found) return found;
  const known = results.scenarios.slice(0, 20).map(({ scenario_id }) => scenario_id);
  throw new CliError(`the run ${run_id} has no scenario "${id}"; it has ${known.join(", ")}`);
}
