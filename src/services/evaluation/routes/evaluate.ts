import { Hono, type Context } from "hono";
import { finalStates } from "../../../contract/schemas/run.ts";
import type { RunRecord } from "../../../contract/ports/store.ts";
import { toRun } from "../../../runs/to-run.ts";
import { requireScope } from "../../http/auth.ts";
import { streamEvents, type ServerEvent } from "../../http/event-stream.ts";
import { prefersEvents } from "../../http/prefers-events.ts";
import { readJson } from "../../http/read-json.ts";
import { memoryOf } from "../../http/request-memory.ts";
import type { ShellEnvironment } from "../../http/shell-environment.ts";
import { createRun } from "../create-run.ts";
import type { EvaluationDependencies } from "../dependencies.ts";
import { readIdempotency } from "../../http/idempotency.ts";
import { streamJson } from "../stream-text.ts";
import { ownerOf } from "../../http/owner.ts";
import { toServerEvents } from "./run-events.ts";

/** POST /evaluate: the run is stored before anything else happens, then it is waited for. */
export function evaluateRoute(dependencies: EvaluationDependencies): Hono<ShellEnvironment> {
  const { runs, log } = dependencies;

  return new Hono<ShellEnvironment>().post("/evaluate", requireScope("evaluate"), async (context) => {
    const created = await create(context, dependencies);
    const { run } = created;
    // On every answer: also on events, and on one that says why the end of the run could not be waited for.
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

/** A function of its own, so that the body is gone when it returns: what waits for the run would keep it in memory until the end. */
async function create(context: Context<ShellEnvironment>, dependencies: EvaluationDependencies) {
  const body = await readJson(context, dependencies.bodyLimits);
  const idempotency = readIdempotency(context.req.header("idempotency-key"), body);
  const created = await createRun(body, dependencies, { idempotency, owner: ownerOf(context) });
  memoryOf(context).release();
  return created;
}

/** The wait ends with the connection; the run goes on. */
async function waitForEnd(
  context: Context<ShellEnvironment>,
  run: RunRecord,
  { runs }: EvaluationDependencies,
): Promise<RunRecord> {
  if (finalStates.has(run.state)) return run;
  return runs.wait(run.id, context.req.raw.signal);
}

/** The events of the run, and the whole response as the last one. */
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

function prefersAsync(context: Context): boolean {
  return /(?:^|,)\s*respond-async\s*(?:[,;]|$)/i.test(context.req.header("prefer") ?? "");
}
