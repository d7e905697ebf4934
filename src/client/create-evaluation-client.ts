import { pause } from "../base/deadline.ts";
import type { RunEstimate } from "../contract/schemas/budget.ts";
import type { RunComparison, RunRanking } from "../contract/schemas/comparison.ts";
import type { EvaluationResponse } from "../contract/schemas/evaluation-response.ts";
import type { Run, RunEvent, RunList, RunListQuery } from "../contract/schemas/run.ts";
import type { ClientOptions } from "./client-options.ts";
import { createCaller, readJson } from "./create-caller.ts";
import type { EvaluationInput } from "./evaluation-input.ts";
import { readEvents } from "./read-events.ts";
import type { RescoreInput } from "./rescore-input.ts";
import { ServiceUnreachable } from "./service-failure.ts";
import { whileAway } from "./while-away.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface StartOptions extends CallOptions {
  /** The same key with the same request is the same run, so a retry cannot start it twice. */
  readonly idempotencyKey?: string | undefined;
}

/** The evaluation service. Every call rejects with a `ServiceFailure`, a `ServiceUnreachable` or the reason of its signal. */
export interface EvaluationClient {
  /** Runs the scenarios and waits for the result. */
  evaluate(request: EvaluationInput, options?: StartOptions): Promise<EvaluationResponse>;
  /** Stores the run and comes back at once; follow it with `events`. */
  start(request: EvaluationInput, options?: StartOptions): Promise<Run>;
  /** One page, newest first. */
  list(query?: Partial<RunListQuery>, options?: CallOptions): Promise<RunList>;
  get(runId: string, options?: CallOptions): Promise<Run>;
  /** Everything stored of a run, also while it is running. */
  results(runId: string, options?: CallOptions): Promise<EvaluationResponse>;
  /** What happens in the run, the ended run last. `after` is the number of the last event already seen. */
  events(runId: string, options?: CallOptions & { readonly after?: number }): AsyncIterable<RunEvent>;
  /** Whether the candidate is really better or worse than the baseline. */
  compare(baseline: string, candidate: string, options?: CallOptions): Promise<RunComparison>;
  /** Which of several runs is best by one score, and whether that is real. */
  rank(runIds: readonly string[], options?: CallOptions & { readonly score?: string }): Promise<RunRanking>;
  /** What a run would take: calls, tokens, money, time. Calls no model. */
  estimate(request: EvaluationInput, options?: CallOptions): Promise<RunEstimate>;
  /**
   * Scores an ended run again from its stored replies, by what `replace` puts in place of what it was scored by. No model is called
   * unless `askModels` says so.
   */
  rescore(
    runId: string,
    options?: CallOptions & { readonly askModels?: boolean; readonly replace?: RescoreInput },
  ): Promise<Run>;
  cancel(runId: string, options?: CallOptions): Promise<Run>;
  delete(runId: string, options?: CallOptions): Promise<void>;
}

/**
 * A typed client of the evaluation service.
 *
 * ```ts
 * const rehearsal = createEvaluationClient({ url: "http://127.0.0.1:8001" });
 * const { summary } = await rehearsal.evaluate({ test_batch, endpoint, model_id, attempts: 5 });
 * ```
 */
export function createEvaluationClient(options: ClientOptions): EvaluationClient {
  const call = createCaller(options);
  const at = (runId: string, rest = ""): string => `/runs/${encodeURIComponent(runId)}${rest}`;

  const client: EvaluationClient = {
    /** Follows the run instead of holding one silent connection open, which proxies and `fetch` itself cut after minutes. */
    async evaluate(request, startOptions = {}) {
      const { run_id } = await client.start(request, startOptions);
      for await (const _ of client.events(run_id, startOptions));
      return whileAway(() => client.results(run_id, startOptions), startOptions);
    },
    async start(body, { idempotencyKey, signal } = {}) {
      const headers = { prefer: "respond-async", "idempotency-key": idempotencyKey };
      const answer = await call("/evaluate", { body, signal, headers });
      const run = await readJson<Run>(answer);
      // A replayed run that has ended is answered with its whole result.
      return answer.status === 202 ? run : client.get(run.run_id, { signal });
    },
    list: (query = {}, { signal } = {}) => readJson(call("/runs", { query, signal })),
    get: (runId, { signal } = {}) => readJson(call(at(runId), { signal })),
    results: (runId, { signal } = {}) => readJson(call(at(runId, "/results"), { signal })),
    events: (runId, { after = 0, signal } = {}) =>
      followEvents({
        after,
        signal,
        url: options.url,
        open: (headers) => call(at(runId, "/events"), { headers, signal }),
      }),
    compare: (baseline, candidate, { signal } = {}) =>
      readJson(call("/compare", { query: { baseline, candidate }, signal })),
    rank: (runIds, { score, signal } = {}) =>
      readJson(call("/rank", { query: { runs: runIds.join(","), score }, signal })),
    estimate: (body, { signal } = {}) => readJson(call("/estimate", { body, signal })),
    rescore: (runId, { askModels = false, replace, signal } = {}) =>
      readJson(call(at(runId, "/rescore"), { body: { ...replace, ask_models: askModels }, signal })),
    cancel: (runId, { signal } = {}) => readJson(call(at(runId, "/cancel"), { method: "POST", signal })),
    async delete(runId, { signal } = {}) {
      await call(at(runId), { method: "DELETE", signal });
    },
  };
  return client;
}

interface FollowOptions {
  readonly after: number;
  readonly signal?: AbortSignal | undefined;
  /** Where they come from, to be named when they do not come any more. */
  readonly url: string;
  readonly open: (headers: Record<string, string>) => Promise<Response>;
  /** Connections that may break in a row, without an event between them. */
  readonly patience?: number;
  readonly pauseMs?: number;
}

/**
 * The events of a run to its end. A connection that breaks is opened again from the last event seen: nothing is missed or
 * doubled, and a service that is away is waited for. Rejects when it stays away or connections keep breaking: whoever follows must
 * not take a part of a run for all of it.
 */
export async function* followEvents({
  after,
  signal,
  url,
  open,
  patience = 5,
  pauseMs = 500,
}: FollowOptions): AsyncGenerator<RunEvent> {
  let seen = after;
  for (let broken = 0; ; broken += 1) {
    const headers = { accept: "text/event-stream", ...(seen > 0 && { "last-event-id": String(seen) }) };
    const response = await whileAway(() => open(headers), { signal, pauseMs });
    let cause: unknown;
    try {
      for await (const { event, id, data } of readEvents(response)) {
        broken = 0;
        if (id !== undefined) seen = Number(id);
        yield { type: event, ...(id !== undefined && { id: Number(id) }), data: JSON.parse(data) } as RunEvent;
        if (event === "end") return;
      }
    } catch (error) {
      if (signal?.aborted) throw error;
      cause = error;
    }
    if (broken >= patience) {
      const message = `The events from ${url} broke off ${broken + 1} times in a row before the run had ended`;
      throw new ServiceUnreachable(url, { message, cause });
    }
    await pause(pauseMs, signal);
  }
}
