import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import type { AgentUpstreams } from "../../../src/contract/schemas/agent/models.ts";
import type { RunEstimate } from "../../../src/contract/schemas/budget.ts";
import type { PageConfig } from "../../../src/contract/schemas/shared/service-info.ts";
import type { Scenario } from "../../../src/contract/schemas/scenario.ts";
import { answerAgent, answerResume } from "./fake-agent-wire.ts";
import { fakeAnswer, makeProblem, type FakeAnswer } from "./fake-agent.ts";
import { answerEvaluation } from "./fake-evaluation.ts";
import { sendJson, sendProblem } from "./fake-io.ts";
import { createFakeLibrary, type FakeLibrary } from "./fake-library.ts";
import { createFakeRuns, type FakeRuns } from "./fake-runs.ts";
import { answerConnectionTest, sampleLocalServers, sampleProviders } from "./sample-upstreams.ts";
import { createFakeAgentRuns } from "./sample-agent-runs.ts";
import { servePage } from "./serve-page.ts";

export interface FakeServices extends AsyncDisposable {
  /** Origin of the page and the agent backend. */
  readonly origin: string;
  readonly evaluation: string;
  readonly runs: FakeRuns;
  readonly library: FakeLibrary;
  /** The bodies of POST /, in order. */
  readonly questions: { model: string; messages: { type: string; content: string }[] }[];
  /** The requests to the evaluation service, in order. */
  readonly requests: string[];
}

interface FakeServicesOptions {
  readonly runs?: readonly EvaluationResponse[];
  readonly answer?: (model: string, message: string) => FakeAnswer;
  readonly studio?: Readonly<Record<string, string>>;
  /** The evaluation service asks for this key. */
  readonly apiKey?: string;
  /** False: the events route answers 404. */
  readonly events?: boolean;
  /** False: a run's scenarios are not listed page by page, and its results are never narrowed to one. */
  readonly pages?: boolean;
  /** False: POST / answers JSON, whatever is asked for. */
  readonly streams?: boolean;
  /** The library at the start, marked demo. */
  readonly scenarios?: readonly Scenario[];
  readonly estimate?: RunEstimate;
  /** Answers GET /agent/upstreams; left out, there is no such route. */
  readonly upstreams?: AgentUpstreams;
}

export const demoUuid = "7d9f3c1e-58a2-4c61-9d0e-2f4b8a1c6e01";

const listedModels = ["demo/scripted", "demo/flaky"].map((id) => ({
  id,
  object: "model",
  created: 0,
  owned_by: "hub",
}));

/** Both services with contract-shaped answers, each on a port of its own as in real life. */
export async function startFakeServices(options: FakeServicesOptions = {}): Promise<FakeServices> {
  const {
    runs: initial = [],
    answer = fakeAnswer,
    studio = { "demo-support-v1": demoUuid },
    apiKey,
    events = true,
    streams = true,
    pages = true,
    scenarios = [],
    estimate = null,
    upstreams,
  } = options;
  const library = createFakeLibrary(scenarios);
  const runs = createFakeRuns(initial);
  const agentRuns = createFakeAgentRuns();
  const questions: FakeServices["questions"] = [];
  const requests: string[] = [];
  let origin = "";

  const evaluation = await listen((request, response) => {
    response.setHeader("access-control-allow-origin", origin);
    // The service sends it too: the page must be able to read every answer, not only to provoke it.
    response.setHeader("cross-origin-resource-policy", "same-origin");
    response.setHeader("access-control-allow-headers", "content-type, prefer, authorization, last-event-id");
    response.setHeader("access-control-allow-methods", "GET, POST, PATCH, DELETE");
    response.setHeader("access-control-expose-headers", "rehearsal-export-notes");
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    requests.push(`${request.method} ${request.url}`);
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
      return sendProblem(response, makeProblem("auth_missing", "This service needs an API key."));
    }
    return void answerEvaluation({ runs, library, estimate, request, response, events, pages });
  });

  const agent = await listen((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const { pathname } = url;
    if (pathname === "/page/config") {
      const hub_models = ["demo/scripted", "demo/flaky"];
      const limits = [
        { name: "REHEARSAL_MAX_BODY_BYTES", meaning: "Largest request body.", value: 8 * 1024 * 1024 },
        { name: "limits.max_attempts", meaning: "Most attempts of one run.", value: 100 },
      ];
      const config = {
        evaluation: evaluation.origin,
        version: "0.1.0",
        demo: true,
        demo_models: { "demo-gone": "d3a0517a-0000-4000-8000-0000000000ff" },
        hub_models,
        limits,
        keys_required: false,
      };
      return sendJson(response, 200, { ...config, keys_required: apiKey !== undefined } satisfies PageConfig);
    }
    if (pathname === "/studio/models") return sendJson(response, 200, studio);
    if (pathname === "/v1/models") return sendJson(response, 200, { object: "list", data: listedModels });
    if (pathname === "/agent/local-servers") return sendJson(response, 200, sampleLocalServers);
    if (pathname === "/agent/providers") return sendJson(response, 200, sampleProviders);
    if (pathname === "/agent/providers/test") return void answerConnectionTest(request, response);
    if (pathname === "/agent/upstreams" && upstreams) return sendJson(response, 200, upstreams);
    if (pathname === "/agent/upstreams")
      return sendProblem(response, makeProblem("not_found", "There is no such route."));
    if (pathname === "/agent/runs/run-1/resume") agentRuns.resume();
    if (agentRuns.answer(request, response, url)) return;
    if (pathname.endsWith("/resume")) return void answerResume({ request, response, streams });
    if (request.method === "POST") return void answerAgent({ request, response, answer, questions, streams });
    return servePage(response, { pathname, evaluation: evaluation.origin });
  });
  origin = agent.origin;

  return {
    origin,
    evaluation: evaluation.origin,
    runs,
    library,
    questions,
    requests,
    async [Symbol.asyncDispose]() {
      evaluation.close();
      agent.close();
    },
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface Listener {
  readonly server: Server;
  readonly origin: string;
  handler: Handler | null;
}

/** Servers of earlier tests. Later tests get their origins, whose scripts the browser has compiled. */
const idle: Listener[] = [];

async function listen(handler: Handler): Promise<{ origin: string; close: () => void }> {
  const listener = idle.shift() ?? (await startListener());
  listener.handler = handler;
  return {
    origin: listener.origin,
    close() {
      if (listener.handler !== handler) return;
      listener.handler = null;
      listener.server.closeAllConnections();
      idle.push(listener);
    },
  };
}

async function startListener(): Promise<Listener> {
  const server = createServer((request, response) => {
    if (listener.handler) listener.handler(request, response);
    else request.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Nothing closes it: it must not keep the test process running.
  server.unref();
  const listener: Listener = {
    server,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    handler: null,
  };
  return listener;
}
