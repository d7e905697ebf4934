// First, before anything names the classes it brings.
import "../../models/outbound/web-classes.ts";
import { createEvaluationClient, type EvaluationClient } from "../../client/create-evaluation-client.ts";
import { createOwnAddresses } from "../../models/outbound/own-addresses.ts";
import type { Runs } from "../../runs/runs.ts";
import { createScenarioLibrary } from "../../runs/scenario-library.ts";
import { listen } from "../../services/http/listen.ts";
import type { Settings } from "../../settings.ts";
import { version } from "../version.ts";
import { callInProcess } from "./call-in-process.ts";
import { createCore } from "./create-core.ts";
import { demoDetector } from "./demo-detector.ts";
import { evaluationService } from "./evaluation-service.ts";
import { isServedAgent, nothingServed } from "./served.ts";
import { createShellOptions } from "./shell-options.ts";
import { startChores } from "./start-chores.ts";

export interface StartedSession extends AsyncDisposable {
  readonly client: EvaluationClient;
  /** Address of the agent backend, where one was asked for. */
  readonly agent: string | null;
}

export interface SessionParts {
  /** Runs this process goes on with, beside those it makes; null when it only talks to the agent backend. */
  readonly runs: readonly string[] | null;
  readonly agent: boolean;
}

/**
 * The services for one command. The evaluation service is called inside this process, so nobody else can reach it and no
 * key is needed; the agent backend listens where it is evaluated or talked to, since that happens over HTTP.
 */
export async function startSession(settings: Settings, wanted: SessionParts): Promise<StartedSession> {
  await using opened = new AsyncDisposableStack();
  const served = nothingServed();
  const agentAddresses = createOwnAddresses();
  const core = opened.use(
    await createCore(settings, {
      isDemo: demoDetector(served),
      // The agent goes with this process. Others would call a port where nobody listens any more, or somebody else.
      isTied: ({ endpoint }) => isServedAgent(served, endpoint),
      isAgentAddress: agentAddresses.isOwnAddress,
      ownRuns: wanted.runs ?? [],
    }),
  );
  const shell = opened.use(createShellOptions(core, { apiKeys: [] }));
  const parts = { shell: shell.options, served };
  const { server, http } = settings;
  if (wanted.agent) {
    const { agentService } = await import("./agent-service.ts");
    const { app } = opened.use(await agentService(core, parts));
    const shared = { host: server.host, limits: http, log: core.log, version };
    const agent = await listen({ ...shared, app, port: server.agentPort });
    opened.defer(() => agent.close(http.shutdownGraceMs));
    served.agent = agent;
    agentAddresses.add({ host: server.host, port: agent.port });
  }
  if (wanted.runs) {
    opened.use(startChores({ ...core, outbound: core.clients.tools }));
    opened.defer(() => core.runs.stop({ graceMs: http.shutdownGraceMs }));
    await core.runs.start();
  }
  const app = evaluationService(core, { ...parts, library: createScenarioLibrary(core.storage) });
  const started = opened.move();
  const client = createEvaluationClient({ url: "http://localhost", fetch: callInProcess(app) });
  return {
    // Written as text and read again, the events and results of a long run would cost more than its calls.
    client: { ...client, events: eventsOf(core.runs), results: resultsOf(core.runs) },
    agent: served.agent?.url ?? null,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

const never = new AbortController().signal;

/** What the client's `events` does, without a connection: it ends with the run, and fails when the signal aborts. */
function eventsOf(runs: Runs): EvaluationClient["events"] {
  return async function* follow(runId, { after = 0, signal = never } = {}) {
    yield* runs.follow(runId, { after, signal });
    signal.throwIfAborted();
  };
}

function resultsOf(runs: Runs): EvaluationClient["results"] {
  return async (runId, { signal = never } = {}) => {
    const results = await runs.wholeResults(await runs.get(runId, null));
    signal.throwIfAborted();
    return results;
  };
}
