import type { Context } from "hono";
import { evaluate } from "../../../contract/operations/evaluation.ts";
import type { RunRecord } from "../../../contract/ports/store.ts";
import { finalStates } from "../../../contract/schemas/run.ts";
import { toRun } from "../../../runs/results/to-run.ts";
import { readIdempotency } from "../../http/body/idempotency.ts";
import { prefersAsync } from "../../http/body/prefers-async.ts";
import { memoryOf } from "../../http/limits/request-memory.ts";
import { prefersEvents, streamEvents, type ServerEvent } from "../../http/responses/event-stream.ts";
import { defineRoute, type RouteRequest } from "../../http/route.ts";
import type { ShellEnvironment } from "../../http/environment/shell-environment.ts";
import type { EvaluationDependencies } from "../dependencies.ts";
import { createRunFromRequest } from "./plan-request.ts";
import { streamJson } from "./stream-text.ts";
import { toServerEvents } from "./runs.ts";

/** Stores the run first, then waits for its end. */
export const evaluateRoute = defineRoute(evaluate, (dependencies: EvaluationDependencies) => async (request) => {
  const { runs, log } = dependencies;
  const { context } = request;
  const created = await createEvaluated(request, dependencies);
  const { run } = created;
  // Set on every response, including event streams and errors while waiting.
  const headers = context.get("answerHeaders");
  headers["location"] = `/runs/${run.id}`;
  if (created.outcome === "replayed") headers["idempotent-replayed"] = "true";
  if (prefersAsync(context) && !finalStates.has(run.state)) {
    context.header("preference-applied", "respond-async");
    return context.json(toRun(run), 202);
  }
  if (prefersEvents(request.header("accept"))) return followToEnd(context, run, dependencies);
  // A disconnect ends the wait, not the run.
  const ended = finalStates.has(run.state) ? run : await runs.wait(run.id, request.signal);
  return streamJson(context, runs.results(ended), { log });
});

/** A separate function, so that the body can be collected while the run is waited for. */
async function createEvaluated(request: RouteRequest<typeof evaluate>, dependencies: EvaluationDependencies) {
  const body = await request.sent();
  const idempotency = readIdempotency(request.header("idempotency-key"), body);
  const { owner } = request.caller;
  const created = await createRunFromRequest(body, dependencies, { idempotency, owner });
  memoryOf(request.context).release();
  return created;
}

/** The events of the run, with the whole response as the last one. */
function followToEnd(
  context: Context<ShellEnvironment>,
  run: RunRecord,
  { runs, log }: EvaluationDependencies,
): Response {
  const left = new AbortController();
  async function* events(): AsyncGenerator<ServerEvent> {
    yield* toServerEvents(runs.follow(run.id, { after: 0, signal: left.signal }));
    if (left.signal.aborted) return;
    yield { event: "result", pieces: runs.results(await runs.get(run.id, run.owner)) };
  }
  return streamEvents(context, events(), { log, stop: () => left.abort() });
}
