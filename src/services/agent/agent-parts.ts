import { createToolSupport, type ToolSupport } from "../../agent/prompted/tool-support.ts";
import type { AgentMessage } from "../../contract/schemas/agent-message.ts";
import type { AgentRunLog, AgentThreads, ThreadKey, WaitingRuns } from "../../contract/ports/agent-memory.ts";
import type { AgentDependencies } from "./dependencies.ts";
import { holdThread } from "./memory/hold-thread.ts";
import { createAgentMetrics, type AgentMetrics } from "./observers/agent-metrics.ts";
import { createProviderHealth, type ProviderHealth } from "./observers/provider-health.ts";
import { traceTurns } from "./observers/trace-turns.ts";
import { createTurns, type Turns } from "./turns/create-turns.ts";
import { createEarlierSteps, type EarlierSteps } from "./turns/earlier-steps.ts";
import { createIdempotentTurns, type IdempotentTurns } from "./turns/idempotent-turns.ts";
import { createLeftRuns, type LeftRuns } from "./turns/left-runs.ts";
import { createLocks } from "./turns/locks.ts";
import { recordTurns } from "./turns/record-turns.ts";
import { storeTurns } from "./turns/store-turns.ts";
import type { Turn } from "./turns/turn.ts";
import { createUnderWay } from "./turns/under-way.ts";

/** What the routes of the agent share. */
export interface AgentParts {
  readonly turns: Turns;
  readonly idempotentTurns: IdempotentTurns;
  readonly earlierSteps: EarlierSteps;
  readonly runLog: AgentRunLog;
  readonly threads: AgentThreads;
  readonly waitingRuns: WaitingRuns;
  readonly leftRuns: LeftRuns;
  readonly metrics: AgentMetrics;
  readonly toolSupport: ToolSupport;
  readonly providerHealth: ProviderHealth;
  /** Starts a turn that knows the thread's messages. Turns of one thread follow each other. */
  inThread(
    key: ThreadKey,
    signal: AbortSignal,
    start: (known: readonly AgentMessage[]) => Promise<Turn>,
  ): Promise<Turn>;
}

export function createAgentParts(dependencies: AgentDependencies): AgentParts {
  const {
    router,
    limits,
    runner,
    price,
    memory,
    log,
    toolSupport = createToolSupport(),
    observers = [traceTurns()],
    underWay = createUnderWay(),
  } = dependencies;
  const { runLog, threads, waitingRuns, answers } = memory;
  const locks = createLocks();
  const metrics = createAgentMetrics();
  const onUnkept = (error: unknown): void =>
    log.error({ err: error }, "an answer could not be kept for its Idempotency-Key");
  const providerHealth = createProviderHealth(dependencies.providers ?? []);
  const turns = createTurns({
    router,
    limits,
    runner,
    price,
    toolSupport,
    observers: [recordTurns({ log: runLog }), metrics.observe, providerHealth.observe, underWay.observe, ...observers],
    store: storeTurns({ memory, onUnkept }),
    overdue: underWay.overdue,
  });

  const inThread: AgentParts["inThread"] = async (key, signal, start) => {
    const leave = await locks.acquire(JSON.stringify([key.owner, key.id]), signal);
    const release = () =>
      void threads
        .release(key)
        .catch((error: unknown) => log.error({ err: error }, "a thread could not be given back"))
        .finally(leave);
    try {
      await holdThread(threads, key, signal);
      const thread = await threads.get(key);
      const turn = await start(thread?.messages ?? []);
      void turn.outcome.then(release, release);
      return turn;
    } catch (error) {
      release();
      throw error;
    }
  };

  return {
    turns,
    runLog,
    threads,
    waitingRuns,
    leftRuns: createLeftRuns({ signal: underWay.overdue }),
    metrics,
    toolSupport,
    providerHealth,
    idempotentTurns: createIdempotentTurns({ answers, onError: onUnkept }),
    earlierSteps: createEarlierSteps({
      handovers: memory.handovers,
      onUnstored: (error) =>
        log.error(
          { err: error },
          "steps before a hand-over to client tools could not be stored: other processes would repeat them",
        ),
    }),
    inThread: (key, signal, start) => underWay.follow(inThread(key, signal, start)),
  };
}
