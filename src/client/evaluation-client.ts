import { compact } from "../base/compact.ts";
import type { z } from "zod";
import { pause } from "../base/deadline.ts";
import type { RunEstimate } from "../contract/schemas/budget.ts";
import type { RunComparison, RunRanking } from "../contract/schemas/comparison.ts";
import type { EvaluationRequest, RescoreRequest } from "../contract/schemas/evaluation-request.ts";
import type { Experiment } from "../contract/schemas/experiment.ts";
import type { EvaluationResponse } from "../contract/schemas/evaluation-response.ts";
import type {
  Agreement,
  Corrections,
  StoredVerdicts,
  VerdictList,
  VerdictsRequest,
} from "../contract/schemas/judging/human-verdict.ts";
import type { FreezeRequest, FrozenConversation } from "../contract/schemas/library.ts";
import type { Run, RunEvent, RunList, RunListQuery } from "../contract/schemas/run.ts";
import type { PersonVerdict, ScoreAgreements } from "../contract/schemas/judging/score-agreement.ts";
import type { RunSequence } from "../contract/schemas/sequence.ts";
import {
  createCaller,
  parseJsonResponse,
  retryWhileServiceUnavailable,
  ServiceUnreachable,
  type ClientOptions,
} from "./caller.ts";
import { parseEventStream } from "./event-stream.ts";

/** Body of POST /evaluate as a caller writes it: only `test_batch`, `endpoint` and `model_id` are required. */
export type EvaluationInput = z.input<typeof EvaluationRequest>;

/** Scoring settings for a rescore, as a caller writes them. Missing settings stay unchanged; null removes one. */
export type RescoreInput = Omit<z.input<typeof RescoreRequest>, "ask_models">;

/** Body of POST /runs/{run_id}/verdicts as a caller writes it. */
export type VerdictsInput = z.input<typeof VerdictsRequest>;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface StartOptions extends CallOptions {
  /** Requests with the same key start only one run, so that a retry is safe. */
  readonly idempotencyKey?: string | undefined;
}

/** The evaluation service. Every call rejects with a `ServiceFailure`, a `ServiceUnreachable` or the reason of its signal. */
export interface EvaluationClient {
  /** Runs the scenarios and waits for the result. */
  evaluate(request: EvaluationInput, options?: StartOptions): Promise<EvaluationResponse>;
  /** Stores the run and returns at once; follow it with `events`. */
  start(request: EvaluationInput, options?: StartOptions): Promise<Run>;
  /** One page, newest first. */
  list(query?: Partial<RunListQuery>, options?: CallOptions): Promise<RunList>;
  get(runId: string, options?: CallOptions): Promise<Run>;
  /** The stored results, also of a running run. */
  results(runId: string, options?: CallOptions): Promise<EvaluationResponse>;
  /** Makes a scripted scenario of the messages that the user of an attempt sent. `keep` stores it in the library. */
  freeze(runId: string, request: z.input<typeof FreezeRequest>, options?: CallOptions): Promise<FrozenConversation>;
  /** The run's events; the last one holds the ended run. `after` is the number of the last event already seen. */
  events(runId: string, options?: CallOptions & { readonly after?: number }): AsyncIterable<RunEvent>;
  /** Tests whether the candidate is better or worse than the baseline and, with `margin`, whether it is shown not to be worse. */
  compare(
    baseline: string,
    candidate: string,
    options?: CallOptions & { readonly margin?: string },
  ): Promise<RunComparison>;
  /** The comparison of a run that stops when it is decided, as far as it has come. */
  sequence(runId: string, options?: CallOptions): Promise<RunSequence>;
  /** How every score agrees with people's verdicts: those given, else those stored with the run. */
  scoreAgreement(
    runId: string,
    options?: CallOptions & { readonly verdicts?: readonly z.input<typeof PersonVerdict>[] },
  ): Promise<ScoreAgreements>;
  /** Ranks several runs by one score, with tests of the differences. */
  rank(runIds: readonly string[], options?: CallOptions & { readonly score?: string }): Promise<RunRanking>;
  /** Estimates the calls, tokens, money and time of a run. Calls no model. */
  estimate(request: EvaluationInput, options?: CallOptions): Promise<RunEstimate>;
  /** Scores an ended run again from its stored replies, with the settings in `replace`. Calls models only with `askModels`. */
  rescore(
    runId: string,
    options?: CallOptions & { readonly askModels?: boolean; readonly replace?: RescoreInput },
  ): Promise<Run>;
  /** People's verdicts on the replies of a run. */
  verdicts(runId: string, options?: CallOptions): Promise<VerdictList>;
  /** Stores verdicts: all of them, or none. */
  storeVerdicts(runId: string, request: VerdictsInput, options?: CallOptions): Promise<StoredVerdicts>;
  /** How far people agree with each other and with the judge, on one question. */
  agreement(runId: string, options?: CallOptions & { readonly question?: string | undefined }): Promise<Agreement>;
  /** The judge's scores corrected by people's verdicts. */
  corrections(runId: string, options?: CallOptions): Promise<Corrections>;
  /** The variants of an experiment side by side. `id` may be that of one of its runs. */
  experiment(
    id: string,
    options?: CallOptions & { readonly score?: string | undefined; readonly limit?: number | undefined },
  ): Promise<Experiment>;
  cancel(runId: string, options?: CallOptions): Promise<Run>;
  delete(runId: string, options?: CallOptions): Promise<void>;
}

