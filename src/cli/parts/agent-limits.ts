import type { AgentLimits } from "../../agent/agent-limits.ts";
import type { Settings } from "../../settings.ts";

/** What one run of the agent may use. */
export function agentLimits(settings: Settings["agent"]): Partial<AgentLimits> {
  return {
    steps: settings.maxSteps,
    toolCalls: settings.toolCalls,
    toolCallsPerStep: settings.toolCallsPerStep,
    parallel: settings.parallel,
    toolTimeoutMs: settings.toolTimeoutMs,
    deadlineMs: settings.deadlineMs,
    toolResultBytes: settings.toolResultBytes,
    tokens: limitOf(settings.maxTokens),
    cost: limitOf(settings.maxCost),
  };
}

/** 0 sets no limit. */
function limitOf(value: number): number {
  return value === 0 ? Number.POSITIVE_INFINITY : value;
}
