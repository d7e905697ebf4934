import { ServiceFailure } from "../../client/caller.ts";
import type { EvaluationClient } from "../../client/evaluation-client.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { RunFilter } from "../../contract/ports/store.ts";
import { finalStates, type RunList } from "../../contract/schemas/run.ts";
import { isLocalTarget, type LocalTarget } from "../../contract/schemas/acting/target.ts";
import { createRunDigester, type RunDigest } from "../../formats/export/results/run-digest.ts";
import { createOwnAddresses } from "../../models/outbound/endpoint-policy.ts";
import { loadRunModules } from "../../runs/execute/run-worlds.ts";
import { toRun, toRunList } from "../../runs/results/to-run.ts";
import type { LocalTargets } from "../../runs/user-code/local-targets.ts";
import type { WorldModules } from "../../runs/user-code/world-modules.ts";
import { createRunFromRequest, planRequest } from "../../services/evaluation/routes/plan-request.ts";
import type { Settings } from "../../settings.ts";
import { startBackgroundJobs } from "./background-jobs.ts";
import { endpointChecker } from "./clients.ts";
import { createCore, type Core } from "./core.ts";
import { createLocalServices, demoDetector, demoUser, isLocalAgent } from "./local-services.ts";
import { listenForSpans, type SpanListener } from "./span-listener.ts";
import { spanReceiver } from "./span-receiver.ts";
import { createUserCode, explainModuleError } from "./user-code.ts";
import type { WorldServer } from "../../services/evaluation/routes/world-endpoints.ts";
import { createWorldListener, publicWorldUrl, reportLateCall } from "./world-listener.ts";

export interface StartedSession extends AsyncDisposable {
  readonly client: RunClient;
  /** Address of the agent backend; null without one. */
  readonly agent: string | null;
  /** Receives spans of the agent under test; null when it does not listen. */
  readonly spans: Pick<SpanListener, "endpoint"> | null;
  /** Rejects if the agent backend does not serve this model, without calling it. Does nothing without an agent backend. */
  checkModel(modelId: string): Promise<void>;
}

export interface SessionParts {
  /** Runs to resume, besides those created here; null when the command only talks to the agent backend. */
  readonly runs: readonly string[] | null;
  readonly agent: boolean;
  /** The agents under test on this machine, which are started once before the first run. */
  readonly targets?: readonly LocalTarget[] | undefined;
  /** The port at which spans are received. Default: none are. */
  readonly otelPort?: number | undefined;
}

