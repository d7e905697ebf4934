import { shownEndpoint } from "../../base/secret.ts";
import type { Range, RunEstimate } from "../../contract/schemas/budget.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { finalStates, type Run } from "../../contract/schemas/run.ts";
import { addRanges } from "../../evaluation/budget/estimate-run.ts";
import { verdictOf } from "../../formats/export/verdict.ts";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { inOurWords } from "../chat/unknown-model.ts";
import { CliError } from "../cli-error.ts";
import { ownAgent, ownAgentStandIn } from "../config/endpoint.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { checkGateNames } from "../gates/check-gate-names.ts";
import type { SourceOptions } from "../options.ts";
import { loadSettings, reachedByNobody } from "../parts/load-settings.ts";
import { portIsFree } from "../parts/port-is-free.ts";
import { checkRunsOnStdout, chooseReporters } from "../reporters/choose-reporters.ts";
import type { Reporter } from "../reporters/reporter.ts";
import { selectScenarios } from "../scenarios/select-scenarios.ts";
import { findRun } from "../sources/find-run.ts";
import { openSession, type Session } from "../sources/open-session.ts";
import { openSource, serverFromEnvironment } from "../sources/open-source.ts";
import { wideLimits } from "../sources/wide-limits.ts";
import { counted } from "../terminal/figures.ts";
import { note, printJson, tell } from "../terminal/output.ts";
import { waysOn } from "../ways-on.ts";
import { readEvalSettings, type EvalOptions, type EvalSettings } from "./eval-settings.ts";
import { loadScenarios } from "./load-scenarios.ts";
import { planRuns, type PlannedRun } from "./plan-runs.ts";
import { reportRuns, type RunWork } from "./report-runs.ts";

/** `rehearsal eval`: reads, runs, judges and reports. Tells the exit code. `only`: no other scenarios than these. */
export async function runEval(
  files: readonly string[],
  options: EvalOptions,
  only?: ReadonlySet<string>,
): Promise<ExitCode> {
  checkBesideResume(files, options);
  const typed = await readEvalSettings(files, options);
  const reporters = await chooseReporters({
    names: typed.reporters,
    outputs: typed.outputs,
    json: options.json ?? false,
  });
  const where = { ...options, ...(typed.server !== undefined && { server: typed.server }) };
  if (options.maxRegression !== undefined && typed.baseline === undefined) {
    note("--max-regression holds nothing back without --baseline: there is no run to compare with.");
  }
  const baseline = typed.baseline === undefined ? null : await readRun(typed.baseline, where);
  const work = { reporters, baseline };
  if (options.resume !== undefined) return resumeRun(options.resume, { where, settings: typed, ...work });

  tellOfIdle(options, where);
  const { settings, scenarios } = await loadScenarios(typed, { skipInvalid: options.skipInvalid ?? false });
  checkRunsOnStdout(settings.reporters, settings.models.length);
  checkGateNames(settings.gates, { config: settings.config, scenarios });
  const chosen = selectScenarios(scenarios, {
    filters: options.filter ?? [],
    ids: only ?? (await idsOfFailed(options.onlyFailed, where)),
    first: options.first,
    sample: options.sample,
    seed: options.seed,
  });
  const { concurrency, endpoint = ownAgent } = settings.config;
  if (options.dryRun) {
    const remote = where.server ?? serverFromEnvironment(where.dataDir);
    const agent = remote === undefined ? ownAgentStandIn : null;
    const planned = planRuns(settings, { scenarios: chosen, agent });
    if (remote === undefined && endpoint === ownAgent) await checkOwnModels(settings.models, where);
    await printPlan(planned, { ...where, endpoint, concurrency });
    return exitCodes.ok;
  }
  await using session = await openSession({ ...where, concurrency, agent: endpoint === ownAgent });
  return await carryOut({ session, settings, scenarios: chosen, where, ...work });
}

