import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { verdictOf } from "../../formats/export/verdict.ts";
import { inOurWords } from "../chat/unknown-model.ts";
import { CliError } from "../cli-error.ts";
import { ownAgent, ownAgentStandIn } from "../config/endpoint.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { checkGateNames } from "../gates/check-gate-names.ts";
import type { SourceOptions } from "../options.ts";
import { loadSettings, reachedByNobody } from "../parts/load-settings.ts";
import { checkRunsOnStdout, chooseReporters } from "../reporters/choose-reporters.ts";
import { openSession, type Session } from "../sources/open-session.ts";
import { openSource, serverFromEnvironment } from "../sources/open-source.ts";
import { wideLimits } from "../sources/wide-limits.ts";
import { selectScenarios } from "../scenarios/select-scenarios.ts";
import { note } from "../terminal/output.ts";
import { waysOn } from "../ways-on.ts";
import { checkBesideResume } from "./beside-resume.ts";
import { printPlan } from "./dry-run.ts";
import { readEvalSettings, type EvalOptions } from "./eval-settings.ts";
import { loadScenarios } from "./load-scenarios.ts";
import { planRuns } from "./plan-runs.ts";
import { reportRuns, type RunWork } from "./report-runs.ts";
import { resumeRun } from "./resume-run.ts";

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
    await printPlan(planned, { ...where, endpoint });
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