/** Starts the parts of the services that one command needs: runs in this process, and an agent backend on request. */
export async function startSession(settings: Settings, parts: SessionParts): Promise<StartedSession> {
  await using opened = new AsyncDisposableStack();
  const local = createLocalServices();
  const agentAddresses = createOwnAddresses();
  const { modules, targets, checkCode, host, targetHost } = createUserCode(settings);
  opened.use(host);
  opened.use(targetHost);
  const worlds = opened.use(
    createWorldListener({ publicUrl: publicWorldUrl(), onLate: (late) => reportLateCall(core, late) }),
  );
  local.worlds = worlds.origin;
  const core: Core = opened.use(
    await createCore(settings, {
      worldEndpoints: worlds.endpoints,
      demoSimulator: () => (settings.demo ? demoUser(local) : undefined),
      isDemo: demoDetector(local),
      // The agent backend ends with this process. Later, its port may be closed or belong to another program.
      isTied: ({ endpoint }) => isLocalAgent(local, endpoint),
      isAgentAddress: agentAddresses.isOwnAddress,
      // The policy restricts addresses that callers choose. This one was opened by the command itself.
      isOpenedHere: ({ host, port }) => port === local.agent?.port && host === settings.server.host,
      ownRuns: parts.runs ?? [],
      worldModules: modules,
      localTargets: targets,
      checkCode,
    }),
  );
  for (const runId of parts.runs ?? []) await requireModules(core, runId, { modules, targets });
  for (const target of parts.targets ?? []) await targets.check(target).catch(explainModuleError);
  let checkModel = async (_modelId: string): Promise<void> => {};
  if (parts.agent) {
    const { startOwnAgent } = await import("./own-agent.ts");
    const agent = opened.use(await startOwnAgent(core, local));
    local.agent = agent;
    checkModel = agent.checkModel;
    agentAddresses.add({ host: settings.server.host, port: agent.port });
  }
  const spans = parts.otelPort === undefined ? null : await listenForSpans(spanReceiver(core), parts.otelPort);
  if (spans) opened.use(spans);
  if (parts.runs) {
    opened.use(await startBackgroundJobs({ ...core, outbound: core.clients.tools }));
    opened.defer(async () => {
      await core.runs.stop({ graceMs: settings.http.shutdownGraceMs });
      core.storage.stopWaiting();
    });
    await core.runs.start();
  }
  const started = opened.move();
  return {
    client: createOwnClient(core, worlds.endpoints),
    agent: local.agent?.url ?? null,
    spans,
    checkModel,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Checks the modules of a resumed run before it continues: an attempt that could not act would fail the run for good. */
async function requireModules(
  { storage: { store } }: Core,
  runId: string,
  { modules, targets }: { modules: WorldModules; targets: LocalTargets },
): Promise<void> {
  const run = await store.runs.get(runId);
  if (!run || finalStates.has(run.state)) return;
  const scenarios = await store.runs.scenarios(runId);
  await loadRunModules({ settings: run.settings, scenarios }, modules).catch(explainModuleError);
  const { target } = run.settings;
  if (target && isLocalTarget(target)) await targets.check(target).catch(explainModuleError);
}

const never = new AbortController().signal;

/**
 * A client of the runs in this process. It skips HTTP, because encoding the request, the events and the results of a long
 * run would take longer than its calls. The runs have no owner, since there is one user.
 */
function createOwnClient({ settings, runs, helpers, clients }: Core, worlds: WorldServer): RunClient {
  const checkEndpoint = endpointChecker(clients.evaluation);
  const makers = { runs, helpers, planLimits: settings.limits, checkEndpoint, worlds };
  return {
    start: (request) =>
      withServiceErrors(async () => {
        const { run } = await createRunFromRequest(request, makers, { owner: null });
        return toRun(run);
      }),
    estimate: (request) =>
      withServiceErrors(async () => {
        const { planned } = await planRequest(request, makers, null);
        return runs.estimatePlanned(planned, { warnings: [], owner: null });
      }),
    list: (query) => withServiceErrors(async () => toRunList(await runs.list({ ...query, owner: null }))),
    get: (runId) => withServiceErrors(async () => toRun(await runs.get(runId, null))),
    experiment: (id, query) => withServiceErrors(() => runs.experiment(id, null, query)),
    results: (runId, { signal = never } = {}) =>
      withServiceErrors(async () => {
        const results = await runs.wholeResults(await runs.get(runId, null));
        signal.throwIfAborted();
        return results;
      }),
    digest: (runId, { signal }) =>
      withServiceErrors(async () => {
        const digester = createRunDigester();
        const about = await runs.readResponse(await runs.get(runId, null), (scenario) => {
          signal.throwIfAborted();
          digester.add(scenario);
        });
        return digester.finish(about);
      }),
    async *events(runId, { after = 0, signal = never } = {}) {
      yield* runs.follow(runId, { after, signal });
      signal.throwIfAborted();
    },
  };
}

/** Throws the error that a service would answer, so that commands print the same for both. */
async function withServiceErrors<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { toProblem } = await import("../../contract/errors/problem.ts");
    const problem = toProblem(error, "");
    throw new ServiceFailure(problem.status, problem);
  }
}

/** The operations of a command on its runs, in this process or at a service. */
export interface RunClient extends Pick<
  EvaluationClient,
  "start" | "estimate" | "get" | "events" | "results" | "experiment"
> {
  /** One page, newest first. */
  list(query: Omit<RunFilter, "owner" | "search_model_ids">): Promise<RunList>;
  /** The results without the attempts. Absent for a service, which sends them whole. */
  digest?(runId: string, options: { readonly signal: AbortSignal }): Promise<RunDigest>;
}
