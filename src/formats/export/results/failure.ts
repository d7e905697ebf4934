import { truncateText } from "../../../base/text.ts";
import type { AttemptResult, ScenarioResult } from "../../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../../contract/schemas/interaction-result.ts";
import type { JudgeVerdict } from "../../../contract/schemas/judging/judge.ts";
import {
  brokenStatements,
  defaultThreshold,
  isFailure,
  outcomeOfAttempt,
  turnOutcome,
} from "../../../contract/schemas/outcome.ts";
import type { Scores } from "../../../contract/schemas/scores/score.ts";
import type { RecordedToolCall, ReferenceToolCall } from "../../../contract/schemas/acting/tool-call.ts";
import type { StateDifference } from "../../../contract/schemas/acting/world.ts";
import { missedChecks, scoreText } from "./report-text.ts";

/** Why a scenario failed: its worst attempt and turn, and the causes in the words that every report uses. */
export interface ScenarioFailure {
  readonly attempt: number;
  readonly interaction: InteractionResult;
  /**
   * Causes that scores alone do not tell: a failed turn, a score that could not be had, a wrong tool call, a broken expectation, a
   * missed check, a judge.
   */
  readonly causes: readonly string[];
  /** Expected and made tool calls, where they differ or the outcome was missed; null elsewhere. */
  readonly calls: { readonly expected: readonly string[]; readonly made: readonly string[] } | null;
  readonly stateDifferences: readonly string[];
}

/** The failure of a scenario, read from the first bad turn of its worst attempt. */
export function failureOf(result: ScenarioResult, threshold: number | undefined): ScenarioFailure | undefined {
  const worst = worstAttempt(result, threshold);
  const interaction = worst && worstTurn(worst, threshold);
  if (!worst || !interaction) return undefined;
  return {
    attempt: worst.attempt,
    interaction,
    causes: [...turnCauses(interaction, threshold), ...attemptCauses(worst, { threshold, interaction })],
    calls: showsCalls(worst, interaction)
      ? { expected: expectedCalls(interaction), made: interaction.tool_calls.map((call) => callText(call)) }
      : null,
    stateDifferences: (worst.outcome?.state_diff ?? []).map(differenceText),
  };
}

/** The causes of a failing scenario for reports without room for more; its score where there is no other. */
export function failureReasons(result: ScenarioResult, threshold: number | undefined): string[] {
  const failure = failureOf(result, threshold);
  if (failure && failure.causes.length > 0) return [...failure.causes];
  const overall = result.average_scores["overall"];
  return overall === undefined || threshold === undefined ? [] : [`overall ${scoreText(overall)}, needed ${threshold}`];
}

function worstAttempt({ attempts }: ScenarioResult, threshold: number | undefined): AttemptResult | undefined {
  const worth = (attempt: AttemptResult): number => {
    const { average_scores } = attempt;
    const passes = isFailure(outcomeOfAttempt(attempt, threshold)) ? 0 : 4;
    return passes + (average_scores["success"] ?? 0) * (1 + (average_scores["overall"] ?? 0));
  };
  const begun = attempts.filter(({ interactions }) => interactions.length > 0);
  return begun.toSorted((left, right) => worth(left) - worth(right))[0];
}

const missesOutcome = ({ outcome }: AttemptResult): boolean => outcome !== undefined && outcome.value !== 1;

/** A missed outcome has its cause in the calls, even if each of them was expected. */
function showsCalls(attempt: AttemptResult, turn: InteractionResult): boolean {
  return hasWrongCalls(turn) || (missesOutcome(attempt) && turn.tool_calls.length > 0);
}

function worstTurn(attempt: AttemptResult, threshold: number | undefined): InteractionResult | undefined {
  const { interactions } = attempt;
  const overallOf = ({ scores }: InteractionResult): number => scores["overall"] ?? 1;
  return (
    interactions.find((turn) => isFailure(turnOutcome(turn, threshold))) ??
    interactions.find(hasWrongCalls) ??
    (missesOutcome(attempt) ? interactions.findLast(({ tool_calls }) => tool_calls.length > 0) : undefined) ??
    interactions.toSorted((left, right) => overallOf(left) - overallOf(right))[0]
  );
}

