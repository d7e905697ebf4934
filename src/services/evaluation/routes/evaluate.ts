import { Hono, type Context } from "hono";
import type { RunRecord } from "../../../contract/ports/store.ts";
import { finalStates } from "../../../contract/schemas/run.ts";
import { toRun } from "../../../runs/results/to-run.ts";
import { prefersEvents, streamEvents, type ServerEvent } from "../../http/responses/event-stream.ts";
import { readIdempotency } from "../../http/body/idempotency.ts";
import { prefersAsync } from "../../http/body/prefers-async.ts";
import { readJson } from "../../http/body/read-json.ts";
import { memoryOf } from "../../http/limits/request-memory.ts";
import { ownerOf, type ShellEnvironment } from "../../http/shell-environment.ts";
import type { EvaluationDependencies } from "../dependencies.ts";
import { createRunFromRequest } from "../plan-request.ts";
import { streamJson } from "../stream-text.ts";
import { toServerEvents } from "./runs.ts";

/** POST /evaluate: stores the run first, then waits for its end. */
export function evaluateRoute(dependencies: EvaluationDependencies): Hono<ShellEnvironment> {
  const { runs, log } = dependencies;

  return new Hono<ShellEnvironment>().post("/evaluate", async (context) => {
    const created = await create(context, dependencies);
    const { run } = created;
    // Set on every response, including event streams and errors while waiting.
    const headers = context.get("answerHeaders");
    headers["location"] = `/runs/${run.id}`;
    if (created.outcome === "replayed") headers["idempotent-replayed"] = "true";
    if (prefersAsync(context) && !finalStates.has(run.state)) {
      context.header("preference-applied", "respond-async");
      return context.json(toRun(run), 202);
    }
    if (prefersEvents(context.req.header("accept"))) return followToEnd(context, run, dependencies);
    const ended = await waitForEnd(context, run, dependencies);
    return streamJson(context, runs.results(ended), { log });
  });
}

/** A separate function, so that the body can be collected while the run is waited for. */
async function create(context: Context<ShellEnvironment>, dependencies: EvaluationDependencies) {
  const body = await readJson(context, dependencies.bodyLimits);
  const idempotency = readIdempotency(context.req.header("idempotency-key"), body);
  const created = await createRunFromRequest(body, dependencies, { idempotency, owner: ownerOf(context) });
  memoryOf(context).release();
  return created;
}

/** A disconnect ends the wait, not the run. */
async function waitForEnd(
  context: Context<ShellEnvironment>,
  run: RunRecord,
  { runs }: EvaluationDependencies,
): Promise<RunRecord> {
  if (finalStates.has(run.state)) return run;
  return runs.wait(run.id, context.req.raw.signal);
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
