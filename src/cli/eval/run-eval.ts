import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { finalStates, type Run } from "../../contract/schemas/run.ts";
import { isLocalTarget, targetAddress } from "../../contract/schemas/acting/target.ts";
import { verdictOf } from "../../formats/export/results/verdict.ts";
import type { FileScenario, ScenarioVariant } from "../../formats/scenario-file.ts";
import { ownAgent, ownAgentPlaceholder, portIsFree } from "../options/addresses.ts";
import { CliError, exitCodes, type ExitCode } from "../terminal/cli-error.ts";
import { loadSettings, unreachable } from "../config/load-settings.ts";
import { requireKnownScores } from "./known-scores.ts";
import { resumeOrCancelHint } from "../terminal/next-command.ts";
import type { SourceOptions } from "../options/shared-options.ts";
import { chooseReporters, requireOneDocument, type Reporter } from "../reporters/reporter.ts";
import { selectScenarios } from "../scenarios/select-scenarios.ts";
import { explainUnknownModel, openSession, type Session } from "../sources/open-session.ts";
import { openSource, serverFromEnvironment } from "../sources/open-source.ts";
import { resolveRunId } from "../sources/run-source.ts";
import { note } from "../terminal/output.ts";
import { ignoredOnResume, repeatedWords, type EvalOptions } from "../options/eval-options.ts";
import { readEvalSettings, type EvalSettings } from "./eval-settings.ts";
import { loadScenarios } from "./load-scenarios.ts";
import { planRuns, printPlan, refuseUnpriced } from "./plan-runs.ts";
import { reportRuns, type RunWork } from "./report-runs.ts";
import type { Variants } from "./read-variants.ts";
import { chooseSpanPort, tellSpanPort } from "./span-port.ts";
import { untilDecided } from "./until-decided.ts";
import { loadWorlds, requireCode } from "./world-modules.ts";

/** `rehearsal eval`: reads, runs, judges and reports. Returns the exit code. `only` limits the scenarios by id. */
export async function runEval(
  files: readonly string[],
  options: EvalOptions,
  only?: ReadonlySet<string>,
): Promise<ExitCode> {
  checkResumeOptions(files, options);
  const typed = await readEvalSettings(files, options);
  const reporters = await chooseReporters({
    names: typed.config.reporters ?? [],
    outputs: typed.config.output ?? [],
    json: options.json ?? false,
  });
  const { server, baseline: compared } = typed.config;
  const where = { ...options, server };
  if (options.maxRegression !== undefined && compared === undefined) {
    note("--max-regression has no effect without --baseline: there is no run to compare with.");
  }
  const isSequential = options.untilDecided ?? false;
  if (typed.margins && compared === undefined && !isSequential && (typed.variants?.count ?? 1) < 2) {
    throw new CliError("--not-worse-by needs --baseline or variants: name the run or results file to compare with");
  }
  if (options.undecided !== undefined && compared === undefined && !isSequential) {
    note("--undecided has no effect without --baseline: there is no run to compare with.");
  }
  const baseline = compared === undefined ? null : await readBaselineRun(compared, where);
  // A comparison that stops when it is decided is the only one with this baseline.
  const work = { reporters, baseline: isSequential ? null : baseline };
  if (options.resume !== undefined) {
    return resumeRun(options.resume, { where, settings: typed, spanPort: chooseSpanPort(typed, options), ...work });
  }

  noteUnusedOptions(options, where);
  const read = await loadScenarios(typed, options);
  const runs = Math.max(read.settings.models.length, read.settings.variants?.count ?? 1) * (1 + read.variants.length);
  requireOneDocument(read.settings.config.reporters ?? [], runs);
  if (options.experiment !== undefined && !read.settings.variants)
    throw new CliError("--experiment needs variants (--variant): they join it");
  await requireKnownScores(read.settings.gates, {
    config: read.settings.config,
    scenarios: read.scenarios,
    margins: read.settings.margins,
    server: where.server ?? serverFromEnvironment(where.dataDir),
  });
  const selected = selectScenarios(read.scenarios, {
    filters: options.filter ?? [],
    ids: only ?? (await failedScenarioIds(options.onlyFailed, where)),
    first: options.first,
    sample: options.sample,
    seed: options.seed,
  });
  const loaded = await loadWorlds({ ...read, scenarios: selected }, where);
  const { scenarios: chosen } = loaded;
  const replayUsers = await recordedRun(options.replayUsers ?? read.settings.replayUsers, where);
  const comparing = isSequential ? untilDecided(loaded.settings, { seed: options.seed, baseline }) : loaded.settings;
  const experiment = await recordedRun(options.experiment, where);
  const settings = { ...comparing, replayUsers, options: { ...comparing.options, experiment } };
  const tested = loaded.settings.variants;
  const named = tested ? ownModels(loaded.settings, tested) : loaded.settings.models;
  const { variants } = read;
  await requireCode({ settings, scenarios: chosen }, where);
  if (baseline && settings.margins && !isSequential) {
    const { marginsOutOfReach } = await import("./against-baseline.ts");
    const ids = new Set(chosen.map(({ id }) => id));
    for (const line of marginsOutOfReach(baseline, { margins: settings.margins, scenarios: ids })) note(line);
  }
  const { endpoint: typedEndpoint, target: typedTarget, targetCommand, protocol, ...others } = options;
  const again = {
    words: repeatedWords(files, others),
    chosen: repeatedWords([], { endpoint: typedEndpoint, target: typedTarget, targetCommand, protocol }),
    available: read.scenarios.length,
  };
  const { concurrency, endpoint: address = ownAgent } = settings.config;
  const { target, targetSecrets } = settings;
  const endpoint = target ? targetAddress(target.target) : address;
  if (options.dryRun) {
    const remote = where.server ?? serverFromEnvironment(where.dataDir);
    const agent = remote === undefined ? ownAgentPlaceholder : null;
    const planned = planRuns(settings, { scenarios: chosen, variants, agent });
    if (remote === undefined && endpoint === ownAgent) await checkOwnModels(named, where);
    await printPlan(planned, { ...where, endpoint, concurrency, targetSecrets });
    return exitCodes.ok;
  }
  const local = target && isLocalTarget(target.target) ? target.target : undefined;
  if ((local || tested?.local[0]) && (where.server ?? serverFromEnvironment(where.dataDir)) !== undefined) {
    throw new CliError(
      "a target on this machine cannot be used with --server: leave out --server and REHEARSAL_SERVER",
    );
  }
  const spanPort = chooseSpanPort(settings, options);
  const session = await openSession({
    ...where,
    concurrency,
    agent: endpoint === ownAgent || usesOwnAgent(tested),
    targets: [...(local ? [local] : []), ...(tested?.local ?? [])],
    targetSecrets,
    otelPort: spanPort.port,
  });
  try {
    tellSpanPort(session, spanPort);
  } catch (error) {
    await session[Symbol.asyncDispose]();
    throw error;
  }
  // An await here would keep the scenarios in memory until the last run has ended.
  return executeRuns({ session, settings, named, scenarios: chosen, variants, where, ...work, again }).finally(() =>
    session[Symbol.asyncDispose](),
  );
}

