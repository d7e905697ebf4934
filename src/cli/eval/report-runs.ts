import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { Run } from "../../contract/schemas/run.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { checkBaseline, compareResponses } from "../gates/check-baseline.ts";
import { checkGates, checksOfRequest, checkUnscored } from "../gates/check-gates.ts";
import { ownCommand } from "../next-command.ts";
import type { Reporter, RunOutcome } from "../reporters/reporter.ts";
import type { Session } from "../sources/open-session.ts";
import { counted } from "../terminal/figures.ts";
import { note } from "../terminal/output.ts";
import { toWords } from "../words-where.ts";
import type { EvalSettings } from "./eval-settings.ts";
import { followRun } from "./follow-run.ts";
import { createInterruption } from "./interruption.ts";

/** What every run of one command shares. */
export interface RunWork {
  readonly session: Session;
  readonly settings: EvalSettings;
  readonly reporters: readonly Reporter[];
  readonly baseline: EvaluationResponse | null;
}

/** Runs one after the other, since they share the endpoint; an interruption ends the row. */
export async function reportRuns<Item>(
  items: readonly Item[],
  work: RunWork,
  start: (item: Item) => Promise<Run>,
): Promise<ExitCode> {
  const { reporters } = work;
  const outcomes: RunOutcome[] = [];
  const interruption = createInterruption();
  try {
    for (const [index, item] of items.entries()) {
      const outcome = await oneRun(await start(item), { ...work, signal: interruption.signal });
      if (outcome === null) {
        tellOfRest(work.settings.models.slice(index + 1, items.length));
        return exitCodes.interrupted;
      }
      outcomes.push(outcome);
      for (const reporter of reporters) await reporter.onEnd?.(outcome, { number: index + 1, of: items.length });
    }
  } finally {
    interruption.stop();
  }
  const exitCode = worstExitCode(outcomes);
  for (const reporter of reporters) await reporter.onFinish?.(outcomes, exitCode);
  return exitCode;
}

/** null: interrupted. What was stored stays, and the line that goes on with it is printed. */
async function oneRun(run: Run, { session, settings, reporters, baseline, signal }: RunWork & { signal: AbortSignal }) {
  try {
    const response = await followRun(run, { client: session.client, reporters, signal });
    return judgeRun(response, { settings, baseline });
  } catch (error) {
    if (!signal.aborted) throw error;
    note("");
    note(
      session.outlivesUs
        ? `The run ${run.run_id} goes on at the service; ${cancelLine(run, settings)} ends it.`
        : `Interrupted; what is done is kept. Go on with: ${resumeLine(run, settings)}`,
    );
    return null;
  }
}

/** The models whose turn never came: the line that goes on does so with one run alone. */
function tellOfRest(models: readonly string[]): void {
  if (models.length > 0) note(`Not begun: ${models.join(", ")}`);
}

/** How many calls are made at once is up to the process that makes them, so the next one has to be told. */
function resumeLine({ run_id }: Run, { config: { concurrency }, beside }: EvalSettings): string {
  const calls = concurrency === undefined ? [] : ["-j", `${concurrency}`];
  return ownCommand("eval --resume", run_id, ...beside, ...calls);
}

const cancelLine = ({ run_id }: Run, { server }: EvalSettings): string =>
  ownCommand("cancel", run_id, ...toWords([["--server", server]]));

/** Decides how a run that has ended counts. A target that does not answer outranks the gates: its figures mean nothing. */
function judgeRun(
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
function worstExitCode(outcomes: readonly RunOutcome[]): ExitCode {
  const order: readonly ExitCode[] = [
    exitCodes.internal,
    exitCodes.interrupted,
    exitCodes.targetUnusable,
    exitCodes.budgetStop,
    exitCodes.gateFailed,
  ];
  return order.find((code) => outcomes.some(({ exitCode }) => exitCode === code)) ?? exitCodes.ok;
}