/** What was typed and does nothing without another option. */
function tellOfIdle({ seed, sample, priority, dataDir }: EvalOptions, { server }: EvalOptions): void {
  if (seed !== undefined && sample === undefined) note("--seed draws nothing without --sample: nothing is left out.");
  if (priority !== undefined && (server ?? serverFromEnvironment(dataDir)) === undefined) {
    note("--priority puts nothing first without --server: this command carries out its own runs, one after the other.");
  }
}

interface CarriedOut extends RunWork {
  readonly scenarios: readonly FileScenario[];
  readonly where: SourceOptions;
}

async function carryOut({ scenarios, where, ...work }: CarriedOut): Promise<ExitCode> {
  const { session, settings } = work;
  // In this process the number of calls at once is that of the process: the run needs none of its own.
  const { concurrency: _, ...config } = settings.config;
  const planned = planRuns(session.outlivesUs ? settings : { ...settings, config }, {
    scenarios,
    agent: session.agent,
  });
  await checkModels(session, settings.models);
  if (!session.outlivesUs) await tellOfUnfinished(session, where);
  return reportRuns(planned, work, (plan) => session.client.start(plan.request));
}

/** All of them before the first run: the last of several models is no place to find a misspelt name. */
async function checkModels(session: Pick<Session, "checkModel">, models: readonly string[]): Promise<void> {
  for (const modelId of models) {
    await session.checkModel(modelId).catch((error: unknown) => {
      throw inOurWords(error, modelId, ", --endpoint tests one at another address");
    });
  }
}

/** For a dry run: our own agent backend is asked without being there. */
async function checkOwnModels(models: readonly string[], { envFile = [] }: EvalOptions): Promise<void> {
  const { createModelChecker } = await import("../parts/create-model-checker.ts");
  await using checker = createModelChecker(
    loadSettings({ files: envFile, overrides: { ...reachedByNobody, ...wideLimits } }).settings,
  );
  await checkModels(checker, models);
}

async function readRun(text: string, where: EvalOptions): Promise<EvaluationResponse> {
  const { readResults } = await import("../sources/read-results.ts");
  await using source = await openSource(where);
  return await readResults(source, text);
}

/** What `--only-failed` leaves; undefined where it was not typed. */
export async function idsOfFailed(
  text: string | undefined,
  where: EvalOptions,
): Promise<ReadonlySet<string> | undefined> {
  if (text === undefined) return undefined;
  const { results, run_id } = await readRun(text, where);
  // A scenario the run never came to has not passed either.
  const failed = results.scenarios.filter((result) =>
    ["failed", "error", "not_run"].includes(verdictOf(result).outcome),
  );
  if (failed.length === 0) throw new CliError(`every scenario passed in the run ${run_id}`);
  return new Set(failed.map(({ scenario_id }) => scenario_id));
}

/** Runs share one store, and this process carries out its own alone: whatever was left there before stays as it is. */
async function tellOfUnfinished({ client }: Session, where: SourceOptions): Promise<void> {
  for (const state of ["running", "queued"] as const) {
    for (const run of (await client.list({ state, limit: 200 })).runs) {
      note(`The run ${run.run_id} is unfinished: ${waysOn(run, where)}`);
    }
  }
}

/** What a run was made with, by the option that says it. */
const made = {
  endpoint: "--endpoint",
  model: "-m",
  attempts: "-a",
  name: "--name",
  protocol: "--protocol",
  system: "--system",
  stream: "--stream",
  history: "--history",
  priority: "--priority",
  filter: "--filter",
  onlyFailed: "--only-failed",
  first: "--first",
  sample: "--sample",
  seed: "--seed",
  maxCost: "--max-cost",
  maxSeconds: "--max-seconds",
  skipInvalid: "--skip-invalid",
} as const satisfies Partial<Record<keyof EvalOptions, string>>;

/** Looks at what was typed beside `--resume`: a dry run calls no model, and a run goes on with what it was made of. */
function checkBesideResume(files: readonly string[], options: EvalOptions): void {
  const { resume, dryRun } = options;
  if (resume === undefined) return;
  if (dryRun) {
    throw new CliError(
      `--resume and --dry-run: which one? rehearsal show ${resume} calls nothing, and tells how far it is`,
    );
  }
  const unread = (Object.keys(made) as (keyof typeof made)[])
    .filter((option) => options[option] !== undefined)
    .map((option) => made[option]);
  const typed = [...files, ...unread];
  if (typed.length > 0) note(`The run goes on with what it was made of, whatever ${typed.join(", ")} says.`);
}

