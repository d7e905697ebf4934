import { truncateText } from "../../../base/text.ts";
import type { ScenarioResult } from "../../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../../contract/schemas/interaction-result.ts";
import { lacksOverall, notJudgedText, passRateText } from "../../../contract/schemas/outcome.ts";
import { failureOf, turnCauses, type ScenarioFailure } from "./failure.ts";
import { verdictOf, type ScenarioVerdict } from "./verdict.ts";
import { meanWithMargin, scoreText, stripControlCharacters, unauditedScores } from "./report-text.ts";
import type { ResultExport, RunHead, RunJudgement } from "./result-export.ts";

interface ShownFailure extends ScenarioFailure {
  readonly scenario_id: string;
}

interface ShownTurn {
  readonly scenario_id: string;
  readonly attempt: number;
  readonly interaction: InteractionResult;
}

interface TurnInSummary extends ShownTurn {
  readonly threshold: number | undefined;
}

const worstShown = 10;
const failuresShown = 50;
const marks = {
  passed: "✅ passed",
  failed: "❌ failed",
  error: "⚠️ error",
  unscored: "➖ not judged",
  simulator_failed: "➖ simulated user failed",
  not_run: "⏸️ not run",
} as const;

/**
 * A summary for a pull request: scenarios with score and interval, what failing agents did, the ten worst turns, and the turns
 * without a reply.
 */
export function createMarkdown(): ResultExport {
  let worst: TurnInSummary[] = [];
  const failures: ShownTurn[] = [];
  const actions: ShownFailure[] = [];
  const unaudited = new Set<string>();
  let failed = 0;
  return {
    shortens: true,
    start: (run) =>
      `${heading(run)}\n\n| scenario | result | score | attempts passed | pass^k |\n|---|---|---|---|---|\n`,
    scenario(result) {
      const turns = turnsOf(result);
      const broken = turns.filter(({ interaction }) => interaction.error !== null);
      failed += broken.length;
      failures.push(...broken.slice(0, failuresShown - failures.length));
      // Perfect turns are never listed; a turn that fails in every attempt is listed once.
      const scored = worstOfAttempts(turns).filter((turn) => overall(turn) < 1);
      worst = [...worst, ...scored].toSorted(byOverall).slice(0, worstShown);
      const failure = actions.length < failuresShown ? wrongActions(result) : undefined;
      if (failure) actions.push({ scenario_id: result.scenario_id, ...failure });
      for (const name of unauditedScores([result])) unaudited.add(name);
      return scenarioRow(result);
    },
    finish: () => [unauditedNote(unaudited), actionTable(actions), worstTable(worst), failureTable(failures, failed)],
  };
}

