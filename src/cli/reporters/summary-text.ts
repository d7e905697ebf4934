import { counted } from "../../base/text.ts";
import { howToJudge, passRateText } from "../../contract/schemas/outcome.ts";
import { overallFirst, scoreTitle } from "../../contract/schemas/scores/score-names.ts";
import { unauditedMark } from "../../contract/schemas/judging/unaudited.ts";
import { meanText, scoreText } from "../../formats/export/results/report-text.ts";
import type { FailingScenario, RunDigest, ScenarioDigest } from "../../formats/export/results/run-digest.ts";
import { isFailing, passedText } from "../../formats/export/results/verdict.ts";
import { ownCommand } from "../terminal/next-command.ts";
import { durationText, lengthWithin, plainLine, spentText } from "../terminal/text.ts";
import type { Style } from "../terminal/output.ts";
import { table } from "../terminal/table.ts";
import type { GateCheck } from "../gates/evaluate-gates.ts";
import type { RunOutcome } from "./reporter.ts";

export const shownWarnings = 5;

type Summarized = Pick<RunOutcome, "digest" | "gates" | "comparison" | "problems" | "next" | "found">;

/** The summary at the end of a run: scores with intervals, the worst scenarios, and the gates. */
export function summaryText(outcome: Summarized, style: Style, width = Infinity): string {
  const { digest, gates, comparison, problems, next, found } = outcome;
  return [
    headline(digest, style, width),
    scoreTable(digest, width),
    simulatedUsersText(digest, style),
    worstScenarios(digest, style, width),
    unjudgedText(digest, style, found),
    ...(comparison
      ? [`Compared with the baseline: ${comparison.comparable ? comparison.sentence : comparison.reason}`]
      : []),
    gates.map((gate) => `${gateMark(gate, style)} ${gate.message}`).join("\n"),
    next ?? "",
    problems.map((problem) => style("red", problem)).join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function headline(
  { test_name, model_id, message, run_id, demo, timing, summary, warnings }: RunDigest,
  style: Style,
  width: number,
): string {
  const shown = lengthWithin(width, 100);
  const facts = [durationText(timing.duration_ms), ...(summary.cost ? [spentText(summary.cost.total)] : []), run_id];
  const rate = passRateText(summary);
  return [
    `${style("bold", plainLine(test_name, shown))} on ${plainLine(model_id, shown)}${rate === null ? "" : `: ${style("bold", rate)}`}`,
    `${message} (${facts.join(", ")})`,
    ...(demo ? ["A scripted demo model answered, not a language model."] : []),
    ...warnings
      .slice(0, shownWarnings)
      .map(({ pointer, message: warning }) => style("yellow", `${pointer} ${warning}`)),
  ].join("\n");
}

function scoreTable({ summary, unaudited }: RunDigest, width: number): string {
  const names = overallFirst(Object.keys(summary.average_scores));
  if (names.length === 0) return "";
  const rows = names.map((name) => {
    const stats = summary.score_stats[name];
    return [
      `  ${plainLine(scoreTitle(name), lengthWithin(width, 60))}`,
      meanText(stats, summary.average_scores[name]),
      String(stats?.n ?? ""),
      unaudited.has(name) ? unauditedMark : "",
    ];
  });
  const columns = [{ title: "  SCORE" }, { title: "MEAN [95 %]" }, { title: "N", align: "right" as const }];
  return table([...columns, { title: "" }], rows, width);
}

/** Attempts that the simulated user spoiled, which are in no other figure. */
function simulatedUsersText({ summary: { simulated_users: users, average_scores } }: RunDigest, style: Style): string {
  if (!users || users.failed === 0) return "";
  const { attempts, failed, share, low, high, kinds, scores_with_failures } = users;
  const percent = (value: number): string => `${Math.round(value * 100)} %`;
  const named = Object.entries(kinds).map(([kind, count]) => `${kind} ${count}`);
  const counted = ["outcome", "overall"]
    .filter((name) => scores_with_failures[name] !== undefined)
    .map(
      (name) =>
        `${name} ${scoreText(average_scores[name])}, or ${scoreText(scores_with_failures[name])} with them as 0`,
    );
  return style(
    "yellow",
    `The simulated user failed in ${failed} of ${attempts} attempts (${percent(share)}, 95 % interval ${percent(low)} to ${percent(high)}): ${named.join(", ")}. They are left out: ${counted.join("; ")}.`,
  );
}

function worstScenarios({ scenarios, worst }: RunDigest, style: Style, width: number): string {
  const bad = scenarios.filter(({ verdict }) => isFailing(verdict));
  const notRun = scenarios.filter(({ verdict }) => verdict.outcome === "not_run").length;
  const skipped = notRun > 0 ? [`${counted(notRun, "scenario")} of ${scenarios.length} not run.`] : [];
  if (bad.length === 0) return skipped.join("\n");
  const more = bad.length > worst.length ? `, the worst ${worst.length}` : "";
  const title = `${counted(bad.length, "scenario")} of ${scenarios.length} did not pass (each attempt needs all its replies and ${needs(bad)})${more}:`;
  return [title, ...worst.map((entry) => scenarioLines(entry, style, width)), ...skipped].join("\n");
}

/** With a threshold of the user's own, `overall` decides, or the outcome where the scenario has `expect`. */
function needs(scenarios: readonly ScenarioDigest[]): string {
  const threshold = scenarios[0]?.verdict.threshold;
  if (threshold === undefined) return "everything that its scenario states";
  const acting = scenarios.filter(({ hasOutcome }) => hasOutcome).length;
  const parts = [
    ...(acting < scenarios.length ? [`an overall of ${threshold}`] : []),
    ...(acting > 0 ? ["the expected outcome"] : []),
  ];
  return parts.join(" or ");
}

/** Why scenarios are not judged: nothing decides, or what does could not be seen. */
function unjudgedText(
  { scenarios, run_id }: RunDigest,
  style: Style,
  found: readonly string[] = ["--config", "rehearsal.yaml"],
): string {
  const unjudged = scenarios.filter(({ verdict }) => verdict.outcome === "unscored");
  const open = unjudged.filter(({ undecided }) => undecided.length > 0);
  const silent = unjudged.length - open.length;
  const how = `${howToJudge}: ${ownCommand("runs rescore", run_id, "--ask-models", ...found)}`;
  const lines = [
    ...(silent > 0 ? [`${counted(silent, "scenario")} of ${scenarios.length} not judged. ${how}`] : []),
    ...(open.length > 0
      ? [`${counted(open.length, "scenario")} of ${scenarios.length} undecided. ${open[0]?.undecided.join("; ")}`]
      : []),
  ];
  return lines.map((line) => style("yellow", plainLine(line, 1_000))).join("\n");
}

function scenarioLines({ scenario, failure }: FailingScenario, style: Style, width: number): string {
  const { scenario_id, average_scores, verdict } = scenario;
  const run = verdict.run < verdict.planned ? `, ${verdict.run} of ${verdict.planned} run` : "";
  const attempts = `${passedText(verdict)}${run}`;
  const head = `  ${mark(false, style)} ${plainLine(scenario_id, lengthWithin(width, 60))}  ${scoreText(average_scores["overall"])}  ${attempts}`;
  if (!failure) return head;
  const { interaction: turn, causes, calls } = failure;
  const line = (label: string, text: string, length = 200): string =>
    `      ${label.padEnd(9)} ${plainLine(text, length)}`;
  if (turn.error) return [head, ...causes.map((cause) => `      ${plainLine(cause)}`)].join("\n");
  return [
    head,
    style("dim", line("user", turn.prompt ?? turn.user_message, 100)),
    ...(turn.reference_reply === "" ? [] : [style("dim", line("reference", turn.reference_reply, 100))]),
    ...(calls ? calls.expected.slice(0, shownCalls).map((call) => style("dim", line("expected", call))) : []),
    ...(calls ? madeCalls(calls.made).map((call) => line("called", call)) : []),
    line("reply", turn.agent_reply, 100),
    ...causes.map((cause) => line("check", cause)),
  ].join("\n");
}

const shownCalls = 5;

function madeCalls(calls: readonly string[]): string[] {
  if (calls.length === 0) return ["nothing"];
  return calls.length <= shownCalls ? [...calls] : [...calls.slice(0, shownCalls), `${calls.length - shownCalls} more`];
}

const gateMark = ({ passed, undecided }: GateCheck, style: Style): string =>
  undecided ? style("yellow", "?") : mark(passed, style);

const mark = (passed: boolean, style: Style): string => (passed ? style("green", "✓") : style("red", "✗"));
