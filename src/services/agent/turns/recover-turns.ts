import { setTimeout as sleep } from "node:timers/promises";
import type { AgentOutcome } from "../../../agent/loop/agent-outcome.ts";
import type { Tool } from "../../../agent/tools/tool.ts";
import { isRetryable, isStoreFailure, ServiceError } from "../../../contract/errors/errors.ts";
import type { LostRun, ThreadKey } from "../../../contract/ports/agent-memory.ts";
import type { ReplyError } from "../../../contract/ports/chat-model.ts";
import { noUsage } from "../../../contract/schemas/shared/usage.ts";
import type { Runner } from "./agent-turn.ts";
import type { StoredRun, StoredRuns, TurnStorage } from "./stored-run.ts";
import type { Turn, TurnRequest } from "./turn.ts";

/** Finishes accepted turns whose process died: with the same run, key and thread, and without repeating a step. */
export interface TurnRecovery {
  /** Takes the run over. Null when a living process has it. The caller holds the run's thread. */
  recover(runId: string): Promise<Turn | null>;
  /** The same, after waiting for the run's thread. */
  recoverInThread(run: LostRun): Promise<Turn | null>;
  /** Looks for such turns now and every few seconds, until the signal aborts. */
  watch(signal: AbortSignal): Promise<void>;
}

interface TurnRecoveryOptions {
  readonly openRuns: TurnStorage;
  readonly stored: StoredRuns;
  readonly tools: () => readonly Tool[];
  /** Aborts when the process stops. */
  readonly overdue: AbortSignal;
  readonly inThread: (key: ThreadKey, signal: AbortSignal, start: () => Promise<Turn | null>) => Promise<Turn | null>;
  readonly start: (
    request: TurnRequest,
    options: { runId: string; stored: StoredRun; runner?: Runner },
  ) => Promise<Turn>;
  readonly onError: (error: unknown) => void;
}

/**
 * A run that so many processes left, or could not start, without completing a step has failed. Many, because a process may be
 * killed for other reasons again and again; few enough that a run that kills its process does so for a minute and not for ever.
 */
const mostTries = 20;

/** The pause before a run that could not be started is tried again, for example while its world cannot be reached. */
const pauseMs = 10_000;

const everyMs = 2_000;

export function createTurnRecovery({
  openRuns,
  stored,
  tools: toolsNow,
  overdue,
  inThread,
  start,
  onError,
}: TurnRecoveryOptions): TurnRecovery {
  async function recover(runId: string): Promise<Turn | null> {
    const taken = await openRuns.recover(runId);
    if (!taken) return null;
    const { run, done, tries } = taken;
    const { state } = run;
    const offered = new Set(state.tools);
    const request: TurnRequest = {
      owner: run.owner,
      requestId: state.request_id,
      trace: state.trace ?? undefined,
      wire: state.wire,
      modelId: state.model_id,
      fallbacks: state.fallbacks,
      messages: state.messages,
      hidesSteps: state.hides_steps,
      response: state.response,
      tools: toolsNow().filter(({ definition }) => offered.has(definition.name)),
      clientTools: state.client_tools,
      parameters: state.parameters ?? undefined,
      world: state.world ?? undefined,
      stream: state.stream,
      isAsync: state.is_async,
      answerKey: state.answer_key ?? undefined,
      // The thread may have been deleted.
      thread: run.thread_id === null ? null : state.thread,
    };
    const storedRun = stored.open(runId, { done, recovered: true, startedAt: state.accepted_at });
    const options = { runId, stored: storedRun };
    if (tries >= mostTries) return start(request, { ...options, runner: fails(triedOften) });
    try {
      return await start(request, options);
    } catch (error) {
      if (tries === mostTries - 1 && !isStoreFailure(error)) {
        return await start(request, { ...options, runner: fails(toReplyError(error)) });
      }
      void sleep(pauseMs, undefined, { signal: overdue, ref: false }).then(storedRun.giveBack, () => {});
      throw error;
    }
  }

  const recoverInThread = (run: LostRun): Promise<Turn | null> =>
    run.thread ? inThread(run.thread, overdue, () => recover(run.runId)) : recover(run.runId);

  /** Runs that wait here for their thread. */
  const expected = new Set<string>();

  async function recoverAll(): Promise<void> {
    for (const run of await openRuns.lost()) {
      if (expected.has(run.runId)) continue;
      expected.add(run.runId);
      void recoverInThread(run)
        .catch(onError)
        .finally(() => expected.delete(run.runId));
    }
  }

  return {
    recover,
    recoverInThread,
    async watch(signal) {
      while (!signal.aborted) {
        await recoverAll().catch(onError);
        await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {});
      }
    },
  };
}

const triedOften: ReplyError = {
  code: "internal_error",
  detail: `The run was interrupted ${mostTries} times without completing a step, and is not tried again.`,
  upstream_status: null,
  tries: mostTries,
  retryable: false,
};

function toReplyError(error: unknown): ReplyError {
  if (!(error instanceof ServiceError)) return { ...triedOften, detail: "The run could not be continued." };
  return { ...triedOften, code: error.code, detail: error.message, retryable: isRetryable(error.code) };
}

/** Ends a run without a step. */
const fails =
  (error: ReplyError): Runner =>
  async (): Promise<AgentOutcome> => ({
    ok: false,
    error,
    usage: noUsage,
    cost: null,
    steps: 0,
    model_calls: 0,
    tool_calls: [],
    invalid_tool_calls: [],
    repairs: 0,
    duration_ms: 0,
  });
