import { ServiceFailure } from "../../client/service-failure.ts";
import { ServiceError } from "../../contract/errors.ts";
import { toRun, toRunList } from "../../runs/to-run.ts";
import { createRun } from "../../services/evaluation/create-run.ts";
import type { Core } from "./create-core.ts";
import { endpointChecker } from "./endpoint-checker.ts";
import type { RunClient } from "./run-client.ts";

const never = new AbortController().signal;

/**
 * What the client of a service does, without one: written as text and read again, the request, the events and the results of
 * a long run would cost more than its calls. Nobody else is here, so the runs belong to nobody.
 */
export function createOwnClient({ settings, runs, helpers, clients }: Core): RunClient {
  const makers = { runs, helpers, planLimits: settings.limits, checkEndpoint: endpointChecker(clients.evaluation) };
  return {
    start: (request) =>
      answered(async () => {
        const { run } = await createRun(request, makers, { owner: null });
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
