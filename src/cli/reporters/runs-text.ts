import type { Run } from "../../contract/schemas/run.ts";
import { meanText } from "../../formats/export/results/report-text.ts";
import { counted } from "../terminal/figures.ts";
import { lengthWithin, plainLine } from "../terminal/plain-line.ts";
import { table, widthOf } from "../terminal/table.ts";

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

/** Runs in a table, a line each. On a terminal that is too narrow for it, each has two, or more: a table whose lines are broken cannot be read. */
export function runsText(runs: readonly Run[], width = Infinity): string {
  const rows = runs.map((run) => toRow(run, lengthWithin(width, 40)));
  const [, ...heads] = table(columns.slice(0, 3), rows).split("\n");
  const pairs = runs.map((run, index) => `${heads[index]}\n    ${restOf(run, lengthWithin(width, 40))}`).join("\n");
  return fits(table(columns, rows), width) || !fits(pairs, width) ? table(columns, rows, width) : pairs;
}

const fits = (text: string, width: number): boolean => text.split("\n").every((line) => widthOf(line) <= width);

const stateOf = ({ state, interrupted }: Run): string => (interrupted ? "interrupted" : state);
const createdAt = ({ created_at }: Run): string => created_at.slice(0, 16).replace("T", " ");

function toRow(run: Run, shown: number): string[] {
  const { run_id, summary, progress, model_id, test_name } = run;
  return [
    run_id,
    stateOf(run),
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
