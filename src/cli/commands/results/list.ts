import { counted } from "../../../base/text.ts";
import { Option, type Command } from "commander";
import { RunState, type Run } from "../../../contract/schemas/run.ts";
import { meanText } from "../../../formats/export/results/report-text.ts";
import { resumeOrCancelHint } from "../../terminal/next-command.ts";
import { wholeNumber } from "../../options/parsers.ts";
import { withSource, type SourceOptions } from "../../options/shared-options.ts";
import { openSource } from "../../sources/open-source.ts";
import { newestRunsOf, whereRunsAre } from "../../sources/run-source.ts";
import { note, outputWidth, printJson, printMessage } from "../../terminal/output.ts";
import { table, widthOf } from "../../terminal/table.ts";
import { lengthWithin, plainLine } from "../../terminal/text.ts";

interface ListOptions extends SourceOptions {
  readonly limit: number;
  readonly state?: RunState;
  readonly name?: string;
  readonly model?: string;
  readonly search?: string;
  readonly json?: boolean;
}

/** `rehearsal runs list` */
export function declare(command: Command): void {
  withSource(command)
    .option("-n, --limit <number>", "number of runs to show", wholeNumber(1), 20)
    .addOption(new Option("--state <state>", "only runs in this state").choices(RunState.options))
    .option("--name <name>", "only runs of this test")
    .option("--model <id>", "only runs of this model")
    .option("--search <text>", "only runs whose test or model name contains this")
    .option("--json", "print the runs as one JSON object")
    .action(listStoredRuns);
}

async function listStoredRuns({ limit, state, name, model, search, json, ...where }: ListOptions): Promise<void> {
  await using source = await openSource(where);
  const runs = await newestRunsOf(source, limit, { state, test_name: name, model_id: model, search });
  if (json) return printJson({ runs });
  const all = [state, name, model, search].every((filter) => filter === undefined);
  if (runs.length === 0) return note(all ? `No runs yet (${whereRunsAre}).` : "No run matches.");
  printMessage(runsText(runs, outputWidth()));
  const interrupted = runs.find((run) => run.interrupted);
  if (interrupted) note(`The run ${interrupted.run_id} was interrupted.\n  ${resumeOrCancelHint(interrupted, where)}`);
}

const columns = [
  { title: "RUN" },
  { title: "STATE" },
  { title: "OVERALL" },
  { title: "TURNS", align: "right" },
  { title: "FAILED", align: "right" },
  { title: "MODEL" },
  { title: "TEST" },
  { title: "CREATED" },
] as const;

/** A table with one line per run. On a narrow terminal each run takes two lines or a paragraph, since a wrapped table is unreadable. */
export function runsText(runs: readonly Run[], width = Infinity): string {
  const rows = runs.map((run) => toRunRow(run, lengthWithin(width, 40)));
  const [, ...heads] = table(columns.slice(0, 3), rows).split("\n");
  const pairs = runs.map((run, index) => `${heads[index]}\n    ${restOf(run, lengthWithin(width, 40))}`).join("\n");
  return fits(table(columns, rows), width) || !fits(pairs, width) ? table(columns, rows, width) : pairs;
}

const fits = (text: string, width: number): boolean => text.split("\n").every((line) => widthOf(line) <= width);

/** A run that spent its budget is not plainly completed. */
function shownState({ state, interrupted, summary }: Run): string {
  if (interrupted) return "interrupted";
  return state === "completed" && summary?.stopped_by === "budget" ? "stopped by budget" : state;
}

const createdAt = ({ created_at }: Run): string => created_at.slice(0, 16).replace("T", " ");

function toRunRow(run: Run, shown: number): string[] {
  const { run_id, summary, progress, model_id, test_name } = run;
  return [
    run_id,
    shownState(run),
    summary ? meanText(summary.score_stats["overall"], summary.average_scores["overall"]) : "–",
    `${progress.interactions_done}/${progress.interactions_total}`,
    String(progress.interactions_failed),
    plainLine(model_id, shown),
    plainLine(test_name, shown),
    createdAt(run),
  ];
}

function restOf(run: Run, shown: number): string {
  const { interactions_done, interactions_total, interactions_failed } = run.progress;
  const done = interactions_done < interactions_total ? `${interactions_done} of ` : "";
  const facts = [
    `${plainLine(run.test_name, shown)} on ${plainLine(run.model_id, shown)}`,
    `${done}${counted(interactions_total, "turn")}`,
    ...(interactions_failed > 0 ? [`${interactions_failed} failed`] : []),
    createdAt(run),
  ];
  return facts.join(", ");
}
