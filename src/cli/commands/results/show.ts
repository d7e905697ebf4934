import type { Command } from "commander";
import type {
  AttemptResult,
  EvaluationResponse,
  ScenarioResult,
} from "../../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../../contract/schemas/interaction-result.ts";
import type { JudgeVerdict } from "../../../contract/schemas/judging/judge.ts";
import { finalStates } from "../../../contract/schemas/run.ts";
import { overallFirst } from "../../../contract/schemas/scores/score-names.ts";
import { callText, differenceText, expectedCalls } from "../../../formats/export/results/failure.ts";
import { digestResults } from "../../../formats/export/results/run-digest.ts";
import { unauditedMark } from "../../../contract/schemas/judging/unaudited.ts";
import { meanText, scoreText } from "../../../formats/export/results/report-text.ts";
import { agreementText, correlateResponse, hasVerdicts, readVerdicts } from "../../sources/verdicts.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { isResultsFile } from "../../terminal/files.ts";
import { withSource, type SourceOptions } from "../../options/shared-options.ts";
import { correctionLines } from "../../reporters/corrections-text.ts";
import { summaryText } from "../../reporters/summary-text.ts";
import { openSource } from "../../sources/open-source.ts";
import { loadResults } from "../../sources/read-results.ts";
import { outputWidth, printJson, printLine, printMessage, styleFor, type Style } from "../../terminal/output.ts";
import { sourceWords } from "../../terminal/next-command.ts";
import { lengthWithin, plainLine } from "../../terminal/text.ts";

interface ShowOptions extends SourceOptions {
  readonly scenario?: string;
  readonly verdicts?: string;
  readonly json?: boolean;
}

/** `rehearsal runs show` */
export function declare(command: Command): void {
  withSource(command.argument("[run]", "id of the run, part of it, a test's name, latest, or a results file", "latest"))
    .option("--scenario <id>", "show every turn of this scenario")
    .option("--verdicts <file>", "correlate every score with people's verdicts (JSON or JSONL)")
    .option("--json", "print the results as one JSON object")
    .action(showRun);
}

async function showRun(text: string, { scenario, verdicts, json, ...where }: ShowOptions): Promise<void> {
  await using source = await openSource(where);
  const response = await loadResults(source, text);
  const style = styleFor(process.stdout);
  if (verdicts !== undefined) {
    const agreement = correlateResponse(response, await readVerdicts(verdicts));
    if (json) printJson(agreement);
    else printMessage(agreementText(agreement));
    return;
  }
  if (scenario !== undefined) {
    const result = scenarioOf(response, scenario);
    if (json) printJson(result);
    else printMessage(transcriptText(result, style, outputWidth()));
  } else if (json) printJson(response);
  else {
    printMessage(
      summaryText(
        {
          digest: digestResults(response),
          gates: [],
          comparison: null,
          problems: [],
          found: ["--config", "rehearsal.yaml", ...sourceWords(where)],
        },
        style,
        outputWidth(),
      ),
    );
    if (hasVerdicts(response) && !isResultsFile(text) && finalStates.has(response.state))
      for (const line of correctionLines(await source.corrections(response.run_id))) printLine(line);
  }
}

function scenarioOf({ results, run_id }: EvaluationResponse, id: string): ScenarioResult {
  const found = results.scenarios.find(({ scenario_id }) => scenario_id === id);
  if (found) return found;
  const known = results.scenarios.slice(0, 20).map(({ scenario_id }) => scenario_id);
  throw new CliError(`the run ${run_id} has no scenario "${id}"; it has ${known.join(", ")}`);
}

/** Every turn of a scenario's attempts, with the reference above the reply. */
function transcriptText(result: ScenarioResult, style: Style, width = Infinity): string {
  const { scenario_id, description, attempts, score_stats, average_scores } = result;
  const overall = meanText(score_stats["overall"], average_scores["overall"]);
  const title = `${style("bold", plainLine(scenario_id, lengthWithin(width, 200)))}  overall ${overall}`;
  const about = description === "" ? [] : [plainLine(description, lengthWithin(width, 500))];
  return [title, ...about, ...attempts.map((attempt) => attemptText(attempt, style, width))].join("\n");
}