/** Says what an evaluation would do, and take where earlier runs or rules of thumb can tell. Calls no model. */
async function printPlan(
  planned: readonly PlannedRun[],
  {
    json,
    endpoint: asked,
    ...where
  }: SourceOptions & { json?: boolean; endpoint: string; concurrency?: number | undefined },
): Promise<void> {
  const endpoint = shownEndpoint(asked);
  await using source = await openSource(where);
  const runs = [];
  for (const { request, scenarios, turns, attempts } of planned) {
    const { test_name, model_id } = request;
    // What a run would be refused for is refused here: that is what the dry run is asked for.
    const estimate = await source.estimate(request);
    const calls = estimate.model_calls.expected;
    runs.push({ test_name, endpoint, model_id, scenarios, turns, attempts, calls, estimate });
  }
  const calls = runs.reduce((sum, run) => sum + run.calls, 0);
  if (json) return printJson({ runs, calls });
  const target = endpoint === ownAgent ? "Rehearsal's own agent" : endpoint;
  for (const run of runs) {
    const size = [counted(run.scenarios, "scenario"), counted(run.turns, "turn"), counted(run.attempts, "attempt")];
    tell(`${run.test_name} on ${run.model_id} at ${target}: ${size.join(", ")} = ${callsText(run.estimate)}`);
    tell(`  ${sentenceOf(run.estimate)}`);
    for (const { pointer, message } of run.estimate.warnings ?? []) tell(`  ${pointer} ${message}`);
  }
  if (runs.length > 1) tell(`${callsIn(runs.map(({ estimate }) => estimate.calls).reduce(addRanges))} in all`);
}

/** The sentence after it counts all calls: without the others its number would contradict this one. */
function callsText({ model_calls, helper_calls }: RunEstimate): string {
  const others = helper_calls.high > 0 ? ` and ${figuresIn(helper_calls)} of judge or labeller` : "";
  return `${callsIn(model_calls)}${others}`;
}

const figuresIn = ({ low, high }: Range): string => (low < high ? `${low} to ${high}` : String(high));

const callsIn = (range: Range): string => `${figuresIn(range)} ${range.high === 1 ? "call" : "calls"}`;

const sentenceOf = ({ sentence, based_on }: RunEstimate): string => `${sentence} (${based_on})`;

interface ResumeOptions {
  readonly where: SourceOptions;
  readonly settings: EvalSettings;
  readonly reporters: readonly Reporter[];
  readonly baseline: EvaluationResponse | null;
}

/** Goes on with a run at its first missing turn. One that has ended is reported again. */
async function resumeRun(text: string, { where, ...work }: ResumeOptions): Promise<ExitCode> {
  const run = await readUnfinished(text, where);
  const agentPort = await ownAgentPort(run);
  await using session = await openSession({
    ...where,
    concurrency: work.settings.config.concurrency,
    agent: agentPort !== undefined,
    agentPort,
    resume: run.run_id,
  });
  return await reportRuns([run], { session, ...work }, ({ run_id }) => session.client.get(run_id));
}

async function readUnfinished(text: string, where: SourceOptions): Promise<Run> {
  await using source = await openSource(where);
  const run = await source.get(await findRun(source, text));
  if (run.state === "cancelled") throw new CliError(`the run ${run.run_id} was cancelled and cannot go on`);
  return run;
}

/**
 * A run against our own agent backend remembers a port that went with its process: the new one listens there again. Where
 * something listens already, that is what the run was made for.
 */
async function ownAgentPort({ endpoint, state }: Run): Promise<number | undefined> {
  const url = URL.parse(endpoint);
  if (finalStates.has(state) || url?.hostname !== "127.0.0.1" || url.pathname !== "/" || url.port === "") return;
  const port = Number(url.port);
  return (await portIsFree(url.hostname, port)) ? port : undefined;
}
