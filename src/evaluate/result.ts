import type { EvaluationResponse, ScenarioResult } from "../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../contract/schemas/interaction-result.ts";

/**
 * `passed`: everything that the scenario states was seen to hold in every attempt. `failed`: something was seen not to hold. `error`:
 * no attempt has a usable reply. The others decide nothing.
 */
export type ScenarioVerdict = "passed" | "failed" | "error" | "unscored" | "simulator_failed" | "not_run";

export interface EvaluatedScenario extends ScenarioResult {
  readonly verdict: ScenarioVerdict;
  /** What was seen not to hold, where it did not pass. */
  readonly failed_because?: readonly string[];
}

/** A run as `rehearsal eval --json` prints it. */
export interface EvaluatedRun extends Omit<EvaluationResponse, "results"> {
  readonly results: Omit<EvaluationResponse["results"], "scenarios"> & {
    readonly scenarios: readonly EvaluatedScenario[];
  };
  readonly gates?: readonly GateVerdict[];
  readonly problems?: readonly string[];
}

/** One rule that decides about the run. */
export interface GateVerdict {
  readonly gate: string;
  readonly passed: boolean;
  readonly undecided?: boolean;
  readonly message: string;
}

/** The results of an evaluation. */
export interface EvaluationResult {
  /** What `rehearsal eval --json` prints for the run. */
  readonly raw: EvaluatedRun;
  /** 0 passed, 1 failed, 3 no usable replies, 4 budget spent, 6 undecided. */
  readonly exitCode: number;
  readonly passed: boolean;
  readonly undecided: boolean;
  readonly runId: string;
  readonly scores: Readonly<Record<string, number>>;
  readonly gates: readonly GateVerdict[];
  readonly scenarios: readonly EvaluatedScenario[];
  /** The gates, and every scenario that did not pass with its reasons. */
  report(): string;
  /** Throws an error with the report unless the run passed; an undecided one has not. */
  check(): EvaluationResult;
}

export function toResult(raw: EvaluatedRun, exitCode: number): EvaluationResult {
  const { scenarios } = raw.results;
  const gates = raw.gates ?? [];
  const result: EvaluationResult = {
    raw,
    exitCode,
    passed: exitCode === 0,
    undecided: exitCode === 6,
    runId: raw.run_id,
    scores: raw.summary.average_scores,
    gates,
    scenarios,
    report: () =>
      [
        ...(raw.problems ?? []).map((problem) => `✗ ${problem}`),
        ...gates.map(({ passed, undecided, message }) => `${passed ? "✓" : undecided ? "?" : "✗"} ${message}`),
        ...scenarios.filter(({ verdict }) => verdict !== "passed").map(scenarioReport),
      ].join("\n"),
    check() {
      if (!result.passed) throw new Error(result.report());
      return result;
    },
  };
  return result;
}

/** The verdict, and each turn that did not pass; attempts that went the same way are shown once. */
function scenarioReport({ scenario_id, verdict, attempts, failed_because = [] }: EvaluatedScenario): string {
  const places = new Map<string, string[]>();
  for (const { attempt, interactions } of attempts) {
    for (const [index, turn] of interactions.entries()) {
      const text = turnReport(turn);
      if (text !== "") places.set(text, [...(places.get(text) ?? []), `attempt ${attempt}, turn ${index + 1}`]);
    }
  }
  const turns = [...places].flatMap(([text, found]) => [
    `  ${found.join("; ")}`,
    ...text.split("\n").map((line) => `    ${line}`),
  ]);
  // No single turn is to blame: outcomes, states and verdicts on whole conversations.
  const whole = turns.some((line) => line.includes("✗")) ? [] : failed_because.map((cause) => `  ✗ ${indented(cause)}`);
  return [`${scenario_id}: ${verdict}`, ...turns, ...whole].join("\n");
}

/** What was said, called and wanted; empty for a turn that passed. */
function turnReport(turn: InteractionResult): string {
  const failed = turn.error
    ? [`no usable reply: ${turn.error.upstream_message ?? turn.error.detail}`]
    : stated(turn, false);
  const undecided = turn.error ? [] : stated(turn, null);
  if (failed.length + undecided.length === 0) return "";
  return [
    `user:  ${short(turn.user_message)}`,
    ...(turn.error ? [] : [`agent: ${short(turn.agent_reply)}`]),
    ...(turn.reference_reply ? [`reference: ${short(turn.reference_reply)}`] : []),
    ...(turn.reference_tool_calls ?? []).map((call) => `expected: ${callText(call)}`),
    ...(turn.tool_calls ?? []).map((call) => `called:   ${callText(call)}`),
    ...failed.map((reason) => `✗ ${indented(reason)}`),
    ...undecided.map((reason) => `? ${indented(reason)}`),
  ].join("\n");
}

const stated = ({ stated: rules = {}, score_reasons = {} }: InteractionResult, holds: boolean | null): string[] =>
  Object.entries(rules).flatMap(([name, seen]) =>
    seen === holds ? [`${name}: ${score_reasons[name] ?? "no reason"}`] : [],
  );

const callText = ({ name, arguments: given }: { readonly name: string; readonly arguments?: unknown }): string =>
  short(`${name}(${given === undefined ? "…" : JSON.stringify(given)})`);

function short(text: string, limit = 300): string {
  const line = text.split(/\s+/).join(" ").trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

const indented = (text: string): string => text.trim().replaceAll("\n", "\n      ");