/** The id of the run whose simulated users are replayed. */
async function recordedRun(text: string | undefined, where: SourceOptions): Promise<string | undefined> {
  if (text === undefined) return undefined;
  await using source = await openSource(where);
  return await resolveRunId(source, text);
}

/** Notes options that have no effect without another one. */
function noteUnusedOptions(
  { seed, sample, untilDecided: isSequential, priority, dataDir }: EvalOptions,
  { server }: EvalOptions,
): void {
  if (seed !== undefined && sample === undefined && !isSequential) note("--seed has no effect without --sample.");
  if (priority !== undefined && (server ?? serverFromEnvironment(dataDir)) === undefined) {
    note("--priority has no effect without --server: this command executes its own runs one after the other.");
  }
}

interface Execution extends RunWork {
  readonly scenarios: readonly FileScenario[];
  readonly variants: readonly ScenarioVariant[];
  readonly where: SourceOptions;
  /** Every model of the command, also the one that another is compared with. */
  readonly named: readonly string[];
}

async function executeRuns({ scenarios, variants, where, named, ...work }: Execution): Promise<ExitCode> {
  const { session, settings } = work;
  // In this process, concurrency is a limit of the process and not of the run.
  const { concurrency: _, ...config } = settings.config;
  const planned = planRuns(session.outlivesUs ? settings : { ...settings, config }, {
    scenarios,
    variants,
    agent: session.agent,
  });
  await checkModels(session, named);
  for (const { request } of planned) {
    if (request.budget?.money !== undefined) refuseUnpriced(await session.client.estimate(request), request);
  }
  if (!session.outlivesUs) await noteUnfinishedRuns(session, where);
  const started: string[] = [];
  // A request is forgotten when its run is stored.
  const startNext = async (): Promise<Run> => {
    const stored = started.shift();
    if (stored !== undefined) return session.client.get(stored);
    const run = await session.client.start(planned.shift()!.request);
    started.push(...(run.experiment?.runs.filter((id) => id !== run.run_id) ?? []));
    return run;
  };
  return reportRuns(
    planned.reduce((sum, { runs }) => sum + runs, 0),
    work,
    startNext,
  );
}

/** The models that our own agent backend is asked for. */
function ownModels(
  { models, config, target }: EvalSettings,
  { variants, vary, models: named }: Variants,
): readonly string[] {
  const isElsewhere =
    target !== undefined || (config.endpoint ?? ownAgent) !== ownAgent || vary?.endpoint !== undefined;
  if (isElsewhere) return [];
  const isAsked = models.length > 0 && !variants.every(({ model_id, endpoint }) => model_id ?? endpoint);
  const theirs = variants.flatMap(({ model_id, endpoint }) =>
    model_id !== undefined && endpoint === undefined ? [model_id] : [],
  );
  const levels = named.filter((id) => !variants.some(({ model_id }) => model_id === id));
  return [...new Set([...(isAsked || variants.length === 0 ? models : []), ...theirs, ...levels])];
}

