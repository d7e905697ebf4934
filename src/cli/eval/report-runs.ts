import { basename } from "node:path";
import { counted } from "../../base/text.ts";
import { retryWhileServiceUnavailable } from "../../client/caller.ts";
import type { Experiment } from "../../contract/schemas/experiment.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { Run } from "../../contract/schemas/run.ts";
import { digestResults, type RunDigest } from "../../formats/export/results/run-digest.ts";
import { exitCodes, type ExitCode } from "../terminal/cli-error.ts";
import {
  evaluateGates,
  evaluateUndecided,
  evaluateUnscored,
  isLeftOutGate,
  requestGateChecks,
  type GateCheck,
} from "../gates/evaluate-gates.ts";
import { evaluateScenarios } from "../gates/every-scenario.ts";
import { optionWords, ownCommand, sourceWords } from "../terminal/next-command.ts";
import type { Reporter, RunOutcome } from "../reporters/reporter.ts";
import type { Session } from "../sources/open-session.ts";
import { inContinuousIntegration, note } from "../terminal/output.ts";
import { resumeWords } from "../options/eval-options.ts";
import type { AgainstBaseline, Compared, Repetition } from "./against-baseline.ts";
import type { EvalSettings } from "./eval-settings.ts";
import { followRunWithReporters } from "./follow-run.ts";
import { decisionCheck } from "./until-decided.ts";
import { createInterruption } from "../process/stop-signals.ts";

/** Shared by all runs of one command. */
export interface RunWork {
  readonly session: Session;
  readonly settings: EvalSettings;
  readonly reporters: readonly Reporter[];
  readonly baseline: EvaluationResponse | null;
  /** Words and scenarios of a repetition that would decide an undecided comparison. */
  readonly again?: Repetition | undefined;
}

/** Starts and reports runs one after the other, since they share the endpoint. An interruption ends the series. */
export async function reportRuns(count: number, work: RunWork, startNext: () => Promise<Run>): Promise<ExitCode> {
  const { reporters } = work;
  const outcomes: RunOutcome[] = [];
  const interruption = createInterruption();
  try {
    for (let number = 1; number <= count; number++) {
      const compared = await reportedBaseline(outcomes, work);
      const outcome = await followAndJudge(await startNext(), {
        ...work,
        baseline: compared,
        signal: interruption.signal,
      });
      if (outcome === null) {
        if (!work.settings.variants) reportNotStarted(work.settings.models.slice(number, count));
        return exitCodes.interrupted;
      }
      outcomes.push(outcome);
      for (const reporter of reporters) await reporter.onEnd?.(outcome, { number, of: count });
    }
  } finally {
    interruption.stop();
  }
  const experiment = await experimentOf(outcomes, work);
  const exitCode = worstExitCode([...outcomes, ...contestOutcome(experiment, work)]);
  for (const reporter of reporters) await reporter.onFinish?.(outcomes, { exitCode, experiment });
  return exitCode;
}

/** With margins and variants, each is compared with the first. */
async function reportedBaseline(outcomes: readonly RunOutcome[], work: RunWork): Promise<EvaluationResponse | null> {
  const { baseline, settings } = work;
  const [first] = outcomes;
  if (baseline || !settings.margins || !first || !settings.variants) return baseline;
  return first.results();
}

/** The variants side by side, when the runs of the command are variants. */
async function experimentOf(outcomes: readonly RunOutcome[], { session }: RunWork): Promise<Experiment | null> {
  const id = outcomes.find(({ variant }) => variant !== undefined)?.variant?.id;
  return id === undefined ? null : retryWhileServiceUnavailable(() => session.client.experiment(id), {});
}

/** Variants that are compared until it is decided are done when no other is left beside the best one. */
function contestOutcome(
  experiment: Experiment | null,
  { settings: { options, config } }: RunWork,
): { readonly exitCode: ExitCode }[] {
  const isOpen = experiment?.best === null && (experiment.pairs?.length ?? 0) > 1;
  return isOpen && options.gate !== false && config.undecided !== "pass" ? [{ exitCode: exitCodes.undecided }] : [];
}

/** Null after an interruption; the command to resume is then printed. */
async function followAndJudge(
  run: Run,
  { session, settings, reporters, baseline, again, signal }: RunWork & { signal: AbortSignal },
) {
  try {
    const { client } = session;
    await followRunWithReporters(run, { client, reporters, signal });
    let whole: Promise<EvaluationResponse> | undefined;
    const results = () =>
      (whole ??= retryWhileServiceUnavailable(() => client.results(run.run_id, { signal }), { signal }));
    const digest = (await client.digest?.(run.run_id, { signal })) ?? digestResults(await results());
    const against = baseline && (await compareWith(baseline, { candidate: await results(), digest, settings, again }));
    const variant = run.experiment && run.experiment.runs.length > 1 ? run.experiment : undefined;
    return { ...judgeRun(digest, settings, { against, run }), results, ...(variant && { variant }) };
  } catch (error) {
    if (!signal.aborted) throw error;
    note("");
    note(
      session.outlivesUs
        ? `The run ${run.run_id} continues at the service. Cancel it with: ${cancelLine(run, settings)}`
        : `Interrupted; finished turns are kept. Resume with: ${resumeLine(run, settings)}`,
    );
    return null;
  }
}

/** Lists models without a run: the printed command resumes only the interrupted one. */
function reportNotStarted(models: readonly string[]): void {
  if (models.length > 0) note(`Not started: ${models.join(", ")}`);
}

