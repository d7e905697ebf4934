import type { ScenarioResult } from "../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../contract/schemas/interaction-result.ts";
import type { Judgement } from "./judgement.ts";
import { code, plain, tableRow } from "./markdown-text.ts";
import { missedChecks } from "./missed-checks.ts";
import type { ResultExport, RunHead } from "./result-export.ts";
import { marginText, scoreText } from "./score-text.ts";
import { verdictOf, type Verdict } from "./verdict.ts";

interface ShownTurn {
  readonly scenario_id: string;
  readonly attempt: number;
  readonly interaction: InteractionResult;
}

const worstShown = 10;
const failuresShown = 50;
const marks = {
  passed: "✅ passed",
  failed: "❌ failed",
  error: "⚠️ error",
  unscored: "➖ not scored",
  not_run: "⏸️ not run",
} as const;

/** A summary for a pull request: the scenarios with score and interval, the ten worst turns, and the turns without a reply. */
export function createMarkdown(): ResultExport {
  let worst: ShownTurn[] = [];
  const failures: ShownTurn[] = [];
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
      // A perfect turn is not among the worst, however few there are; one that fails in every attempt is there once.
      const scored = worstOfAttempts(turns).filter((turn) => overall(turn) < 1);
      worst = [...worst, ...scored].toSorted(byOverall).slice(0, worstShown);
      return scenarioRow(result);
    },
    finish: () => worstTable(worst) + failureTable(failures, failed),
  };
}

const overall = ({ interaction }: ShownTurn): number => interaction.scores["overall"] ?? 1;

const byOverall = (left: ShownTurn, right: ShownTurn): number => overall(left) - overall(right);

/** Of each turn of a scenario the attempt in which it went worst. */
function worstOfAttempts(turns: readonly ShownTurn[]): ShownTurn[] {
  return [...Map.groupBy(turns, ({ interaction }) => interaction.turn_index).values()].flatMap((attempts) =>
    attempts.toSorted(byOverall).slice(0, 1),
  );
}

const turnsOf = ({ scenario_id, attempts }: ScenarioResult): ShownTurn[] =>
  attempts.flatMap(({ attempt, interactions }) =>
    interactions.map((interaction) => ({ scenario_id, attempt, interaction })),
  );

function heading({ test_name, model_id, endpoint, run_id, message, summary, demo, judgements = [] }: RunHead): string {
  const score = summary
    ? `**overall ${marginText(summary.score_stats["overall"], summary.average_scores["overall"])}**`
    : undefined;
  const turns = summary?.interactions === 1 ? "turn" : "turns";
  const counts = summary ? `${summary.interactions} ${turns}, ${summary.failed} without a reply` : undefined;
  const facts = [score, counts, `model ${code(model_id)}`, `endpoint ${code(endpoint)}`, `run ${code(run_id)}`];
  const lines = [`## ${plain(test_name)}`, facts.filter((fact) => fact !== undefined).join(" · ")];
  if (demo) lines.push("A scripted demo model answered, not a language model.");
  if (message) lines.push(plain(message));
  if (judgements.length > 0) lines.push(judgements.map(judgementLine).join("\n"));
  return lines.join("\n\n");
}

const judged = { passed: "✅ ", failed: "❌ ", error: "⚠️ ", told: "" } as const;

const judgementLine = ({ outcome, message }: Judgement): string => `- ${judged[outcome]}${code(message, 500)}`;

function scenarioRow(result: ScenarioResult): string {
  const verdict = verdictOf(result);
  const score = marginText(result.score_stats["overall"], result.average_scores["overall"]);
  const hat = result.reliability?.pass_hat_k.at(-1);
  const reliability = hat === undefined ? "–" : `${scoreText(hat)} (k=${result.reliability?.pass_hat_k.length})`;
  return row([code(result.scenario_id), marks[verdict.outcome], score, attemptsText(verdict), reliability]);
}

function attemptsText({ outcome, passed, counted, run, planned }: Verdict): string {
  const ofThose = outcome === "not_run" ? "–" : `${passed} of ${counted}`;
  return run < planned ? `${ofThose} (${run} of ${planned} run)` : ofThose;
}

function worstTable(turns: readonly ShownTurn[]): string {
  if (turns.length === 0) return "";
  const titles = ["where", "overall", "user", "reference", "reply"];
  const missed = turns.map(({ interaction }) => missedChecks(interaction).join("; "));
  const checked = missed.some((checks) => checks !== "");
  const rows = turns.map((turn, index) => {
    const { user_message, reference_reply, agent_reply } = turn.interaction;
    const cells = [place(turn), scoreText(overall(turn)), code(user_message), code(reference_reply), code(agent_reply)];
    return row(checked ? [...cells, code(missed[index] ?? "")] : cells);
  });
  const head = checked ? [...titles, "checks missed"] : titles;
  return `\n### Worst turns\n\n${row(head)}|${"---|".repeat(head.length)}\n${rows.join("")}`;
}

function failureTable(turns: readonly ShownTurn[], count: number): string {
  if (turns.length === 0) return "";
  const rows = turns.map((turn) =>
    row([place(turn), code(turn.interaction.error?.code ?? ""), plain(turn.interaction.error?.detail ?? "")]),
  );
  const more = count > turns.length ? `\n${count - turns.length} more are not shown.\n` : "";
  return `\n### Turns without a reply\n\n| where | error | detail |\n|---|---|---|\n${rows.join("")}${more}`;
}

const place = ({ scenario_id, attempt, interaction }: ShownTurn): string =>
  `${code(scenario_id)}, attempt ${attempt}, turn ${interaction.turn_index + 1}`;
const row = (cells: readonly string[]): string => `${tableRow(cells)}\n`;
