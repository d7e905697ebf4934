import { signedText } from "../../base/format.ts";
import { formatPValue, withInterval } from "../../base/numbers.ts";
import type { Experiment, ExperimentCell, ExperimentVariant } from "../../contract/schemas/experiment.ts";
import { escapeMarkdown, markdownCode, markdownTableRow } from "../../formats/export/results/markdown.ts";
import { scoreText } from "../../formats/export/results/report-text.ts";
import { outputWidth, printMessage } from "../terminal/output.ts";
import { plainLine, spentText } from "../terminal/text.ts";
import { table, type Column } from "../terminal/table.ts";

const longestSentence = 10_000;
/** Rows of scenarios that a terminal and a comment show; the page and JSON have all. */
const shownRows = 20;
/** Scenarios whose replies are shown side by side. */
const shownReplies = 3;
const replyCharacters = 300;

export function printExperiment(experiment: Experiment): void {
  printMessage(`\n${experimentText(experiment, outputWidth())}`);
}

/** The variants side by side: the verdict, the ranking, the effects of a grid, and the scenarios that tell them apart. */
export function experimentText(experiment: Experiment, width = Infinity): string {
  const { sentence, variants, effects, pairs = [], rows, scenarios } = experiment;
  const line = (text: string): string => plainLine(text, longestSentence);
  const columns = variantColumns(experiment);
  const shown = tellingRows(experiment);
  const cells: Column[] = [{ title: "SCENARIO" }, ...variants.map(({ name }) => ({ title: plainLine(name, 24) }))];
  const body = shown.map((row) => [plainLine(row.scenario_id, 40), ...row.cells.map(cellText)]);
  const parts = [
    line(sentence),
    table(
      columns,
      ranked(experiment).map((variant) => columns.map(({ cell }) => cell(variant))),
      width,
    ),
    pairs.length > 1 ? pairs.map((pair) => line(pair.sentence)).join("\n") : "",
    effects.map((effect) => line(effect.sentence)).join("\n"),
    shown.length > 0 ? table(cells, body, width) : "",
    omittedText(shown.length, scenarios),
    ...shown
      .slice(0, shownReplies)
      .map((row) =>
        [
          line(`${row.scenario_id}: ${row.message}`),
          ...row.cells.map((cell, index) => `  ${plainLine(variants[index]?.name ?? "", 40)}: ${replyText(cell)}`),
        ].join("\n"),
      ),
    reusedText(experiment),
    `The whole table: rehearsal experiment ${experiment.experiment_id}${rows.length > shown.length ? " --json" : ""}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The same in Markdown, for a pull request. */
export function experimentMarkdown(experiment: Experiment): string {
  const { sentence, variants, effects, pairs = [], scenarios } = experiment;
  const escape = (text: string): string => escapeMarkdown(text, longestSentence);
  const columns = variantColumns(experiment);
  const rows = ranked(experiment).map((variant) =>
    columns.map(({ cell, isName }) => (isName ? markdownCode(variant.name, 80) : escape(cell(variant)))),
  );
  const shown = tellingRows(experiment);
  const header = ["scenario", ...variants.map(({ name }) => escapeMarkdown(name, 40))];
  const body = shown.map((row) => [
    markdownCode(row.scenario_id, 60),
    ...row.cells.map((cell) => escape(cellText(cell))),
  ]);
  const replies = shown
    .slice(0, shownReplies)
    .map((row) => [
      markdownCode(row.scenario_id, 60),
      ...row.cells.map((cell) => markdownCode(replyText(cell) || " ", replyCharacters)),
    ]);
  const list = (sentences: readonly string[]): string => sentences.map((text) => `- ${escape(text)}`).join("\n");
  const parts = [
    `**${escape(sentence)}**`,
    markdownTable(
      columns.map(({ title }) => title.toLowerCase()),
      rows,
    ),
    pairs.length > 1 ? list(pairs.map((pair) => pair.sentence)) : "",
    list(effects.map((effect) => effect.sentence)),
    body.length > 0 ? markdownTable(header, body) : "",
    omittedText(shown.length, scenarios),
    replies.length > 0 ? markdownTable(["reply in", ...header.slice(1)], replies) : "",
    escape(reusedText(experiment)),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

const markdownTable = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [titles, titles.map(() => "---"), ...rows].map((row) => markdownTableRow([...row])).join("\n");

interface VariantColumn extends Column {
  readonly isName?: boolean;
  readonly cell: (variant: ExperimentVariant) => string;
}

/** Columns with a value for at least one variant. */
function variantColumns({ score, variants, ranking }: Experiment): readonly VariantColumn[] {
  const placed = new Map(ranking?.runs.map((run) => [run.run_id, run]));
  const columns: VariantColumn[] = [
    { title: "VARIANT", isName: true, cell: ({ name }) => plainLine(name, 80) },
    {
      title: plainLine(score.toUpperCase(), 40),
      cell: ({ run_id, mean }) => {
        const run = placed.get(run_id);
        return run ? withInterval(scoreText(run.mean), run, scoreText) : mean === null ? "" : scoreText(mean);
      },
    },
    {
      title: "TO THE FIRST",
      cell: ({ run_id }) => {
        const first = placed.get(run_id)?.to_first;
        if (!first) return "";
        const { ci_lower_adjusted: ci_lower = first.ci_lower, ci_upper_adjusted: ci_upper = first.ci_upper } = first;
        return withInterval(signedText(first.effect), { ci_lower, ci_upper }, signedText);
      },
    },
    {
      title: "P (HOLM)",
      align: "right",
      cell: ({ run_id }) => {
        const p = placed.get(run_id)?.to_first?.p_adjusted;
        return typeof p === "number" ? formatPValue(p) : "";
      },
    },
    { title: "PASSING", align: "right", cell: ({ passing }) => (passing === null ? "" : String(passing)) },
    { title: "COST", align: "right", cell: ({ cost }) => (cost === null || cost === 0 ? "" : spentText(cost)) },
    {
      title: "COST/SOLVED",
      align: "right",
      cell: ({ cost_per_solved: cost }) => (cost === null || cost === 0 ? "" : spentText(cost)),
    },
    { title: "REPLIES", align: "right", cell: ({ replies }) => String(replies) },
    { title: "REUSED", align: "right", cell: ({ reused }) => (reused === 0 ? "" : String(reused)) },
    { title: "STATE", cell: ({ state, dropped }) => (dropped ? "dropped" : state === "completed" ? "" : state) },
    { title: "RUN", cell: ({ run_id }) => run_id },
  ];
  return columns.filter(({ cell }) => variants.some((variant) => cell(variant) !== ""));
}

/** Best first, where the variants are ranked. */
function ranked({ variants, ranking }: Experiment): readonly ExperimentVariant[] {
  const place = new Map(ranking?.runs.map(({ run_id }, index) => [run_id, index]));
  return variants.toSorted((left, right) => (place.get(left.run_id) ?? 0) - (place.get(right.run_id) ?? 0));
}

/** The scenarios in which the variants differ. */
const tellingRows = ({ rows }: Experiment): Experiment["rows"] =>
  rows.filter(({ spread }) => spread !== null && spread > 0).slice(0, shownRows);

function cellText(cell: ExperimentCell | null): string {
  if (!cell) return "-";
  const score = cell.score === null ? "no score" : scoreText(cell.score);
  return cell.attempts > 1 ? `${score} (${cell.passed}/${cell.attempts})` : score;
}

const replyText = (cell: ExperimentCell | null): string => plainLine(cell?.reply ?? "", replyCharacters);

function omittedText(shown: number, all: number): string {
  if (shown === 0) return `The variants have equal scores in all ${all} scenarios.`;
  return `Shown: the ${shown} of ${all} scenarios that tell the variants apart most.`;
}

function reusedText({ variants }: Experiment): string {
  const reused = variants.reduce((sum, variant) => sum + variant.reused, 0);
  if (reused === 0) return "";
  const all = variants.reduce((sum, { replies }) => sum + replies, 0);
  const oldest = variants.flatMap(({ oldest_reused }) => oldest_reused ?? []).toSorted()[0] ?? "";
  return `Reused: ${reused} of ${all} replies are from earlier runs, the oldest from ${oldest.slice(0, 16).replace("T", " ")} UTC (--fresh asks again).`;
}
