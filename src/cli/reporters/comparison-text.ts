import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { pDigits } from "../../base/numbers.ts";
import type { ScoreComparison } from "../../evaluation/comparison/compare-score.ts";
import { signedText } from "../../evaluation/format.ts";
import { code, plain, tableRow } from "../../formats/export/markdown-text.ts";
import { scoreText } from "../../formats/export/score-text.ts";
import { pairScenarios, type NotedComparison } from "../gates/check-baseline.ts";
import { leftOut } from "../gates/left-out.ts";
import { lengthWithin, plainLine } from "../terminal/plain-line.ts";
import { table } from "../terminal/table.ts";
import { changedSettings, settingLines } from "./changed-settings.ts";

interface ComparedRuns {
  readonly baseline: EvaluationResponse;
  readonly candidate: EvaluationResponse;
  readonly comparison: NotedComparison;
}

const titles = ["SCORE", "BASELINE", "CANDIDATE", "CHANGE", "95 %", "P", "VERDICT"];

/** Two runs side by side, the verdict in words first. */
export function comparisonText({ baseline, candidate, comparison }: ComparedRuns, width = Infinity): string {
  const heads = [runLine("baseline ", baseline, width), runLine("candidate", candidate, width)].join("\n");
  if (!comparison.comparable) return `${heads}\n\nCannot be compared. ${comparison.reason}`;
  const rows = comparison.scores.map((score) => cells(score, plainLine(score.name, lengthWithin(width, 60))));
  return [
    heads,
    plainLine(comparison.sentence, longestSentence),
    ...changedBetween({ baseline, candidate }),
    table(
      titles.map((title) => ({ title })),
      rows,
      width,
    ),
    ...(comparison.scores.some(({ name }) => name === "overall") ? changed({ baseline, candidate }, width) : []),
    ...leftOut(comparison.unpaired),
    ...comparison.notes.map((note) => plainLine(note, longestSentence)),
  ].join("\n\n");
}

/** The same as a Markdown table, for a pull request. */
export function comparisonMarkdown({ baseline, candidate, comparison }: ComparedRuns): string {
  const heads = `Baseline \`${baseline.run_id}\`, candidate \`${candidate.run_id}\``;
  if (!comparison.comparable) return `${heads}\n\nCannot be compared. ${comparison.reason}`;
  const head = [titles.map((title) => title.toLowerCase()), titles.map(() => "---")];
  const rows = [...head, ...comparison.scores.map((score) => cells(score, plain(score.name)))].map(tableRow).join("\n");
  const settings = changedBetween({ baseline, candidate }, (line) => code(line, 400));
  return [
    `**${plain(comparison.sentence, longestSentence)}**`,
    heads,
    ...settings,
    rows,
    ...leftOut(comparison.unpaired),
    ...comparison.notes.map((note) => plain(note, longestSentence)),
  ].join("\n\n");
}

function changedBetween(
  { baseline, candidate }: Pick<ComparedRuns, "baseline" | "candidate">,
  shown: (line: string) => string = String,
): string[] {
  const lines = settingLines(changedSettings(baseline, candidate));
  return lines.length === 0 ? [] : [`What was changed:\n\n${lines.map((line) => `- ${shown(line)}`).join("\n")}`];
}

function runLine(role: string, { run_id, test_name, model_id }: EvaluationResponse, width: number): string {
  const shown = lengthWithin(width, 60);
  return `${role}  ${run_id}  ${plainLine(test_name, shown)} on ${plainLine(model_id, shown)}`;
}

/** Labels give scores their names, so the name is shown as what somebody else wrote. */
function cells(
  { baseline, candidate, effect, ci_lower, ci_upper, p_adjusted, verdict }: ScoreComparison,
  name: string,
): string[] {
  return [
    name,
    scoreText(baseline),
    scoreText(candidate),
    signedText(effect),
    ci_lower === null || ci_upper === null ? "–" : `${signedText(ci_lower)} … ${signedText(ci_upper)}`,
    p_adjusted === null ? "–" : pDigits(p_adjusted),
    verdict.replaceAll("_", " "),
  ];
}

const longestSentence = 10_000;

const shownScenarios = 5;

/** Differences below this are rounding. */
const rounding = 1e-9;

/** The scenarios that lost most, by the turns that are compared, so that the reader knows where to look. */
function changed(runs: Pick<ComparedRuns, "baseline" | "candidate">, width: number): string[] {
  const losses = pairScenarios(runs.baseline, runs.candidate, "overall")
    .map(({ scenario_id, baseline: old, candidate: now }) => ({ id: scenario_id, old, now, change: now - old }))
    .filter(({ change }) => change < -rounding)
    .toSorted((left, right) => left.change - right.change)
    .slice(0, shownScenarios);
  if (losses.length === 0) return [];
  const rows = losses.map(({ id, old, now, change }) => [
    `  ${plainLine(id, lengthWithin(width, 60))}`,
    `${scoreText(old)} → ${scoreText(now)}`,
    signedText(change),
  ]);
  return [`Worse by most:\n${table([{ title: "" }, { title: "" }, { title: "" }], rows, width)}`];
}
