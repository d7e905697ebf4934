import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { checkBaseline, compareResponses } from "../gates/check-baseline.ts";
import { checkGates, checksOfRequest, checkUnscored } from "../gates/check-gates.ts";
import type { RunOutcome } from "../reporters/reporter.ts";
import { counted } from "../terminal/figures.ts";
import type { EvalSettings } from "./eval-settings.ts";

/** Decides how a run that has ended counts. A target that does not answer outranks the gates: its figures mean nothing. */
export function judgeRun(
  response: EvaluationResponse,
  { settings, baseline }: { settings: EvalSettings; baseline: EvaluationResponse | null },
): RunOutcome {
  const comparison = baseline ? compareResponses(baseline, response) : null;
  const { baselineScores, maxRegression, gates: wanted, maxErrors } = settings;
  const gates = [
    ...checkGates(wanted, response),
    ...checkUnscored(wanted, comparison ? baselineScores : [], response),
    ...checksOfRequest(response.summary.gate),
    ...(comparison ? [checkBaseline(comparison, { scores: baselineScores, maxRegression })] : []),
  ];
  const stop = whyStopped(response, maxErrors);
  const failed = gates.some(({ passed }) => !passed);
  return {
    response,
    gates,
    comparison,
    problems: stop ? [stop.problem] : [],
    exitCode: stop?.exitCode ?? (failed ? exitCodes.gateFailed : exitCodes.ok),
  };
}

function whyStopped(
  { state, message, summary }: EvaluationResponse,
  maxErrors: number,
): { problem: string; exitCode: ExitCode } | null {
  if (state === "failed") return { problem: message, exitCode: exitCodes.internal };
  const { interactions, failed } = summary;
  if (interactions > 0 && failed / interactions > maxErrors) {
    const told = `The target cannot be used: ${failed} of ${counted(interactions, "turn")} got no reply.`;
    const problem = failed < interactions ? `${told} ${allowed(maxErrors)}` : told;
    return { problem, exitCode: exitCodes.targetUnusable };
  }
  if (summary.stopped_by === "budget") {
    return { problem: "The budget was used up before all was done.", exitCode: exitCodes.budgetStop };
  }
  if (state === "cancelled") return { problem: message, exitCode: exitCodes.interrupted };
  return null;
}

/** Whoever got most replies wonders what was too much, above all in CI, where nobody chose the limit. */
function allowed(maxErrors: number): string {
  const share =
    maxErrors === 0 ? "None may be missing" : `At most ${Number((maxErrors * 100).toFixed(1))} % may be missing`;
  return `${share}: --max-errors allows more.`;
}

/** The one code for several runs: what most needs attention. */
export function worstExitCode(outcomes: readonly RunOutcome[]): ExitCode {
  const order: readonly ExitCode[] = [
    exitCodes.internal,
    exitCodes.interrupted,
    exitCodes.targetUnusable,
    exitCodes.budgetStop,
    exitCodes.gateFailed,
  ];
  return order.find((code) => outcomes.some(({ exitCode }) => exitCode === code)) ?? exitCodes.ok;
}
