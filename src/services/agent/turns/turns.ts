import type { Logger } from "pino";
import { uuidV7 } from "../../../base/uuid.ts";
import { runAgent } from "../../../agent/loop/agent-loop.ts";
import type { WorldTools } from "../../../agent/mcp/world-tools.ts";
import { fromThread } from "../../../agent/messages/history.ts";
import type { ToolSupport } from "../../../agent/prompted/tool-support.ts";
import type { Tool } from "../../../agent/tools/tool.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import type { AgentMemory } from "../../../contract/ports/agent-memory.ts";
import type { ChatMessage } from "../../../contract/ports/chat-model.ts";
import { worldHeader } from "../../../contract/schemas/acting/world.ts";
import type { Router } from "../../../models/routing/router.ts";
import type { ActiveTurns } from "./active-turns.ts";
import { AgentTurn, type Runner, type TurnSettings } from "./agent-turn.ts";
import { createCancelRun, type CancelRun, type RunningTurn } from "./cancel-run.ts";
import type { EarlierSteps } from "./earlier-steps.ts";
import { createIdempotentTurns, type IdempotentTurns } from "./idempotent-turns.ts";
import { createTurnRecovery, type TurnRecovery } from "./recover-turns.ts";
import { createRunResumer, type ResumeRun } from "./resume-run.ts";
import { routeModels } from "./route-models.ts";
import { createTurnStore, type RenderResponse } from "./store-turns.ts";
import { createStoredRuns, type StoredRun, type TurnStorage } from "./stored-run.ts";
import { createThreadTurns, type ThreadLimits } from "./thread-turns.ts";
import type { Turn, TurnRequest } from "./turn.ts";

/** Starts runs of the agent, for every wire. */
export interface Turns {
  /** Rejects with a `ServiceError`, before any model is called, when no model can be chosen. */
  start(request: TurnRequest, signal?: AbortSignal): Promise<Turn>;
  /** Starts a turn that continues its stored thread, after the turn before it. Rejects when `signal` aborts first. */
  startInThread(request: ThreadRequest, signal: AbortSignal): Promise<Turn>;
  /** Resumes a run that waited for approval. */
  readonly resume: ResumeRun;
  readonly cancel: CancelRun;
  /** Starts a turn once per Idempotency-Key. */
  readonly once: IdempotentTurns["begin"];
  /** Finishes accepted turns of dead processes until the signal aborts. */
  readonly recoverUntil: TurnRecovery["watch"];
}

type ThreadRequest = Omit<TurnRequest, "messages" | "thread"> & {
  readonly thread: NonNullable<TurnRequest["thread"]>;
  /** Put before the conversation, and not stored. */
  readonly opening: readonly ChatMessage[];
  /** Tools whose results pass unchanged. Default: none. */
  readonly isClientTool?: ((name: string) => boolean) | undefined;
};

/** Opens the tools of the test world at this address. */
export type OpenWorld = (url: string, signal: AbortSignal) => Promise<WorldTools>;

interface TurnsOptions extends Pick<TurnSettings, "limits" | "price" | "observers"> {
  readonly router: Router;
  /** Called for each turn, because tools of MCP servers come and go. */
  readonly tools: () => readonly Tool[];
  /** Default: turns in a world are refused. */
  readonly openWorld?: OpenWorld | undefined;
  readonly runner?: Runner | undefined;
  readonly toolSupport: ToolSupport;
  readonly memory: Omit<AgentMemory, "tidy">;
  readonly threadLimits: ThreadLimits;
  readonly activeTurns: ActiveTurns;
  readonly earlierSteps: EarlierSteps;
  readonly renderResponse: RenderResponse;
  readonly log: Logger;
}

interface StartTurnOptions {
  /** Ends the opening of a world. */
  readonly signal?: AbortSignal | undefined;
  /** A run that is stored already. */
  readonly known?: { readonly runId: string; readonly stored: StoredRun } | undefined;
  /** Runs this turn in place of the agent. */
  readonly runner?: Runner | undefined;
}

