import { existsSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EvaluationInput } from "../../client/evaluation-client.ts";
import type { RunEstimate } from "../../contract/schemas/budget.ts";
import type { RunRecord } from "../../contract/ports/store.ts";
import { finalStates } from "../../contract/schemas/run.ts";
import { EvaluationRequest, RescoreRequest } from "../../contract/schemas/evaluation-request.ts";
import { VerdictsRequest } from "../../contract/schemas/judging/human-verdict.ts";
import type { PlanHelpers } from "../../runs/plan/option-problems.ts";
import { planRuns } from "../../runs/plan/plan-variants.ts";
import { toRun, toRunList } from "../../runs/results/to-run.ts";
import { validate } from "../../services/http/body/validate.ts";
import type { Settings } from "../../settings.ts";
import { CliError } from "../terminal/cli-error.ts";
import { ownAgentPlaceholder } from "../options/addresses.ts";
import { createCore } from "../composition/core.ts";
import { createUserCode } from "../composition/user-code.ts";
import { endpointChecker } from "../composition/clients.ts";
import { storeFile } from "../composition/storage.ts";
import { cannotWrite } from "../terminal/files.ts";
import type { RunSource } from "./run-source.ts";

/** The runs stored on this machine, of every owner. The worker is not started, so unfinished runs stay unfinished. */
export async function openLocalSource(settings: Settings): Promise<RunSource> {
  const code = createUserCode(settings);
  const core = await createCore(
    { ...settings, logLevel: settings.logLevel ?? "warn" },
    { isTied: ({ endpoint }) => endpoint === ownAgentPlaceholder, checkCode: code.checkCode },
  );
  const { storage, runs } = core;
  const helpers: PlanHelpers = { ...core.helpers, trust: "operator" };
  const checkEndpoint = endpointChecker(core.clients.evaluation);
  const find = async (runId: string): Promise<RunRecord> => (await storage.store.runs.get(runId)) ?? noSuchRun(runId);

  return {
    async list({ limit = 50, ...filter }) {
      return toRunList(await runs.list({ limit, ...filter }));
    },
    get: async (runId) => toRun(await find(runId)),
    results: async (runId) => runs.wholeResults(await find(runId)),
    freeze: async (runId, request) => ({ scenario: await runs.freeze(await find(runId), request) }),
    async estimate(request) {
      const asked = await runs.withRecordedUsers(validate(EvaluationRequest, request), null);
      const planned = planRuns(asked, settings.limits, helpers);
      for (const { plan } of planned.runs) for (const endpoint of plan.survey.endpoints(plan)) checkEndpoint(endpoint);
      return runs.estimatePlanned(planned, { warnings: [], owner: null });
    },
    async rescore(runId, { replace, ...options }) {
      const request = validate(RescoreRequest, replace);
      const { owner } = await find(runId);
      const replacement = { request, limits: settings.limits, helpers };
      return toRun(await runs.rescore(runId, owner, { ...options, replace: replacement }));
    },
    verdicts: async (runId) => ({ verdicts: await runs.reviews.list(await find(runId), {}) }),
    async storeVerdicts(runId, request) {
      return runs.reviews.store(await find(runId), {
        request: validate(VerdictsRequest, request),
        author: { name: undefined, isBound: false },
      });
    },
    agreement: async (runId, query) => runs.reviews.agreement(await find(runId), query),
    corrections: async (runId) => runs.reviews.corrections(await find(runId)),
    compare: (baseline, candidate) => runs.compare(baseline, candidate, undefined),
    experiment: (id, query) => runs.experiment(id, null, query),
    async cancel(runId) {
      const run = await find(runId);
      if (finalStates.has(run.state)) throw new CliError(`the run ${runId} has already ended (${run.state})`);
      return toRun(await runs.cancel(runId, run.owner));
    },
    async delete(runId) {
      await runs.remove(runId, (await find(runId)).owner, AbortSignal.timeout(30_000));
    },
    async [Symbol.asyncDispose]() {
      await core[Symbol.asyncDispose]();
      await code.host[Symbol.asyncDispose]();
    },
  };
}

/** True when there is a store to read: a read-only command creates none. */
export function hasStore(settings: Settings): boolean {
  const file = storeFile(settings);
  return file === null || existsSync(file);
}

/** Refuses a missing --data-dir: a mistyped path would look like "no runs". */
function requireFolder(path: string): void {
  if (!existsSync(path)) throw new CliError(`--data-dir: ${path} does not exist`);
  if (!statSync(path).isDirectory()) throw new CliError(`--data-dir: ${path} is not a folder`);
}

function noSuchRun(runId: string): never {
  throw new CliError(`there is no run "${runId}" (rehearsal runs list shows all runs)`);
}

/** The source where no store exists yet. `typed` is the value of --data-dir. */
export const noRuns = (settings: Settings, typed: string | undefined): RunSource => ({
  async list() {
    if (typed !== undefined) requireFolder(typed);
    return { runs: [], next_cursor: null };
  },
  get: async (runId) => noSuchRun(runId),
  results: async (runId) => noSuchRun(runId),
  freeze: async (runId) => noSuchRun(runId),
  estimate: (request) => estimateWithoutStore(settings, request),
  rescore: async (runId) => noSuchRun(runId),
  verdicts: async (runId) => noSuchRun(runId),
  storeVerdicts: async (runId) => noSuchRun(runId),
  agreement: async (runId) => noSuchRun(runId),
  corrections: async (runId) => noSuchRun(runId),
  compare: async (baseline) => noSuchRun(baseline),
  experiment: async (id) => noSuchRun(id),
  cancel: async (runId) => noSuchRun(runId),
  delete: async (runId) => noSuchRun(runId),
  async [Symbol.asyncDispose]() {},
});

/** Estimates without earlier runs, on a temporary empty store. */
async function estimateWithoutStore(settings: Settings, request: EvaluationInput): Promise<RunEstimate> {
  const folder = await mkdtemp(join(tmpdir(), "rehearsal-estimate-")).catch((cause: unknown) => {
    throw cannotWrite(tmpdir(), cause);
  });
  try {
    await using source = await openLocalSource({ ...settings, dataDir: folder });
    return await source.estimate(request);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
