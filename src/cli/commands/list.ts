import { Option, type Command } from "commander";
import { RunState } from "../../contract/schemas/run.ts";
import { wholeNumber, withSource, type SourceOptions } from "../options.ts";
import { runsText } from "../reporters/runs-text.ts";
import { whereRunsAre } from "../sources/find-run.ts";
import { newestRuns } from "../sources/newest-runs.ts";
import { openSource } from "../sources/open-source.ts";
import { waysOn } from "../ways-on.ts";
import { note, outputWidth, printJson, tell } from "../terminal/output.ts";

interface ListOptions extends SourceOptions {
  readonly limit: number;
  readonly state?: RunState;
  readonly name?: string;
  readonly model?: string;
  readonly search?: string;
  readonly json?: boolean;
}

/** `rehearsal list` */
export function declare(command: Command): void {
  withSource(command)
    .option("-n, --limit <number>", "how many to show", wholeNumber(1), 20)
    .addOption(new Option("--state <state>", "only runs in this state").choices(RunState.options))
    .option("--name <name>", "only runs of this test")
    .option("--model <id>", "only runs of this model")
    .option("--search <text>", "only runs with this in the name of their test or model")
    .option("--json", "print the runs as one JSON object")
    .action(list);
}

async function list({ limit, state, name, model, search, json, ...where }: ListOptions): Promise<void> {
  await using source = await openSource(where);
  const runs = await newestRuns(source, limit, { state, test_name: name, model_id: model, search });
  if (json) return printJson({ runs });
  const all = [state, name, model, search].every((filter) => filter === undefined);
  if (runs.length === 0) return note(all ? `No runs yet (${whereRunsAre}).` : "No run is like that.");
  tell(runsText(runs, outputWidth()));
  const [interrupted] = runs.filter((run) => run.interrupted);
  if (interrupted) {
    note(
      "The command that carried an interrupted run out has ended, and nobody else can: " + waysOn(interrupted, where),
    );
  }
}
