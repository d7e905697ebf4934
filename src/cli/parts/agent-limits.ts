import type { AgentLimits } from "../../agent/agent-limits.ts";
import type { Settings } from "../../settings.ts";

/** What one run of the agent may use. */
export function agentLimits(settings: Settings["agent"]): Partial<AgentLimits> {
  const {
    maxSteps: steps,
    toolCalls,
    toolCallsPerStep,
    parallel,
    toolTimeoutMs,
    deadlineMs,
    toolResultBytes,
  } = settings;
  return {
    steps,
    toolCalls,
    toolCallsPerStep,
    parallel,
    toolTimeoutMs,
    deadlineMs,
    toolResultBytes,
    tokens: limitOf(settings.maxTokens),
    cost: limitOf(settings.maxCost),
  };
}

/** 0 sets no limit. */
function limitOf(value: number): number {
  return value === 0 ? Number.POSITIVE_INFINITY : value;
}
