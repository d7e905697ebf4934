import { randomUUIDv7 } from "node:crypto";
import type { Logger } from "pino";
import { runAgent } from "../../../agent/loop/agent-loop.ts";
import { fromAgentMessages } from "../../../agent/messages/history.ts";
import type { ToolSupport } from "../../../agent/prompted/tool-support.ts";
import type { Tool } from "../../../agent/tools/tool.ts";
import type { AgentMemory } from "../../../contract/ports/agent-memory.ts";
import type { ChatMessage } from "../../../contract/ports/chat-model.ts";
import type { Router } from "../../../models/routing/router.ts";
import type { ActiveTurns } from "./active-turns.ts";
import { AgentTurn, type Runner, type TurnSettings } from "./agent-turn.ts";
import { createIdempotentTurns, type IdempotentTurns } from "./idempotent-turns.ts";
import { createRunResumer, type ResumeRun } from "./resume-run.ts";
import { routeModels } from "./route-models.ts";
import { storeTurns } from "./store-turns.ts";
import { createThreadTurns, type ThreadLimits } from "./thread-turns.ts";
import type { Turn, TurnRequest } from "./turn.ts";

/** Starts runs of the agent, for every wire. */
export interface Turns {
  /** Rejects with a `ServiceError`, before any model is called, when no model can be chosen. */
  start(request: TurnRequest): Promise<Turn>;
  /** Starts a turn that continues its stored thread, after the turn before it. Rejects when `signal` aborts first. */
  startInThread(request: ThreadRequest, signal: AbortSignal): Promise<Turn>;
  /** Resumes a run that waited for approval. */
  readonly resume: ResumeRun;
  /** Starts a turn once per Idempotency-Key. */
  readonly once: IdempotentTurns["begin"];
}

type ThreadRequest = Omit<TurnRequest, "messages" | "thread"> & {
  readonly thread: NonNullable<TurnRequest["thread"]>;
  /** Put before the conversation, and not stored. */
  readonly opening: readonly ChatMessage[];
};

interface TurnsOptions extends Pick<TurnSettings, "limits" | "price" | "observers"> {
  readonly router: Router;
  /** Called for each turn, because tools of MCP servers come and go. */
  readonly tools: () => readonly Tool[];
  readonly runner?: Runner | undefined;
  readonly toolSupport: ToolSupport;
  readonly memory: Omit<AgentMemory, "tidy">;
  readonly threadLimits: ThreadLimits;
  readonly activeTurns: ActiveTurns;
  readonly log: Logger;
}

export function createTurns({
  router,
  tools,
  runner = runAgent,
  toolSupport,
  memory,
  threadLimits,
  activeTurns: { overdue, track },
  log,
  ...shared
}: TurnsOptions): Turns {
  const onAnswerLost = (error: unknown): void =>
    log.error({ err: error }, "an answer could not be stored for its Idempotency-Key");
  const store = storeTurns({ memory, onAnswerLost });
  const settings: TurnSettings = { ...shared, runner, store, overdue, now: Date.now };
  const threads = createThreadTurns({ memory, limits: threadLimits, log });

  const start = async (request: TurnRequest): Promise<Turn> => {
    const routes = await routeModels(request, { router, toolSupport });
    return new AgentTurn(request, { runId: randomUUIDv7(), routes, settings });
  };

  return {
    start,
    startInThread(request, signal) {
      const { owner, thread, opening } = request;
      const started = threads.append({ owner, id: thread.id }, thread.messages, {
        signal,
        start: (conversation) => start({ ...request, messages: [...opening, ...fromAgentMessages(conversation)] }),
      });
      return track(started);
    },
    resume: createRunResumer({
      memory,
      tools,
      overdue,
      inThread: (key, signal, resume) => track(threads.hold(key, signal, resume)),
      async start(request, { runId, resumption }) {
        const routes = await routeModels(request, { router, toolSupport });
        const turn = new AgentTurn(request, { runId, routes, settings, resumption });
        // Decisions are checked before the first event: without one they were rejected.
        if (!turn.hasStarted) await turn.outcome;
        return turn;
      },
    }),
    once: createIdempotentTurns({ answers: memory.answers, onError: onAnswerLost }).begin,
  };
}
