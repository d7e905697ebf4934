import type { Command } from "commander";
import type { AttemptResult, EvaluationResponse, ScenarioResult } from "../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import { meanText, scoreText } from "../../formats/export/results/report-text.ts";
import { agreementText, correlateResponse, readVerdicts } from "../sources/verdicts.ts";
import { CliError } from "../cli-error.ts";
import { withSource, type SourceOptions } from "../options.ts";
import { summaryText } from "../reporters/summary-text.ts";
import { openSource } from "../sources/open-source.ts";
import { loadResults } from "../sources/read-results.ts";
import { outputWidth, printJson, printMessage, styleFor, type Style } from "../terminal/output.ts";
import { lengthWithin, plainLine } from "../terminal/text.ts";

interface ShowOptions extends SourceOptions {
  readonly scenario?: string;
  readonly verdicts?: string;
  readonly json?: boolean;
}

/** `rehearsal show` */
export function declare(command: Command): void {
  withSource(command.argument("[run]", "id of the run, part of it, a test's name, latest, or a results file", "latest"))
    .option("--scenario <id>", "show every turn of this scenario")
    .option("--verdicts <file>", "correlate every score with people's verdicts (JSON or JSONL)")
    .option("--json", "print the results as one JSON object")
    .action(show);
}

async function show(text: string, { scenario, verdicts, json, ...where }: ShowOptions): Promise<void> {
  await using source = await openSource(where);
  const response = await loadResults(source, text);
  const style = styleFor(process.stdout);
  if (verdicts !== undefined) {
    const agreement = correlateResponse(response, await readVerdicts(verdicts));
    if (json) printJson(agreement);
    else printMessage(agreementText(agreement));
    return;
  }
  if (scenario !== undefined) {
    const result = scenarioOf(response, scenario);
    if (json) printJson(result);
    else printMessage(transcriptText(result, style, outputWidth()));
  } else if (json) printJson(response);
  else
    printMessage(
      summaryText({ response, gates: [], comparison: null, problems: [], exitCode: 0 }, style, outputWidth()),
    );
}

function scenarioOf({ results, run_id }: EvaluationResponse, id: string): ScenarioResult {
  const found = results.scenarios.find(({ scenario_id }) => scenario_id === id);
  if (found) return found;
  const known = results.scenarios.slice(0, 20).map(({ scenario_id }) => scenario_id);
  throw new CliError(`the run ${run_id} has no scenario "${id}"; it has ${known.join(", ")}`);
}

/** Every turn of a scenario's attempts, with the reference above the reply. */
function transcriptText(result: ScenarioResult, style: Style, width = Infinity): string {
  const { scenario_id, description, attempts, score_stats, average_scores } = result;
  const overall = meanText(score_stats["overall"], average_scores["overall"]);
  const title = `${style("bold", plainLine(scenario_id, lengthWithin(width, 200)))}  overall ${overall}`;
  const about = description === "" ? [] : [plainLine(description, lengthWithin(width, 500))];
  return [title, ...about, ...attempts.map((attempt) => attemptText(attempt, style, width))].join("\n");
}

function attemptText({ attempt, interactions, average_scores }: AttemptResult, style: Style, width: number): string {
  const head = style("bold", `\nattempt ${attempt}  overall ${scoreText(average_scores["overall"])}`);
  return [head, ...interactions.map((turn) => turnText(turn, style, width))].join("\n");
}

function turnText(turn: InteractionResult, style: Style, width: number): string {
  const shown = lengthWithin(width, 2000);
  const scores = Object.entries(turn.scores).map(
    ([name, value]) => `${plainLine(name, lengthWithin(width, 60))} ${scoreText(value)}`,
  );
  const reply = turn.error
    ? style(
        "red",
        `${turn.agent_reply} (${turn.error.code}: ${plainLine(turn.error.detail, lengthWithin(width, 200))})`,
      )
    : turn.agent_reply;
  return [
    `  user       ${plainLine(turn.user_message, shown)}`,
    ...(turn.reference_reply === "" ? [] : [style("dim", `  reference  ${plainLine(turn.reference_reply, shown)}`)]),
    `  reply      ${turn.error ? reply : plainLine(reply, shown)}`,
    style("dim", `             ${scores.join("  ")}`),
  ].join("\n");
}
