import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { EvaluationResponse } from "../../../src/contract/evaluation-response.ts";
import type { Problem } from "../../../src/contract/problem.ts";
import { fakeAnswer, makeProblem, type FakeAnswer } from "./fake-agent.ts";
import { createFakeRuns, type FakeRuns } from "./fake-runs.ts";
import { servePage } from "./serve-page.ts";

export interface FakeServices extends AsyncDisposable {
  /** Origin of the page and the agent backend. */
  readonly origin: string;
  readonly evaluation: string;
  readonly runs: FakeRuns;
  /** What POST / was asked, in order. */
  readonly questions: { model: string; messages: { type: string; content: string }[] }[];
}

export interface FakeServicesOptions {
  readonly runs?: readonly EvaluationResponse[];
  readonly answer?: (model: string, message: string) => FakeAnswer;
  readonly studio?: Readonly<Record<string, string>>;
  /** The evaluation service asks for this key. */
  readonly apiKey?: string;
  /** False: the events route answers 404. */
  readonly events?: boolean;
}

export const demoUuid = "7d9f3c1e-58a2-4c61-9d0e-2f4b8a1c6e01";

/** Both services with contract-shaped answers, each on a port of its own as in real life. */
export async function startFakeServices(options: FakeServicesOptions = {}): Promise<FakeServices> {
  const {
    runs: initial = [],
    answer = fakeAnswer,
    studio = { "demo-support-v1": demoUuid },
    apiKey,
    events = true,
  } = options;
  const runs = createFakeRuns(initial);
  const questions: FakeServices["questions"] = [];
  let origin = "";

  const evaluation = await listen((request, response) => {
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-allow-headers", "content-type, prefer, authorization, last-event-id");
    response.setHeader("access-control-allow-methods", "GET, POST, DELETE");
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
      return sendProblem(response, makeProblem("auth_missing", "This service needs an API key."));
    }
    return void answerEvaluation({ runs, request, response, events });
  });

  const agent = await listen((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/page/config") {
      const hub_models = ["demo/scripted", "demo/flaky"];
      return sendJson(response, 200, { evaluation: evaluation.origin, version: "0.1.0", demo: true, hub_models });
    }
    if (pathname === "/studio/models") return sendJson(response, 200, studio);
    if (request.method === "POST") return void answerAgent({ request, response, answer, questions });
    return servePage(response, { pathname, evaluation: evaluation.origin });
  });
  origin = agent.origin;

  return {
    origin,
    evaluation: evaluation.origin,
    runs,
    questions,
    async [Symbol.asyncDispose]() {
      await Promise.all([agent.close(), evaluation.close()]);
    },
  };
}

async function listen(handler: (request: IncomingMessage, response: ServerResponse) => void) {
  const server: Server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

interface AgentCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answer: (model: string, message: string) => FakeAnswer;
  readonly questions: FakeServices["questions"];
}

async function answerAgent({ request, response, answer, questions }: AgentCall): Promise<void> {
  const model = String(request.headers["x-model-id"] ?? "");
  const { messages } = (await readJson(request)) as FakeServices["questions"][number];
  questions.push({ model, messages });
  const result = answer(model, messages.at(-1)?.content ?? "");
  if (result === "never") return;
  if ("problem" in result) return sendProblem(response, result.problem);
  sendJson(response, 200, result.reply);
}

interface EvaluationCall {
  readonly runs: FakeRuns;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly events: boolean;
}

async function answerEvaluation({ runs, request, response, events }: EvaluationCall): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const [, root, id = "", action] = url.pathname.split("/");

  if (root === "evaluate") return startRun(runs, await readJson(request), response);
  if (id === "") return sendJson(response, 200, listRuns(runs, url.searchParams));
  const run = runs.get(decodeURIComponent(id));
  if (!run) return sendProblem(response, makeProblem("run_not_found", `There is no run "${id}".`));

  if (request.method === "DELETE") {
    runs.remove(run.run_id);
    return void response.writeHead(204).end();
  }
  if (action === "results") return sendJson(response, 200, run);
  if (action === "events" && !events) return sendProblem(response, makeProblem("not_found", "There is no such route."));
  if (action === "events") return followRun({ runs, id: run.run_id, request, response });
  if (action === "cancel") runs.cancel(run.run_id);
  return sendJson(response, action === "cancel" ? 202 : 200, runs.toRun(runs.get(run.run_id) ?? run));
}

function listRuns(runs: FakeRuns, query: URLSearchParams) {
  const matches = (name: "state" | "test_name" | "model_id", run: EvaluationResponse): boolean =>
    !query.has(name) || run[name] === query.get(name);
  const found = runs
    .list()
    .filter((run) => matches("state", run) && matches("test_name", run) && matches("model_id", run));
  return { runs: found.map(runs.toRun), next_cursor: null };
}

function startRun(runs: FakeRuns, body: unknown, response: ServerResponse): void {
  const request = body as { test_batch?: unknown; endpoint?: string; model_id?: string };
  const missing = ["test_batch", "endpoint", "model_id"].filter((name) => !(name in request));
  if (missing.length > 0) {
    const problem = makeProblem("validation_failed", "The request does not match the contract.");
    const errors = missing.map((name) => ({ pointer: `/${name}`, code: "required", message: "is required" }));
    return sendProblem(response, { ...problem, errors });
  }
  const run = runs.start(request as Parameters<FakeRuns["start"]>[0]);
  sendJson(response, 202, runs.toRun(run));
}

interface Following {
  readonly runs: FakeRuns;
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

function followRun({ runs, id, request, response }: Following): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  let number = 0;
  const send = (event: string, data: unknown): void => {
    number += 1;
    response.write(`id: ${number}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const report = (): void => {
    const run = runs.get(id);
    if (!run) return;
    send("progress", runs.toRun(run).progress);
    if (run.state !== "running") {
      send("end", runs.toRun(run));
      response.end();
    }
  };
  report();
  const stop = runs.onChange(report);
  request.on("close", stop);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks = await request.toArray();
  return JSON.parse(Buffer.concat(chunks as Buffer[]).toString("utf8"));
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sendProblem(response: ServerResponse, problem: Problem): void {
  response.writeHead(problem.status, { "content-type": "application/problem+json" }).end(JSON.stringify(problem));
}