function attemptText(result: AttemptResult, style: Style, width: number): string {
  const { attempt, interactions, average_scores, outcome, conversation, unfinished } = result;
  const overall = `overall ${scoreText(average_scores["overall"])}`;
  const facts = [
    overall,
    ...(outcome ? [`outcome ${scoreText(outcome.value)}`] : []),
    ...(unfinished ? ["unfinished"] : []),
  ];
  const { scores = {}, score_reasons = {}, judgements = {} } = conversation ?? {};
  const judged = Object.keys(judgements).filter((name) => !name.startsWith("outcome."));
  return [
    style("bold", `\nattempt ${attempt}  ${facts.join("  ")}`),
    ...interactions.map((turn) => turnText(turn, style, width)),
    ...(outcome?.parts ?? []).map(({ name, passed, reason }) =>
      style(passed === false ? "red" : "dim", row("outcome", `${markOf(passed)} ${name}: ${reason}`, width)),
    ),
    ...(outcome?.state_diff ?? []).map((difference) => row("state", differenceText(difference), width)),
    ...endText(result, style),
    ...judged.map((name) => style("dim", row("judge", reasonText(name, scores[name], score_reasons[name]), width))),
    ...voteLines(judgements, style, width),
  ].join("\n");
}

/** How a conversation with a simulated user ended. */
function endText({ user }: AttemptResult, style: Style): string[] {
  if (!user) return [];
  const { ended, why, failure } = user;
  if (failure)
    return [style("yellow", `  the simulated user failed (${failure.kind}): ${plainLine(failure.reason, 500)}`)];
  return [style("dim", `  ended: ${ended}${why ? `, ${plainLine(why, 500)}` : ""}`)];
}

const markOf = (passed: boolean | null): string => (passed === null ? "?" : passed ? "✓" : "✗");

/** One line of a transcript: what it is, and its text. */
const row = (label: string, text: string, width: number): string =>
  `  ${label.padEnd(10)} ${plainLine(text, lengthWithin(width, 2000))}`;

const reasonText = (name: string, value: number | undefined, reason: string | undefined): string =>
  `${name} ${scoreText(value)}${reason === undefined ? "" : `: ${reason}`}`;

function turnText(turn: InteractionResult, style: Style, width: number): string {
  const { scores, score_reasons, judgements = {}, error } = turn;
  const names = overallFirst(Object.keys(scores));
  const listed = names.map((name) => `${plainLine(name, lengthWithin(width, 60))} ${scoreText(scores[name])}`);
  const { failed_scores = [], undecided_scores = [] } = turn;
  const reasons = [...names, ...failed_scores, ...undecided_scores].filter((name) => score_reasons[name] !== undefined);
  const failed = error ? ` (${error.code}: ${plainLine(error.detail, lengthWithin(width, 200))})` : "";
  return [
    ...(turn.greeting === undefined ? [] : [row("greeting", turn.greeting, width)]),
    row("user", turn.prompt ?? turn.user_message, width),
    ...(turn.user_turn?.why ? [style("dim", row("why", turn.user_turn.why, width))] : []),
    ...(turn.reference_reply === "" ? [] : [style("dim", row("reference", turn.reference_reply, width))]),
    ...expectedCalls(turn).map((call) => style("dim", row("expected", call, width))),
    ...turn.tool_calls.map((call) => row("called", callText(call), width)),
    ...(expectedCalls(turn).length > 0 && turn.tool_calls.length === 0
      ? [row("called", turn.calls_seen ? "not seen" : "nothing", width)]
      : []),
    error ? style("red", row("reply", `${turn.agent_reply}${failed}`, width)) : row("reply", turn.agent_reply, width),
    ...(error?.upstream_message === undefined ? [] : [row("said", error.upstream_message, width)]),
    style("dim", row("", listed.join(", "), Infinity)),
    ...reasons.map((name) => style("dim", row("reason", `${name}: ${score_reasons[name]}`, width))),
    ...voteLines(judgements, style, width),
  ].join("\n");
}

/** Every vote of a judge that was asked more than once, since a score is only their mean. */
function voteLines(judgements: Readonly<Record<string, JudgeVerdict>>, style: Style, width: number): string[] {
  return Object.entries(judgements).flatMap(([name, { votes, judge_audited }]) =>
    (votes.length > 1 ? votes : []).map(({ choice, reason }, index) => {
      const mark = judge_audited ? "" : ` (${unauditedMark})`;
      return style("dim", row("vote", `${name} ${index + 1}: ${choice ?? "unreadable"}${mark}. ${reason}`, width));
    }),
  );
}