/** Puts text from models and users into a code span, where it cannot mention people or load images. */
export function markdownCode(text: string, length?: number): string {
  const line = oneLine(text, length);
  if (line === "") return "";
  const fence = "`".repeat(1 + Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Escapes Markdown and HTML in text written by us or by the operator. */
export const escapeMarkdown = (text: string, length?: number): string =>
  oneLine(text, length).replace(/[\\`*_{}[\]<>#!~@&]/g, (mark) =>
    mark === "@" ? "@\u200B" : mark === "<" ? "&lt;" : mark === "&" ? "&amp;" : `\\${mark}`,
  );

/**
 * A table row whose cells cannot end it: bars are escaped, in code spans too. A bar after a backslash takes two more, because some
 * parsers read the text's backslash and ours as a pair.
 */
export const markdownTableRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replace(/(?<!\\)\\*\|/g, escapedBar)).join(" | ")} |`;

/** A turn that could not be scored comes first, and one without anything to score last. */
const overall = ({ interaction }: ShownTurn): number =>
  interaction.scores["overall"] ?? (lacksOverall(interaction) ? -1 : 1);

const byOverall = (left: ShownTurn, right: ShownTurn): number => overall(left) - overall(right);

/** Keeps the worst attempt of each turn. */
function worstOfAttempts(turns: readonly TurnInSummary[]): TurnInSummary[] {
  return [...Map.groupBy(turns, ({ interaction }) => interaction.turn_index).values()].flatMap((attempts) =>
    attempts.toSorted(byOverall).slice(0, 1),
  );
}

function turnsOf(result: ScenarioResult): TurnInSummary[] {
  const { scenario_id, attempts, threshold } = result;
  return attempts.flatMap(({ attempt, interactions }) =>
    interactions.map((interaction) => ({ scenario_id, attempt, interaction, threshold })),
  );
}

function heading({ test_name, model_id, endpoint, run_id, message, summary, demo, judgements = [] }: RunHead): string {
  const score = summary
    ? `**overall ${meanWithMargin(summary.score_stats["overall"], summary.average_scores["overall"])}**`
    : undefined;
  const turns = summary?.interactions === 1 ? "turn" : "turns";
  const counts = summary ? `${summary.interactions} ${turns}, ${summary.failed} without a reply` : undefined;
  const rate = summary ? passRateText(summary) : null;
  const facts = [
    rate === null ? undefined : `**${rate}**`,
    score,
    counts,
    `model ${markdownCode(model_id)}`,
    `endpoint ${markdownCode(endpoint)}`,
    `run ${markdownCode(run_id)}`,
  ];
  const lines = [`## ${escapeMarkdown(test_name)}`, facts.filter((fact) => fact !== undefined).join(" · ")];
  if (demo) lines.push("A scripted demo model answered, not a language model.");
  if (message) lines.push(escapeMarkdown(message));
  if (judgements.length > 0) lines.push(judgements.map(judgementLine).join("\n"));
  return lines.join("\n\n");
}

const judgementMarks = { passed: "✅ ", failed: "❌ ", error: "⚠️ ", undecided: "❔ ", told: "" } as const;

const judgementLine = ({ outcome, message }: RunJudgement): string =>
  `- ${judgementMarks[outcome]}${markdownCode(message, 500)}`;

function scenarioRow(result: ScenarioResult): string {
  const verdict = verdictOf(result);
  const score = meanWithMargin(result.score_stats["overall"], result.average_scores["overall"]);
  const hat = result.reliability?.pass_hat_k.at(-1);
  const reliability = hat === undefined ? "–" : `${scoreText(hat)} (k=${result.reliability?.pass_hat_k.length})`;
  return tableLine([
    markdownCode(result.scenario_id),
    verdict.outcome === "unscored" ? `➖ ${notJudgedText(result.average_scores)}` : marks[verdict.outcome],
    score,
    attemptsText(verdict),
    reliability,
  ]);
}

function attemptsText({ outcome, passed, counted, run, planned }: ScenarioVerdict): string {
  const ofThose = outcome === "not_run" ? "–" : `${passed} of ${counted}`;
  return run < planned ? `${ofThose} (${run} of ${planned} run)` : ofThose;
}

/** The failure of a scenario whose agent made a wrong call, or missed the expected outcome. */
function wrongActions(result: ScenarioResult): ScenarioFailure | undefined {
  const { outcome, threshold } = verdictOf(result);
  if (outcome !== "failed") return undefined;
  const failure = failureOf(result, threshold);
  const acts = failure?.calls ?? failure?.causes.some((cause) => cause.startsWith("outcome."));
  return acts ? failure : undefined;
}

function unauditedNote(names: ReadonlySet<string>): string {
  if (names.size === 0) return "";
  return `\nThe judge of ${[...names].map((name) => markdownCode(name)).join(", ")} is not audited.\n`;
}

const callsShown = 5;

function actionTable(failures: readonly ShownFailure[]): string {
  if (failures.length === 0) return "";
  const rows = failures.map(({ causes, calls, ...turn }) =>
    tableLine([
      turnTitle(turn),
      callCell(calls?.expected),
      callCell(calls?.made),
      markdownCode(causes.join("; "), 500),
    ]),
  );
  return `\n### Wrong actions\n\n| where | expected | called | why |\n|---|---|---|---|\n${rows.join("")}`;
}

function callCell(calls: readonly string[] | undefined): string {
  if (!calls) return "–";
  if (calls.length === 0) return "nothing";
  const more = calls.length > callsShown ? [`${calls.length - callsShown} more`] : [];
  return [...calls.slice(0, callsShown).map((call) => markdownCode(call)), ...more].join("<br>");
}

function worstTable(turns: readonly TurnInSummary[]): string {
  if (turns.length === 0) return "";
  const titles = ["where", "overall", "user", "reference", "reply"];
  const causes = turns.map(({ interaction, threshold }) => turnCauses(interaction, threshold).join("; "));
  const isExplained = causes.some((cause) => cause !== "");
  const rows = turns.map((turn, index) => {
    const { user_message, prompt = user_message, reference_reply, agent_reply } = turn.interaction;
    const cells = [
      turnTitle(turn),
      scoreText(turn.interaction.scores["overall"]),
      markdownCode(prompt),
      markdownCode(reference_reply),
      markdownCode(agent_reply),
    ];
    return tableLine(isExplained ? [...cells, markdownCode(causes[index] ?? "", 500)] : cells);
  });
  const head = isExplained ? [...titles, "why"] : titles;
  return `\n### Worst turns\n\n${tableLine(head)}|${"---|".repeat(head.length)}\n${rows.join("")}`;
}

function failureTable(turns: readonly ShownTurn[], count: number): string {
  if (turns.length === 0) return "";
  const rows = turns.map((turn) =>
    tableLine([
      turnTitle(turn),
      markdownCode(turn.interaction.error?.code ?? ""),
      escapeMarkdown(turn.interaction.error?.detail ?? ""),
    ]),
  );
  const more = count > turns.length ? `\n${count - turns.length} more are not shown.\n` : "";
  return `\n### Turns without a reply\n\n| where | error | detail |\n|---|---|---|\n${rows.join("")}${more}`;
}

const turnTitle = ({ scenario_id, attempt, interaction }: ShownTurn): string =>
  `${markdownCode(scenario_id)}, attempt ${attempt}, turn ${interaction.turn_index + 1}`;
const tableLine = (cells: readonly string[]): string => `${markdownTableRow(cells)}\n`;

/** Limits the work on long texts; white space and control characters count. */
const longestScanned = 10_000;

const oneLine = (text: string, length = 200): string =>
  truncateText(stripControlCharacters(truncateText(text, longestScanned)).replace(/\s+/g, " ").trim(), length);

const escapedBar = (found: string): string => `${"\\".repeat(found.length % 2 === 0 ? 2 : 1)}${found}`;