const usesOwnAgent = (tested: Variants | null): boolean =>
  tested?.variants.some(({ endpoint }) => endpoint === ownAgent) ?? false;

/** Checks all models before the first run, so that a misspelt last one does not waste the others. */
async function checkModels(session: Pick<Session, "checkModel">, models: readonly string[]): Promise<void> {
  for (const modelId of models) {
    await session.checkModel(modelId).catch((error: unknown) => {
      throw explainUnknownModel(error, modelId, "; --endpoint tests a model at another address");
    });
  }
}

/** Checks the models of our own agent backend without starting it, for a dry run. */
async function checkOwnModels(models: readonly string[], { config, envFile }: EvalOptions): Promise<void> {
  const { createModelChecker } = await import("../composition/providers.ts");
  const { settings } = await loadSettings({ config, envFile, overrides: unreachable });
  await using checker = createModelChecker(settings);
  await checkModels(checker, models);
}

async function readBaselineRun(text: string, where: EvalOptions): Promise<EvaluationResponse> {
  const { loadResults } = await import("../sources/read-results.ts");
  await using source = await openSource(where);
  return await loadResults(source, text);
}

/** The scenarios of `--only-failed`; undefined without that option. */
export async function failedScenarioIds(
  text: string | undefined,
  where: EvalOptions,
): Promise<ReadonlySet<string> | undefined> {
  if (text === undefined) return undefined;
  const { results, run_id } = await readBaselineRun(text, where);
  // Scenarios the run did not reach have not passed either.
  const failed = results.scenarios.filter((result) =>
    ["failed", "error", "not_run"].includes(verdictOf(result).outcome),
  );
  if (failed.length === 0) throw new CliError(`every scenario passed in the run ${run_id}: nothing to evaluate`);
  return new Set(failed.map(({ scenario_id }) => scenario_id));
}

/** Notes unfinished runs in the shared store: this process executes only its own. */
async function noteUnfinishedRuns({ client }: Session, where: SourceOptions): Promise<void> {
  for (const state of ["running", "queued"] as const) {
    for (const run of (await client.list({ state, limit: 200 })).runs) {
      note(`The run ${run.run_id} is unfinished.\n  ${resumeOrCancelHint(run, where)}`);
    }
  }
}

/** Refuses `--resume --dry-run`, and notes options that a resumed run ignores. */
function checkResumeOptions(files: readonly string[], options: EvalOptions): void {
  const { resume, dryRun } = options;
  if (resume === undefined) return;
  if (dryRun) {
    throw new CliError(
      `--resume and --dry-run cannot be combined: rehearsal runs show ${resume} prints the progress without calling a model`,
    );
  }
  const typed = [...files, ...ignoredOnResume(options)];
  if (typed.length > 0) note(`The run keeps its original settings. Ignored: ${typed.join(", ")}.`);
}

interface ResumeRunOptions {
  readonly where: SourceOptions;
  readonly settings: EvalSettings;
  readonly spanPort: ReturnType<typeof chooseSpanPort>;
  readonly reporters: readonly Reporter[];
  readonly baseline: EvaluationResponse | null;
}

/** Resumes a run at its first missing turn. An ended run is reported again. */
async function resumeRun(text: string, { where, spanPort, ...work }: ResumeRunOptions): Promise<ExitCode> {
  const run = await readUnfinished(text, where);
  const agentPort = await ownAgentPort(run);
  await using session = await openSession({
    ...where,
    concurrency: work.settings.config.concurrency,
    agent: agentPort !== undefined,
    agentPort,
    resume: run.run_id,
    targetSecrets: work.settings.targetSecrets,
    otelPort: spanPort.port,
  });
  tellSpanPort(session, spanPort);
  // The variants were started together, and are resumed and reported together.
  const ids = [...(run.experiment?.runs ?? [run.run_id])];
  return await reportRuns(ids.length, { session, ...work }, () => session.client.get(ids.shift() ?? run.run_id));
}

/** Of two runs that are compared until it is decided, the candidate's: it brings the other one along, and the verdict. */
async function readUnfinished(text: string, where: SourceOptions): Promise<Run> {
  await using source = await openSource(where);
  const named = await source.get(await resolveRunId(source, text));
  const { side, opponent = null } = named.sequence ?? {};
  const isPair = side === "baseline" && opponent !== null && !named.experiment;
  const run = isPair ? await source.get(opponent) : named;
  if (run.state === "cancelled") throw new CliError(`the run ${run.run_id} was cancelled and cannot be resumed`);
  return run;
}

/**
 * The port for our own agent backend when the run's endpoint is one of an ended process. Undefined when something listens
 * there: that is then the run's target.
 */
async function ownAgentPort({ endpoint, state }: Run): Promise<number | undefined> {
  const url = URL.parse(endpoint);
  if (finalStates.has(state) || url?.hostname !== "127.0.0.1" || url.pathname !== "/" || url.port === "") return;
  const port = Number(url.port);
  return (await portIsFree(url.hostname, port)) ? port : undefined;
}
