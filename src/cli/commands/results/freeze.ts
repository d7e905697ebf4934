import { compact } from "../../../base/compact.ts";
import { Option, type Command } from "commander";
import type { EvaluationResponse } from "../../../contract/schemas/evaluation-response.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { nonEmptyName, wholeNumber } from "../../options/parsers.ts";
import { withForce, withSource, type SourceOptions } from "../../options/shared-options.ts";
import { writableFormats, writeScenarios } from "../../scenarios/write-scenarios.ts";
import { openSource } from "../../sources/open-source.ts";
import { resolveRunId } from "../../sources/run-source.ts";
import { printJson } from "../../terminal/output.ts";

interface FreezeOptions extends SourceOptions {
  readonly scenario?: string;
  readonly attempt: number;
  readonly id?: string;
  readonly to?: string;
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `rehearsal runs freeze` */
export function declare(command: Command): void {
  withSource(command.argument("[run]", "id of the run, part of it, a test's name, or latest", "latest"))
    .option("--scenario <id>", "scenario of the run (default: the only one)", nonEmptyName)
    .option("--attempt <number>", "attempt whose messages are kept", wholeNumber(1), 1)
    .option("--id <id>", "id of the new scenario", nonEmptyName)
    .addOption(
      new Option("--to <format>", "format (default: by the file's extension, else yaml)").choices(writableFormats),
    )
    .option("-o, --output <file>", "file to write (default: stdout)")
    .option("--json", "print the scenario as one JSON object")
    .action(freeze);
  withForce(command);
}

async function freeze(text: string, options: FreezeOptions): Promise<void> {
  const { scenario, attempt, id, to, output, force = false, json, ...where } = options;
  await using source = await openSource(where);
  const runId = await resolveRunId(source, text);
  const scenario_id = scenario ?? onlyScenario(await source.results(runId));
  const request = compact({ scenario_id, attempt, keep: false, id });
  const frozen = await source.freeze(runId, request);
  if (json) return printJson(frozen.scenario);
  const format = to ?? (output === undefined ? "yaml" : undefined);
  await writeScenarios([frozen.scenario], { file: output, format, force });
}

function onlyScenario({ results }: EvaluationResponse): string {
  const [first, second] = results.scenarios;
  if (first && !second) return first.scenario_id;
  const ids = results.scenarios.slice(0, 10).map(({ scenario_id }) => scenario_id);
  throw new CliError(`the run has several scenarios: name one with --scenario (${ids.join(", ")})`);
}
