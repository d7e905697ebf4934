import { adjustedInterval, formatPValue, withInterval } from "../../base/numbers.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { RankedRun, RunRanking } from "../../contract/schemas/comparison.ts";
import { scoreTitle } from "../../contract/schemas/scores/score-names.ts";
import { signedText } from "../../base/format.ts";
import { markdownCode, escapeMarkdown, markdownTableRow } from "../../formats/export/results/markdown.ts";
import { scoreText } from "../../formats/export/results/report-text.ts";
import { rankResponses } from "../gates/compare-results.ts";
import { outputWidth, printMessage } from "../terminal/output.ts";
import { lengthWithin, plainLine, spentText } from "../terminal/text.ts";
import { table, type Column } from "../terminal/table.ts";
import type { RunOutcome } from "./reporter.ts";

/** Ranks the runs of one command; null for a single run. */
export async function rankingOf(outcomes: readonly RunOutcome[]): Promise<RunRanking | null> {
  return outcomes.length < 2 ? null : rankResponses(await Promise.all(outcomes.map(({ results }) => results())));
}

/** Prints the ranking after the last of several runs. */
export async function printRanking(outcomes: readonly RunOutcome[]): Promise<void> {
  const ranking = await rankingOf(outcomes);
  if (ranking)
    printMessage(`\n${rankingText(ranking, outputWidth(), testNames(outcomes.map(({ digest }) => digest)))}`);
}

/** The tests of runs that their models cannot tell apart, such as those of several prompts. */
export function testNames(
  responses: readonly Pick<EvaluationResponse, "run_id" | "model_id" | "test_name">[],
): ReadonlyMap<string, string> {
  const models = new Set(responses.map(({ model_id }) => model_id));
  const tests = new Set(responses.map(({ test_name }) => test_name));
  if (models.size === responses.length || tests.size === 1) return new Map();
  return new Map(responses.map(({ run_id, test_name }) => [run_id, test_name]));
}

/** The ranking as text: the verdict, then a table with the best run first. */
export function rankingText(ranking: RunRanking, width = Infinity, tests: TestNames = new Map()): string {
  const { sentence, runs, notes } = ranking;
  const columns = shownColumns(ranking, width, tests);
  const rows = runs.map((run) => columns.map(({ cell }) => cell(run)));
  const evidence = runs.length > 0 ? [table(columns, rows, width)] : [];
  return [
    plainLine(sentence, longestSentence),
    ...evidence,
    ...notes.map((note) => plainLine(note, longestSentence)),
  ].join("\n\n");
}

/** The ranking in Markdown, for a pull request. */
export function rankingMarkdown(ranking: RunRanking, tests: TestNames = new Map()): string {
  const { sentence, runs, notes } = ranking;
  const [, ...columns] = shownColumns(ranking, Infinity, tests);
  const titles = ["model", ...columns.map(({ title }) => escapeMarkdown(title.toLowerCase()))];
  const rows = runs.map((run) => [markdownCode(run.model_id, 40), ...columns.map(({ cell }) => cell(run))]);
  const lines = [titles, titles.map(() => "---"), ...rows].map(markdownTableRow).join("\n");
  return [
    `**${escapeMarkdown(sentence, longestSentence)}**`,
    ...(runs.length > 0 ? [lines] : []),
    ...notes.map((note) => escapeMarkdown(note, longestSentence)),
  ].join("\n\n");
}

const longestSentence = 10_000;

/** The name of a run's test by the id of the run. */
type TestNames = ReadonlyMap<string, string>;

interface RankingColumn extends Column {
  readonly cell: (run: RankedRun) => string;
}

/** Columns with a value in at least one run. */
function shownColumns(
  { score, runs, closeness }: RunRanking,
  width: number,
  tests: TestNames,
): readonly RankingColumn[] {
  const columns: RankingColumn[] = [
    { title: "MODEL", cell: ({ model_id }) => plainLine(model_id, lengthWithin(width, 40)) },
    { title: "TEST", cell: ({ run_id }) => plainLine(tests.get(run_id) ?? "", lengthWithin(width, 40)) },
    {
      title: plainLine(scoreTitle(score).toUpperCase(), lengthWithin(width, 60)),
      cell: (run) => withInterval(scoreText(run.mean), run, scoreText),
    },
    {
      title: "TO THE FIRST",
      cell: ({ to_first }) =>
        to_first ? withInterval(signedText(to_first.effect), adjustedInterval(to_first), signedText) : "",
    },
    { title: "P", align: "right", cell: ({ to_first }) => optional(to_first?.p, formatPValue) },
    { title: "P ADJUSTED", align: "right", cell: ({ to_first }) => optional(to_first?.p_adjusted, formatPValue) },
    { title: "FAILED", align: "right", cell: ({ failed }) => (failed === 0 ? "" : String(failed)) },
    { title: "COST/1000", align: "right", cell: ({ cost_per_1000_turns }) => optional(cost_per_1000_turns, spentText) },
    { title: "P50 MS", align: "right", cell: ({ latency_ms }) => optional(latency_ms, (ms) => String(Math.round(ms))) },
    { title: "PLACE", cell: ({ place }) => rankText(place, closeness === true) },
    { title: "RUN", cell: ({ run_id }) => run_id },
  ];
  return columns.filter(({ cell }) => runs.some((run) => cell(run) !== ""));
}

/** The place in words; a score that only compares replies with references ranks how close they are. */
function rankText(place: RankedRun["place"], closeness: boolean): string {
  return (closeness ? place.replace("best", "closest") : place).replaceAll("_", " ");
}

const optional = (value: number | null | undefined, write: (value: number) => string): string =>
  typeof value === "number" ? write(value) : "";