/** Concurrency may also come from a request file. It belongs to the process, not to the stored run. */
const resumeLine = ({ run_id }: Run, { config: { concurrency }, options }: EvalSettings): string =>
  ownCommand("eval --resume", run_id, ...resumeWords({ ...options, concurrency }));

const cancelLine = ({ run_id }: Run, { config: { server } }: EvalSettings): string =>
  ownCommand("runs cancel", run_id, ...sourceWords({ server }));

/** The comparison with `--baseline` is loaded only for runs that have one. */
async function compareWith(baseline: EvaluationResponse, candidate: Compared): Promise<AgainstBaseline> {
  const { againstBaseline } = await import("./against-baseline.ts");
  return againstBaseline(baseline, candidate);
}

/** Evaluates an ended run by the gates of the user, else by its scenarios. A target without replies outranks the gates: its figures mean nothing. */
function judgeRun(
  digest: RunDigest,
  settings: EvalSettings,
  { against, run }: { against: AgainstBaseline | null; run: Run },
): Omit<RunOutcome, "results"> {
  const { config, options, configFile = "rehearsal.yaml" } = settings;
  const found = optionWords([["--config", options.config ?? basename(configFile)]]);
  const looksOnly = options.gate === false;
  const checks = looksOnly ? [] : gateChecks(digest, settings, { against, run });
  // Figures of a run that left out too much are undecided, whatever the other gates say.
  const undecidedRun = looksOnly ? null : evaluateUndecided(settings.gates, digest);
  const gates = undecidedRun ? [...checks.filter((check) => !isLeftOutGate(check)), undecidedRun] : checks;
  const stop = whyStopped(digest, config.max_errors ?? defaultMaxErrors());
  return {
    digest,
    gates,
    comparison: against?.comparison ?? null,
    problems: stop ? [stop.problem] : [],
    found: [...found, ...sourceWords({ ...options, server: config.server })],
    // With --no-gate the decision is no check, and still the answer.
    next: looksOnly ? (digest.summary.decision?.sentence ?? null) : (against?.next ?? null),
    exitCode: stop?.exitCode ?? (undecidedRun ? exitCodes.undecided : exitCodeOf(gates)),
  };
}

/** The checks of what the user asked for: gates, a baseline, the gate of the request, a comparison until it is decided. */
function gateChecks(
  digest: RunDigest,
  { gates, config }: EvalSettings,
  { against, run }: { against: AgainstBaseline | null; run: Run },
): readonly GateCheck[] {
  const { gate, decision: made } = digest.summary;
  const variants = run.experiment?.runs.length ?? 1;
  const isCompared = variants > 1 && run.sequence !== undefined;
  // Of several variants that are all compared with each other, the experiment says which is best.
  const decision = variants > 2 && made?.margin === null ? undefined : made;
  if (gates.length === 0 && !gate && !against && !decision && !isCompared) return [evaluateScenarios(digest)];
  return [
    ...evaluateGates(gates, digest),
    ...evaluateUnscored(gates, against?.scores ?? [], digest),
    ...requestGateChecks(gate),
    ...(against?.checks ?? []),
    ...(decision ? [decisionCheck(decision, config.undecided)] : []),
  ];
}

function exitCodeOf(gates: readonly GateCheck[]): ExitCode {
  const failed = gates.filter(({ passed }) => !passed);
  if (failed.length === 0) return exitCodes.ok;
  return failed.every(({ undecided }) => undecided) ? exitCodes.undecided : exitCodes.gateFailed;
}

/** In CI no reply may be missing. At a desk a person sees missing replies, so only a target that never answers is unusable. */
const defaultMaxErrors = (): number => (inContinuousIntegration() ? 0 : 1 - Number.EPSILON);

function whyStopped(
  { state, message, summary }: RunDigest,
  maxErrors: number,
): { problem: string; exitCode: ExitCode } | null {
  if (state === "failed") return { problem: message, exitCode: exitCodes.internal };
  const { interactions, failed } = summary;
  if (interactions > 0 && failed / interactions > maxErrors) {
    const problemText = `The target cannot be used: ${failed} of ${counted(interactions, "turn")} got no reply.`;
    const problem = failed < interactions ? `${problemText} ${allowed(maxErrors)}` : problemText;
    return { problem, exitCode: exitCodes.targetUnusable };
  }
  if (summary.stopped_by === "budget") {
    return { problem: message, exitCode: exitCodes.budgetStop };
  }
  if (state === "cancelled") return { problem: message, exitCode: exitCodes.interrupted };
  return null;
}

/** Names the limit, which in CI is a default the user may not know. */
function allowed(maxErrors: number): string {
  const share =
    maxErrors === 0 ? "None may be missing" : `At most ${Number((maxErrors * 100).toFixed(1))} % may be missing`;
  return `${share}: --max-errors allows more.`;
}

/** The most serious exit code of several runs. */
function worstExitCode(outcomes: readonly Pick<RunOutcome, "exitCode">[]): ExitCode {
  const order: readonly ExitCode[] = [
    exitCodes.internal,
    exitCodes.interrupted,
    exitCodes.targetUnusable,
    exitCodes.budgetStop,
    exitCodes.gateFailed,
    exitCodes.undecided,
  ];
  return order.find((code) => outcomes.some(({ exitCode }) => exitCode === code)) ?? exitCodes.ok;
}
