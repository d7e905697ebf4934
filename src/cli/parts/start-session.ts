import { ServiceFailure } from "../../client/caller.ts";
import { ServiceError } from "../../contract/errors.ts";
import { finalStates } from "../../contract/schemas/run.ts";
import { createOwnAddresses } from "../../models/outbound/endpoint-policy.ts";
import { loadRunModules } from "../../runs/execute/run-worlds.ts";
import type { WorldModules } from "../../runs/user-code/world-modules.ts";
import { toRun, toRunList } from "../../runs/results/to-run.ts";
import { createRunFromRequest } from "../../services/evaluation/plan-request.ts";
import type { Settings } from "../../settings.ts";
import { createCore, type Core } from "./create-core.ts";
import { demoDetector } from "./demo-detector.ts";
import { endpointChecker } from "./endpoint-checker.ts";
import type { RunClient } from "./run-client.ts";
import { isServedAgent, nothingServed } from "./served.ts";
import { startChores } from "./start-chores.ts";
import { createUserCode, explainModuleError } from "./user-code.ts";

export interface StartedSession extends AsyncDisposable {
  readonly client: RunClient;
  /** Address of the agent backend, where one was asked for. */
  readonly agent: string | null;
  /** Rejects where that agent backend serves no such model; calls none. Says nothing where there is no agent backend. */
  checkModel(modelId: string): Promise<void>;
}

export interface SessionParts {
  /** Runs this process goes on with, beside those it makes; null when it only talks to the agent backend. */
  readonly runs: readonly string[] | null;
  readonly agent: boolean;
}

/** What one command needs of the services: runs are made and carried out in this process, the agent backend only where asked for. */
export async function startSession(settings: Settings, wanted: SessionParts): Promise<StartedSession> {
  await using opened = new AsyncDisposableStack();
  const served = nothingServed();
  const agentAddresses = createOwnAddresses();
  const { modules, host } = createUserCode(settings);
  opened.use(host);
  const core = opened.use(
    await createCore(settings, {
      isDemo: demoDetector(served),
      // The agent goes with this process. Others would call a port where nobody listens any more, or somebody else.
      isTied: ({ endpoint }) => isServedAgent(served, endpoint),
      isAgentAddress: agentAddresses.isOwnAddress,
      // The policy is about what others may be asked to call; this address nobody chose.
      isOpenedHere: ({ host, port }) => port === served.agent?.port && host === settings.server.host,
      ownRuns: wanted.runs ?? [],
      worldModules: modules,
    }),
  );
  for (const runId of wanted.runs ?? []) await requireModules(core, runId, modules);
  let checkModel = async (_modelId: string): Promise<void> => {};
  if (wanted.agent) {
    const { startOwnAgent } = await import("./own-agent.ts");
    const agent = opened.use(await startOwnAgent(core, served));
    served.agent = agent;
    checkModel = agent.checkModel;
    agentAddresses.add({ host: settings.server.host, port: agent.port });
  }
  if (wanted.runs) {
    opened.use(await startChores({ ...core, outbound: core.clients.tools }));
    opened.defer(async () => {
      await core.runs.stop({ graceMs: settings.http.shutdownGraceMs });
      core.storage.stopWaiting();
    });
    await core.runs.start();
  }
  const started = opened.move();
  return {
    client: createOwnClient(core),
    agent: served.agent?.url ?? null,
    checkModel,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Checks the modules of a resumed run before it goes on: an attempt that could not act would fail the run for good. */
async function requireModules({ storage: { store } }: Core, runId: string, modules: WorldModules): Promise<void> {
  const run = await store.runs.get(runId);
  if (!run || finalStates.has(run.state)) return;
  const scenarios = await store.runs.scenarios(runId);
  await loadRunModules({ settings: run.settings, scenarios }, modules).catch(explainModuleError);
}

const never = new AbortController().signal;

/**
 * What the client of a service does, without one: written as text and read again, the request, the events and the results of
 * a long run would cost more than its calls. Nobody else is here, so the runs belong to nobody.
 */
function createOwnClient({ settings, runs, helpers, clients }: Core): RunClient {
  const makers = { runs, helpers, planLimits: settings.limits, checkEndpoint: endpointChecker(clients.evaluation) };
  return {
    start: (request) =>
      answered(async () => {
        const { run } = await createRunFromRequest(request, makers, { owner: null });
        return toRun(run);
      }),
    list: (query) => answered(async () => toRunList(await runs.list({ ...query, owner: null }))),
    get: (runId) => answered(async () => toRun(await runs.get(runId, null))),
    results: (runId, { signal = never } = {}) =>
      answered(async () => {
        const results = await runs.wholeResults(await runs.get(runId, null));
        signal.throwIfAborted();
        return results;
      }),
    async *events(runId, { after = 0, signal = never } = {}) {
      yield* runs.follow(runId, { after, signal });
      signal.throwIfAborted();
    },
  };
}

/** What is refused is refused as by a service, so that a command says the same of both. */
async function answered<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { toProblem } = await import("../../contract/schemas/problem.ts");
    const problem = toProblem(error, "");
    throw new ServiceFailure(problem.status, problem);
  }
}