/** Failure causes that the score does not already show. */
export function turnCauses(turn: InteractionResult, threshold: number | undefined): string[] {
  const { error, scores, score_reasons, judgements = {}, failed_scores = [] } = turn;
  if (error) {
    const said = error.upstream_message === undefined ? [] : [`the endpoint said: ${error.upstream_message}`];
    return [`${error.code}: ${error.detail}`, ...said];
  }
  const causes = [
    ...failed_scores.map((name) => `${name}: ${score_reasons[name] ?? "could not be had"}`),
    ...(hasWrongCalls(turn) ? [`tool_match: ${score_reasons["tool_match"] ?? "0"}`] : []),
    ...missedChecks(turn),
    ...lowVerdicts({ scores, score_reasons, judgements }, threshold ?? defaultThreshold),
    ...(threshold === undefined ? brokenStatements(turn) : []).map(
      (name) => `${name}: ${score_reasons[name] ?? scoreText(scores[name])}`,
    ),
  ];
  return [...new Set(causes)];
}

function attemptCauses(
  { outcome, conversation, interactions }: AttemptResult,
  { threshold, interaction }: { threshold: number | undefined; interaction: InteractionResult },
): string[] {
  const hasError = interactions.some(({ error }) => error !== null);
  /** The causes of the turn say it already. */
  const isSaid = (part: string): boolean =>
    part === "replies" ? hasError : part === "checks" && missedChecks(interaction).length > 0;
  const parts = (outcome?.parts ?? []).filter(({ name, passed }) => passed !== true && !isSaid(name));
  return [
    ...parts.map(({ name, reason }) => `outcome.${name}: ${reason}`),
    ...(conversation ? lowVerdicts(conversation, threshold ?? defaultThreshold) : []),
  ];
}

interface JudgedFailure {
  readonly scores: Scores;
  readonly score_reasons: Readonly<Record<string, string>>;
  readonly judgements: Readonly<Record<string, JudgeVerdict>>;
}

/** The rubric of an outcome is one of its parts. */
function lowVerdicts({ scores, score_reasons, judgements }: JudgedFailure, threshold: number): string[] {
  return Object.keys(judgements)
    .filter((name) => !name.startsWith("outcome.") && (scores[name] ?? 1) < threshold)
    .map((name) => `${name}: ${score_reasons[name] ?? scoreText(scores[name])}`);
}

/** True when a turn did not make the tool calls that it should have made. */
const hasWrongCalls = ({ scores }: Pick<InteractionResult, "scores">): boolean => (scores["tool_match"] ?? 1) < 1;

/** The expected tool calls of a turn in words; "no call" where there must be none. */
export function expectedCalls({ reference_tool_calls }: Pick<InteractionResult, "reference_tool_calls">): string[] {
  if (!reference_tool_calls) return [];
  return reference_tool_calls.length === 0 ? ["no call"] : reference_tool_calls.map((call) => callText(call));
}

const longestValue = 1_000;

/** A tool call on one line: `cancel_order({"order_id":"1042"}) → {"ok":true}`. */
export function callText(call: ReferenceToolCall | RecordedToolCall): string {
  const head = `${call.name}(${argumentsText(call)})`;
  const { result, error } = call as Partial<RecordedToolCall>;
  if (error !== undefined) return `${head} → error: ${truncateText(error, longestValue)}`;
  return result === undefined ? head : `${head} → ${valueText(result)}`;
}

function argumentsText(call: ReferenceToolCall | RecordedToolCall): string {
  if ("arguments_unknown" in call && call.arguments_unknown) return "?";
  if ("arguments_error" in call && call.arguments_error !== undefined) {
    return `${truncateText(String(call.arguments), longestValue)}: not JSON, ${call.arguments_error}`;
  }
  const given = call.arguments;
  // A reference without arguments accepts any; a call without arguments has none.
  if (given === undefined) return "id" in call ? "" : "…";
  return given === null ? "" : valueText(given);
}

const valueText = (value: unknown): string => truncateText(JSON.stringify(value), longestValue);

/** A difference of states on one line: `/orders/1042/status: expected "cancelled", is "paid"`. */
export function differenceText({ path, ...sides }: StateDifference): string {
  const expected = "expected" in sides ? valueText(sides.expected) : "nothing";
  const actual = "actual" in sides ? `is ${valueText(sides.actual)}` : "is missing";
  return `${path === "" ? "the state" : path}: expected ${expected}, ${actual}`;
}
