import { formatPValue } from "../../base/numbers.ts";
import type { SettingChange } from "../../contract/schemas/comparison.ts";
import type { EvaluationResponse, ScenarioResult } from "../../contract/schemas/evaluation-response.ts";
import { scoreTitle } from "../../contract/schemas/scores/score-names.ts";
import type { ScoreComparison } from "../../evaluation/comparison/compare-score.ts";
import { signedText } from "../../base/format.ts";
import { failureOf } from "../../formats/export/results/failure.ts";
import { isFailing, verdictOf } from "../../formats/export/results/verdict.ts";
import { markdownCode, escapeMarkdown, markdownTableRow } from "../../formats/export/results/markdown.ts";
import { unauditedMark } from "../../contract/schemas/judging/unaudited.ts";
import { scoreText, unauditedScores } from "../../formats/export/results/report-text.ts";
import { settingChanges, type SettingsSide } from "../../runs/compare/setting-changes.ts";
import { pairScenarios, unpairedNote, type NotedComparison } from "../gates/compare-results.ts";
import { correctedComparison } from "./corrections-text.ts";
import { table } from "../terminal/table.ts";
import { lengthWithin, plainLine } from "../terminal/text.ts";

interface RunsInText {
  readonly baseline: EvaluationResponse;
  readonly candidate: EvaluationResponse;
  readonly comparison: NotedComparison;
}

const titles = ["SCORE", "BASELINE", "CANDIDATE", "CHANGE", "95 % ADJUSTED", "P", "P ADJUSTED", "VERDICT"];

/** A comparison as text, the verdict first. */
export function comparisonText({ baseline, candidate, comparison }: RunsInText, width = Infinity): string {
  const heads = [runLine("baseline ", baseline, width), runLine("candidate", candidate, width)].join("\n");
  if (!comparison.comparable) return `${heads}\n\nCannot be compared. ${comparison.reason}`;
  const unaudited = unauditedIn(baseline, candidate);
  const rows = comparison.scores.map((score) =>
    cells(score, marked(plainLine(scoreTitle(score.name), lengthWithin(width, 60)), unaudited.has(score.name))),
  );
  return [
    heads,
    plainLine(comparison.sentence, longestSentence),
    ...notWorseParagraphs(comparison.not_worse).map((text) =>
      text
        .split("\n")
        .map((line) => line.replace(/\S.*/, (shown) => plainLine(shown, longestSentence)))
        .join("\n"),
    ),
    ...settingsParagraph({ baseline, candidate }),
    table(
      titles.map((title) => ({ title })),
      rows,
      width,
    ),
    ...correctedParagraph(comparison, plainLine),
    ...(comparison.scores.some(({ name }) => name === "overall") ? largestDrops({ baseline, candidate }, width) : []),
    ...unpairedNote(comparison.unpaired),
    ...comparison.notes.map((note) => plainLine(note, longestSentence)),
  ].join("\n\n");
}

/** A comparison in Markdown, for a pull request. */
export function comparisonMarkdown({ baseline, candidate, comparison }: RunsInText): string {
  const heads = `Baseline ${runMarkdown(baseline)}, candidate ${runMarkdown(candidate)}`;
  if (!comparison.comparable) return `${heads}\n\nCannot be compared. ${comparison.reason}`;
  const head = [titles.map((title) => title.toLowerCase()), titles.map(() => "---")];
  const unaudited = unauditedIn(baseline, candidate);
  const scores = comparison.scores.map((score) =>
    cells(score, marked(escapeMarkdown(scoreTitle(score.name)), unaudited.has(score.name))),
  );
  const rows = [...head, ...scores].map(markdownTableRow).join("\n");
  const settings = settingsParagraph({ baseline, candidate }, (line) => markdownCode(line, 400));
  return [
    `**${escapeMarkdown(comparison.sentence, longestSentence)}**`,
    ...notWorseParagraphs(comparison.not_worse).map((text) =>
      text
        .split("\n")
        .map((line) =>
          line.startsWith("  ") ? markdownCode(line.trim(), 1_000) : escapeMarkdown(line, longestSentence),
        )
        .join("\n\n"),
    ),
    heads,
    ...settings,
    rows,
    ...correctedParagraph(comparison, escapeMarkdown),
    ...unpairedNote(comparison.unpaired),
    ...comparison.notes.map((note) => escapeMarkdown(note, longestSentence)),
  ].join("\n\n");
}

function correctedParagraph(comparison: NotedComparison, shown: (text: string, length: number) => string): string[] {
  const lines = correctedComparison(comparison);
  if (lines.length === 0) return [];
  return [`Corrected by people:\n\n${lines.map((line) => `- ${shown(line, longestSentence)}`).join("\n")}`];
}

const verdictTitles = { not_worse: "NOT WORSE", worse: "WORSE", undecided: "UNDECIDED" } as const;

/** The answer to "not worse by the margin?": one line for each measure, and what would decide it. */
function notWorseParagraphs(found: NotedComparison["not_worse"]): string[] {
  if (!found) return [];
  const { verdict, sentence, measures, next } = found;
  const lines = measures.length > 1 ? [sentence, ...measures.map((measure) => `- ${measure.sentence}`)] : [sentence];
  return [`${verdictTitles[verdict]}. ${[...new Set(lines)].join("\n")}`, ...(next ? [next] : [])];
}