/**
 * A typed client of the evaluation service.
 *
 * @example
 * const rehearsal = createEvaluationClient({ url: "http://127.0.0.1:8001" });
 * const { summary } = await rehearsal.evaluate({ test_batch, endpoint, model_id, attempts: 5 });
 */
export function createEvaluationClient(options: ClientOptions): EvaluationClient {
  const { send, ask } = createCaller(options);
  const of = (runId: string, signal: AbortSignal | undefined) => ({ parameters: { run_id: runId }, signal });

  const client: EvaluationClient = {
    /** Follows the events, because proxies and `fetch` close a silent connection after minutes. */
    async evaluate(request, startOptions = {}) {
      const { run_id } = await client.start(request, startOptions);
      for await (const _ of client.events(run_id, startOptions));
      return retryWhileServiceUnavailable(() => client.results(run_id, startOptions), startOptions);
    },
    async start(body, { idempotencyKey, signal } = {}) {
      const headers = { prefer: "respond-async", "idempotency-key": idempotencyKey };
      const answer = await send("evaluate", { body, signal, headers });
      const run = await parseJsonResponse<Run>(answer);
      // The idempotent replay of an ended run answers with its results.
      return answer.status === 202 ? run : client.get(run.run_id, { signal });
    },
    list: (query = {}, { signal } = {}) => ask("listRuns", { query, signal }),
    get: (runId, { signal } = {}) => ask("getRun", of(runId, signal)),
    results: (runId, { signal } = {}) => ask("getRunResults", of(runId, signal)),
    freeze: (runId, body, { signal } = {}) => ask("freezeConversation", { ...of(runId, signal), body }),
    events: (runId, { after = 0, signal } = {}) =>
      followEvents({
        after,
        signal,
        url: options.url,
        open: (headers) => send("getRunEvents", { ...of(runId, signal), headers }),
      }),
    compare: (baseline, candidate, { signal, margin } = {}) =>
      ask("compareRuns", { query: { baseline, candidate, margin }, signal }),
    sequence: (runId, { signal } = {}) => ask("getRunSequence", of(runId, signal)),
    scoreAgreement: (runId, { verdicts, signal } = {}) =>
      verdicts
        ? ask("correlateVerdicts", { ...of(runId, signal), body: { verdicts: [...verdicts] } })
        : ask("getScoreAgreement", of(runId, signal)),
    rank: (runIds, { score, signal } = {}) => ask("rankRuns", { query: { runs: runIds.join(","), score }, signal }),
    experiment: (id, { score, limit, signal } = {}) =>
      ask("getExperiment", { parameters: { experiment_id: id }, query: { score, limit }, signal }),
    estimate: (body, { signal } = {}) => ask("estimateRun", { body, signal }),
    rescore: (runId, { askModels = false, replace, signal } = {}) =>
      ask("rescoreRun", { ...of(runId, signal), body: { ...replace, ask_models: askModels } }),
    verdicts: (runId, { signal } = {}) => ask("listVerdicts", of(runId, signal)),
    storeVerdicts: (runId, body, { signal } = {}) => ask("storeVerdicts", { ...of(runId, signal), body }),
    agreement: (runId, { question, signal } = {}) =>
      ask("measureAgreement", { ...of(runId, signal), query: { question } }),
    corrections: (runId, { signal } = {}) => ask("correctScores", of(runId, signal)),
    cancel: (runId, { signal } = {}) => ask("cancelRun", of(runId, signal)),
    async delete(runId, { signal } = {}) {
      await send("deleteRun", of(runId, signal));
    },
  };
  return client;
}

interface FollowOptions {
  readonly after: number;
  readonly signal?: AbortSignal | undefined;
  /** Used in errors. */
  readonly url: string;
  readonly open: (headers: Record<string, string>) => Promise<Response>;
  /** How many connections in a row may break without an event. */
  readonly maxBroken?: number;
  readonly pauseMs?: number;
}

/**
 * The events of a run to its end. A broken connection is reopened after the last event seen, so that no event is lost or
 * repeated, and an unavailable service is retried. Rejects when that does not help: a caller must not take a part of a run
 * for the whole.
 */
export async function* followEvents({
  after,
  signal,
  url,
  open,
  maxBroken = 5,
  pauseMs = 500,
}: FollowOptions): AsyncGenerator<RunEvent> {
  let seen = after;
  for (let broken = 0; ; broken += 1) {
    const headers = compact({ accept: "text/event-stream", "last-event-id": seen > 0 ? String(seen) : undefined });
    const response = await retryWhileServiceUnavailable(() => open(headers), { signal, pauseMs });
    let cause: unknown;
    try {
      for await (const { event, id, data } of parseEventStream(response)) {
        broken = 0;
        if (id !== undefined) seen = Number(id);
        yield compact({
          type: event,
          id: id !== undefined ? Number(id) : undefined,
          data: JSON.parse(data),
        }) as RunEvent;
        if (event === "end") return;
      }
    } catch (error) {
      if (signal?.aborted) throw error;
      cause = error;
    }
    if (broken >= maxBroken) {
      const message = `The events from ${url} broke off ${broken + 1} times in a row before the run had ended`;
      throw new ServiceUnreachable(url, { message, cause });
    }
    await pause(pauseMs, signal);
  }
}
