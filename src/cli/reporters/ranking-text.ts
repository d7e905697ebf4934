import { pDigits, withRange } from "../../base/numbers.ts";
import type { RankedRun, RunRanking } from "../../contract/schemas/comparison.ts";
import { signedText } from "../../evaluation/format.ts";
import { code, plain, tableRow } from "../../formats/export/markdown-text.ts";
import { scoreText } from "../../formats/export/score-text.ts";
import { rankResponses } from "../gates/rank-responses.ts";
import { spentText } from "../terminal/figures.ts";
import { outputWidth, tell } from "../terminal/output.ts";
import { lengthWithin, plainLine } from "../terminal/plain-line.ts";
import { table, type Column } from "../terminal/table.ts";
import type { RunOutcome } from "./reporter.ts";

/** The runs of one command beside each other; null where there is nothing to choose from. */
export const rankingOf = (outcomes: readonly RunOutcome[]): RunRanking | null =>
  outcomes.length < 2 ? null : rankResponses(outcomes.map(({ response }) => response));

/** For a person, after the last of several runs. */
export function tellRanking(outcomes: readonly RunOutcome[]): void {
  const ranking = rankingOf(outcomes);
  if (ranking) tell(`\n${rankingText(ranking, outputWidth())}`);
}

/** Several runs, the best first, with what each costs: the verdict in words, then the evidence. */
export function rankingText(ranking: RunRanking, width = Infinity): string {
  const { sentence, runs, notes } = ranking;
  const columns = shownColumns(ranking, width);
  const rows = runs.map((run) => columns.map(({ cell }) => cell(run)));
  const evidence = runs.length > 0 ? [table(columns, rows, width)] : [];
  return [
    plainLine(sentence, longestSentence),
    ...evidence,
    ...notes.map((note) => plainLine(note, longestSentence)),
  ].join("\n\n");
}

/** The same as a Markdown table, for a pull request. */
export function rankingMarkdown(ranking: RunRanking): string {
  const { sentence, runs, notes } = ranking;
  const [, ...columns] = shownColumns(ranking, Infinity);
  const titles = ["model", ...columns.map(({ title }) => plain(title.toLowerCase()))];
  const rows = runs.map((run) => [code(run.model_id, 40), ...columns.map(({ cell }) => cell(run))]);
  const lines = [titles, titles.map(() => "---"), ...rows].map(tableRow).join("\n");
  return [
    `**${plain(sentence, longestSentence)}**`,
    ...(runs.length > 0 ? [lines] : []),
    ...notes.map((note) => plain(note, longestSentence)),
  ].join("\n\n");
}

const longestSentence = 10_000;

interface RankingColumn extends Column {
  readonly cell: (run: RankedRun) => string;
}

/** Those that say something of any run: where nobody knows a price, there is no column for it. */
function shownColumns({ score, runs }: RunRanking, width: number): readonly RankingColumn[] {
  const columns: RankingColumn[] = [
    { title: "MODEL", cell: ({ model_id }) => plainLine(model_id, lengthWithin(width, 40)) },
    {
      title: plainLine(score.toUpperCase(), lengthWithin(width, 60)),
      cell: (run) => withRange(scoreText(run.mean), run, scoreText),
    },
    {
      title: "TO THE FIRST",
      cell: ({ to_first }) => (to_first ? withRange(signedText(to_first.effect), to_first, signedText) : ""),
    },
    { title: "P", align: "right", cell: ({ to_first }) => optional(to_first?.p_adjusted, pDigits) },
    { title: "FAILED", align: "right", cell: ({ failed }) => (failed === 0 ? "" : String(failed)) },
    { title: "COST/1000", align: "right", cell: ({ cost_per_1000_turns }) => optional(cost_per_1000_turns, spentText) },
    { title: "P50 MS", align: "right", cell: ({ latency_ms }) => optional(latency_ms, (ms) => String(Math.round(ms))) },
    { title: "PLACE", cell: ({ place }) => place.replaceAll("_", " ") },
    { title: "RUN", cell: ({ run_id }) => run_id },
  ];
  return columns.filter(({ cell }) => runs.some((run) => cell(run) !== ""));
}

const optional = (value: number | null | undefined, write: (value: number) => string): string =>
  typeof value === "number" ? write(value) : "";