/** The settings that differ between two runs. Settings an older results file lacks count as equal. */
export function changedSettings(baseline: EvaluationResponse, candidate: EvaluationResponse): SettingChange[] {
  return settingChanges(askedWith(baseline, candidate), askedWith(candidate, baseline));
}

function settingsParagraph(
  { baseline, candidate }: Pick<RunsInText, "baseline" | "candidate">,
  shown: (line: string) => string = String,
): string[] {
  const lines = settingLines(changedSettings(baseline, candidate));
  return lines.length === 0 ? [] : [`Changed settings:\n\n${lines.map((line) => `- ${shown(line)}`).join("\n")}`];
}

const runMarkdown = ({ run_id, model_id }: EvaluationResponse): string =>
  `${markdownCode(run_id)} (${markdownCode(model_id)})`;

const unauditedIn = (baseline: EvaluationResponse, candidate: EvaluationResponse): ReadonlySet<string> =>
  unauditedScores([...baseline.results.scenarios, ...candidate.results.scenarios]);

const marked = (name: string, unaudited: boolean): string => (unaudited ? `${name} (${unauditedMark})` : name);

function runLine(role: string, { run_id, test_name, model_id }: EvaluationResponse, width: number): string {
  const shown = lengthWithin(width, 60);
  return `${role}  ${run_id}  ${plainLine(test_name, shown)} on ${plainLine(model_id, shown)}`;
}

/** `name` is already escaped: labels, which are untrusted text, give scores their names. */
function cells(
  {
    baseline,
    candidate,
    effect,
    ci_lower_adjusted: lower,
    ci_upper_adjusted: upper,
    p,
    p_adjusted,
    verdict,
  }: ScoreComparison,
  name: string,
): string[] {
  return [
    name,
    scoreText(baseline),
    scoreText(candidate),
    signedText(effect),
    lower === null || upper === null ? "–" : `${signedText(lower)} … ${signedText(upper)}`,
    p === null ? "–" : formatPValue(p),
    p_adjusted === null ? "–" : formatPValue(p_adjusted),
    verdict.replaceAll("_", " "),
  ];
}

const longestSentence = 10_000;

const shownScenarios = 5;

/** Smaller differences are rounding errors. */
const rounding = 1e-9;

/** The scenarios with the largest drops, over the compared turns. */
function largestDrops(runs: Pick<RunsInText, "baseline" | "candidate">, width: number): string[] {
  const losses = pairScenarios(runs.baseline, runs.candidate, "overall")
    .map(({ scenario_id, baseline: old, candidate: now }) => ({ id: scenario_id, old, now, change: now - old }))
    .filter(({ change }) => change < -rounding)
    .toSorted((left, right) => left.change - right.change)
    .slice(0, shownScenarios);
  if (losses.length === 0) return [];
  const causes = new Map(
    runs.candidate.results.scenarios.map((result) => [result.scenario_id, () => firstCause(result)]),
  );
  const rows = losses.map(({ id, old, now, change }) => [
    `  ${plainLine(id, lengthWithin(width, 60))}`,
    `${scoreText(old)} → ${scoreText(now)}`,
    signedText(change),
    plainLine(causes.get(id)?.() ?? "", lengthWithin(width, 200)),
  ]);
  const columns = Array.from({ length: 4 }, () => ({ title: "" }));
  return [`Largest drops:\n${table(columns, rows, width)}`];
}

/** The first cause of a scenario that does not pass, such as a wrong call. The score itself is no cause. */
function firstCause(result: ScenarioResult): string {
  const verdict = verdictOf(result);
  return isFailing(verdict) ? (failureOf(result, verdict.threshold)?.causes[0] ?? "") : "";
}

function askedWith(of: EvaluationResponse, other: EvaluationResponse): SettingsSide {
  const { model_id, endpoint, system_prompt, history, results } = of;
  const { attempts = 1, adaptive } = of.attempts === undefined ? other : of;
  return {
    settings: {
      model_id,
      endpoint,
      protocol: of.protocol ?? other.protocol ?? "openai-chat",
      parameters: of.parameters ?? other.parameters,
      attempts,
      adaptive,
      system_prompt,
      history,
    },
    ownAgent: of.own_agent,
    scenarios: results.scenarios.map((scenario) => ({
      id: scenario.scenario_id,
      system_prompt: scenario.system_prompt,
    })),
  };
}

const shownLength = 80;

/** One line per change. */
function settingLines(changes: readonly SettingChange[]): string[] {
  return changes.map(({ setting, baseline, candidate }) => {
    const [before, after] = [valueText(baseline), valueText(candidate)];
    const from = firstDifferentLine(before, after);
    const name = setting === "model_id" ? "model" : plainLine(setting, shownLength);
    return `${name}: ${shownFrom(before, from)} → ${shownFrom(after, from)}`;
  });
}

const valueText = (value: SettingChange["baseline"]): string => (value === null ? "not set" : JSON.stringify(value));

function firstDifferentLine(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return at;
}

/** Shows a long text from shortly before the first difference: prompts often share their beginning. */
function shownFrom(text: string, difference: number): string {
  const from = text.length <= shownLength ? 0 : Math.max(0, difference - 20);
  return `${from > 0 ? "…" : ""}${plainLine(text.slice(from), shownLength)}`;
}
