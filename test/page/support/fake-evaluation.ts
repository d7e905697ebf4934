import type { IncomingMessage, ServerResponse } from "node:http";
import type { RunEstimate } from "../../../src/contract/schemas/budget.ts";
import type { RunChanges } from "../../../src/contract/schemas/run.ts";
import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import { makeProblem } from "./fake-agent.ts";
import { rankResponses } from "../../../src/cli/gates/compare-results.ts";
import { answerReview, isReviewAction } from "./fake-review.ts";
import { fakeComparison } from "./fake-comparison.ts";
import { readJson, sendJson, sendProblem } from "./fake-io.ts";
import { answerLibrary, type FakeLibrary } from "./fake-library.ts";
import { listScenarios, narrowed } from "./fake-pages.ts";
import type { FakeRuns } from "./fake-runs.ts";

interface EvaluationCall {
  readonly runs: FakeRuns;
  readonly library: FakeLibrary;
  /** Answers POST /estimate; null: the service has no such route. */
  readonly estimate: RunEstimate | null;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly events: boolean;
  readonly pages: boolean;
}

export async function answerEvaluation({
  runs,
  library,
  estimate,
  request,
  response,
  events,
  pages,
}: EvaluationCall): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const [, root, id = "", action] = url.pathname.split("/");

  if (root === "scenarios") return answerLibrary({ library, request, response, url });
  if (root === "compare") return answerCompare(runs, url.searchParams, response);
  if (root === "rank") return answerRank(runs, url.searchParams, response);
  if (root === "estimate" && estimate) return sendJson(response, 200, estimate);
  if (root === "estimate") return sendProblem(response, makeProblem("not_found", "There is no such route."));
  if (root === "evaluate") return startRun(runs, await readJson(request), response);
  if (id === "") return sendJson(response, 200, listRuns(runs, url.searchParams));
  const run = runs.get(decodeURIComponent(id));
  if (!run) return sendProblem(response, makeProblem("run_not_found", `There is no run "${id}".`));

  if (request.method === "DELETE") {
    runs.remove(run.run_id);
    return void response.writeHead(204).end();
  }
  if (request.method === "PATCH") {
    runs.change(run.run_id, (await readJson(request)) as RunChanges);
    return sendJson(response, 200, runs.toRun(runs.get(run.run_id) ?? run));
  }
  if (isReviewAction(action)) return answerReview({ runs, run, action, request, response, url });
  if (action === "score-agreement")
    return sendJson(response, 200, { run_id: run.run_id, verdicts: 0, scores: [], notes: [] });
  if (action === "export") return void response.writeHead(200).end(exported(run, url.searchParams.get("format")));
  if (action === "request") return sendJson(response, 200, requestOf(run));
  if (action === "results") return sendJson(response, 200, pages ? narrowed(run, url.searchParams) : run);
  if (action === "scenarios" && pages) return sendJson(response, 200, listScenarios(run, url.searchParams));
  if (action === "scenarios") return sendProblem(response, makeProblem("not_found", "There is no such route."));
  if (action === "events" && !events) return sendProblem(response, makeProblem("not_found", "There is no such route."));
  if (action === "events") return followRun({ runs, id: run.run_id, request, response });
  if (action === "rescore") return rescore(runs, run, { body: await readJson(request), response });
  if (action === "cancel") runs.cancel(run.run_id);
  return sendJson(response, action === "cancel" ? 202 : 200, runs.toRun(runs.get(run.run_id) ?? run));
}

/** GET /runs/{run_id}/request, with some of what the results do not tell. */
const requestOf = (run: EvaluationResponse) => ({
  test_name: run.test_name,
  endpoint: run.endpoint,
  model_id: run.model_id,
  protocol: "anthropic-messages",
  system_prompt: "Be brief.",
  attempts: 6,
  judge: {
    model_id: "judge-1",
    ...(!("judge_correctness" in run.summary.average_scores) && { scope: "conversation" }),
  },
  weights: { token_f1: 1 },
  test_batch: run.results.scenarios.map(({ scenario_id, attempts }) => ({
    id: scenario_id,
    system_prompt: "Be kind.",
    tags: ["shop"],
    interactions: (attempts[0]?.interactions ?? []).map(({ id, user_message, reference_reply }) => ({
      id,
      user_message,
      reference_reply,
    })),
  })),
});

/** Other references make the judge's answers void, as they do in the service. */
function rescore(
  runs: FakeRuns,
  { run_id }: EvaluationResponse,
  { body, response }: { body: unknown; response: ServerResponse },
): void {
  const { test_batch, ask_models } = body as { test_batch?: readonly { id: string }[]; ask_models: boolean };
  if (test_batch && !ask_models)
    return sendProblem(
      response,
      makeProblem("validation_failed", "/ask_models must be true: there are other references"),
    );
  runs.rescore(
    run_id,
    (test_batch ?? []).map(({ id }) => id),
  );
  const run = runs.get(run_id);
  if (run) sendJson(response, 200, runs.toRun(run));
}

function exported(run: EvaluationResponse, format: string | null): string {
  if (format !== "jsonl") return `exported as ${format}`;
  const turns = run.results.scenarios.flatMap(({ scenario_id, attempts }) =>
    attempts.flatMap(({ attempt, interactions }) => interactions.map((turn) => ({ scenario_id, attempt, ...turn }))),
  );
  return turns.map((turn) => `${JSON.stringify(turn)}\n`).join("");
}

function answerCompare(runs: FakeRuns, query: URLSearchParams, response: ServerResponse): void {
  const baseline = runs.get(query.get("baseline") ?? "");
  const candidate = runs.get(query.get("candidate") ?? "");
  if (!baseline || !candidate) return sendProblem(response, makeProblem("run_not_found", "There is no such run."));
  sendJson(response, 200, fakeComparison(baseline, candidate));
}

function answerRank(runs: FakeRuns, query: URLSearchParams, response: ServerResponse): void {
  const named = (query.get("runs") ?? "").split(",").flatMap((id) => runs.get(id) ?? []);
  sendJson(response, 200, rankResponses(named, query.get("score") ?? undefined));
}

function listRuns(runs: FakeRuns, query: URLSearchParams) {
  const matches = (name: "state" | "model_id" | "test_name", run: EvaluationResponse): boolean =>
    !query.has(name) || run[name] === query.get(name);
  const search = query.get("search") ?? "";
  const named = query.get("search_model_ids")?.split(",") ?? [];
  const isFound = ({ test_name, model_id }: EvaluationResponse): boolean =>
    `${test_name}\n${model_id}`.toLowerCase().includes(search.toLowerCase()) || named.includes(model_id);
  const tag = query.get("tag");
  const isTagged = (run: EvaluationResponse): boolean => tag === null || runs.toRun(run).tags?.includes(tag) === true;
  const found = runs
    .list()
    .filter((run) => (["state", "model_id", "test_name"] as const).every((name) => matches(name, run)))
    .filter((run) => isFound(run) && isTagged(run));
  const start = Number(query.get("cursor") ?? 0);
  const end = start + Number(query.get("limit") ?? 50);
  return { runs: found.slice(start, end).map(runs.toRun), next_cursor: end < found.length ? String(end) : null };
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
