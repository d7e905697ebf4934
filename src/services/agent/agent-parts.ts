import { createToolSupport, type ToolSupport } from "../../agent/prompted/tool-support.ts";
import type { AgentRunLog, AgentThreads } from "../../contract/ports/agent-memory.ts";
import type { AgentDependencies } from "./dependencies.ts";
import { createAgentMetrics, type AgentMetrics } from "./observers/agent-metrics.ts";
import { createProviderHealth, type ProviderHealth } from "./observers/provider-health.ts";
import { recordTurns } from "./observers/record-turns.ts";
import { traceTurns } from "./observers/trace-turns.ts";
import { createActiveTurns } from "./turns/active-turns.ts";
import { createEarlierSteps } from "./turns/earlier-steps.ts";
import type { PublicFiles } from "../http/shell.ts";
import { createPageFiles } from "./routes/page-files.ts";
import { createTurns, type Turns } from "./turns/turns.ts";
import { renderStoredResponse } from "./wires/openai-responses.ts";

/** Everything that the routes of the agent backend are made from. */
export type AgentServices = AgentDependencies & AgentParts;

/** The parts that the routes share. */
export interface AgentParts {
  readonly turns: Turns;
  readonly runLog: AgentRunLog;
  readonly threads: AgentThreads;
  readonly metrics: AgentMetrics;
  readonly toolSupport: ToolSupport;
  readonly providerHealth: ProviderHealth;
  readonly pageFiles: PublicFiles;
}

export function createAgentParts(dependencies: AgentDependencies): AgentParts {
  const {
    router,
    tools,
    openWorld,
    limits,
    runner,
    price,
    memory,
    maxMessages,
    bodyLimits,
    log,
    page,
    providers = [],
    toolSupport = createToolSupport(),
    observers = [traceTurns()],
    activeTurns = createActiveTurns(),
  } = dependencies;
  const { runLog, threads, handovers } = memory;
  const metrics = createAgentMetrics();
  const providerHealth = createProviderHealth(providers);
  const onUnstored = (error: unknown): void =>
    log.error(
      { err: error },
      "steps before a hand-over to client tools could not be stored: other processes would repeat them",
    );
  return {
    turns: createTurns({
      router,
      tools,
      openWorld,
      limits,
      runner,
      price,
      toolSupport,
      observers: [
        recordTurns({ log: runLog }),
        metrics.observe,
        providerHealth.observe,
        activeTurns.observe,
        ...observers,
      ],
      memory,
      threadLimits: { messages: maxMessages, bytes: bodyLimits.bytes },
      activeTurns,
      earlierSteps: createEarlierSteps({ handovers, onUnstored }),
      renderResponse: renderStoredResponse,
      log,
    }),
    runLog,
    threads,
    metrics,
    toolSupport,
    providerHealth,
    pageFiles: createPageFiles(page),
  };
}