export function createTurns({
  router,
  tools,
  openWorld,
  runner = runAgent,
  toolSupport,
  memory,
  threadLimits,
  activeTurns: { overdue, track },
  earlierSteps,
  renderResponse,
  log,
  ...shared
}: TurnsOptions): Turns {
  const onAnswerLost = (error: unknown): void =>
    log.error({ err: error }, "an answer could not be stored for its Idempotency-Key");
  // Only this service writes there.
  const openRuns = memory.openRuns as TurnStorage;
  const store = createTurnStore({ memory, onAnswerLost, renderResponse });
  const stored = createStoredRuns(openRuns, overdue);
  const settings: TurnSettings = { ...shared, runner, store, overdue, now: Date.now };
  const running = new Map<string, RunningTurn>();

  async function start(
    request: TurnRequest,
    { known, signal = overdue, runner: instead }: StartTurnOptions,
  ): Promise<AgentTurn> {
    const routes = await routeModels(request, { router, toolSupport });
    const steps = request.hidesSteps ? await earlierSteps.read(request.owner, request.messages) : null;
    // A replay runner calls no tools, so it needs no world.
    const world = request.world !== undefined && !instead ? await inWorld(request.world, signal) : null;
    try {
      const runId = known?.runId ?? uuidV7();
      const whole = { ...request, ...steps, ...(world && { tools: world.tools }) };
      const turn = new AgentTurn(whole, {
        runId,
        routes,
        settings: instead ? { ...settings, runner: instead } : settings,
        stored: known?.stored ?? (isAcceptedWork(request) ? await accept(runId, request) : undefined),
      });
      const entry: RunningTurn = { owner: request.owner, turn };
      running.set(runId, entry);
      const ended = (): void => {
        running.delete(runId);
        // A map that changes often is moved to new memory, and V8 keeps what the old memory refers to until a full collection.
        entry.turn = null;
        void world?.close();
      };
      turn.outcome.then(ended, ended);
      return turn;
    } catch (error) {
      void world?.close();
      throw error;
    }
  }

  /** In a test world the agent has the tools of the world alone: its own may act on production. */
  function inWorld(url: string, signal: AbortSignal): Promise<WorldTools> {
    if (!openWorld) throw new ServiceError("header_invalid", `${worldHeader} is not supported by this agent.`);
    return openWorld(url, signal);
  }

  async function accept(runId: string, request: TurnRequest): Promise<StoredRun> {
    await store.accept(runId, request, settings.now());
    return stored.open(runId, { done: [] });
  }

  const recovery = createTurnRecovery({
    openRuns,
    stored,
    tools,
    overdue,
    inThread: (key, signal, begin) => threads.hold(key, signal, begin),
    start: (request, { runId, stored: storedRun, ...options }) =>
      start(request, { known: { runId, stored: storedRun }, ...options }),
    onError: (error) => log.error({ err: error }, "an accepted turn of another process could not be continued"),
  });
  const threads = createThreadTurns({ memory, recover: recovery.recover, limits: threadLimits, log });

  return {
    start: (request, signal) => start(request, { signal }),
    startInThread(request, signal) {
      const { owner, thread, opening, isClientTool } = request;
      const started = threads.append({ owner, id: thread.id }, thread.messages, {
        signal,
        start: (conversation) =>
          start({ ...request, messages: [...opening, ...fromThread(conversation, { isClientTool })] }, { signal }),
      });
      return track(started);
    },
    resume: createRunResumer({
      runLog: memory.runLog,
      openRuns,
      stored,
      tools,
      inThread: (key, signal, resume) => track(threads.hold(key, signal, resume)),
      async start(request, known) {
        const turn = await start(request, { known });
        // Decisions are checked before the first event: without one they were rejected.
        if (!turn.hasStarted) await turn.outcome;
        return turn;
      },
    }),
    cancel: createCancelRun({
      runLog: memory.runLog,
      openRuns,
      endTurn: memory.endTurn,
      running: (id) => running.get(id),
    }),
    once: createIdempotentTurns({
      answers: memory.answers,
      recover: (run) => track(recovery.recoverInThread(run)),
      onError: onAnswerLost,
    }).begin,
    recoverUntil: recovery.watch,
  };
}

/** A turn that its client can ask for again, or that others follow, is finished whatever happens to its process. */
function isAcceptedWork({ answerKey, thread, isAsync, response }: TurnRequest): boolean {
  return answerKey !== undefined || thread !== null || isAsync === true || response !== undefined;
}
