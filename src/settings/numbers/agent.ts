import type { NumberVariable } from "./number-variable.ts";
import { bytes, count, kibibyte, mebibyte, second, wait } from "./ranges.ts";

export const agent = {
  maxSteps: { name: "REHEARSAL_AGENT_MAX_STEPS", ...count, default: 25, meaning: "Model calls of one agent run." },
  toolCallsPerStep: {
    name: "REHEARSAL_AGENT_MAX_TOOL_CALLS_PER_STEP",
    ...count,
    default: 8,
    meaning: "Tool calls that one model answer may ask for.",
  },
  toolCalls: {
    name: "REHEARSAL_AGENT_MAX_TOOL_CALLS",
    ...count,
    default: 100,
    meaning: "Tool calls of one agent run.",
  },
  parallel: {
    name: "REHEARSAL_AGENT_PARALLEL_TOOLS",
    ...count,
    default: 4,
    meaning: "Tools of one agent run that run at the same time.",
  },
  maxTokens: {
    name: "REHEARSAL_AGENT_MAX_TOKENS",
    minimum: 0,
    maximum: 1_000_000_000,
    default: 0,
    meaning: "Tokens of one agent run; 0 sets no limit.",
  },
  maxCost: {
    name: "REHEARSAL_AGENT_MAX_COST",
    minimum: 0,
    maximum: 1_000_000,
    fraction: true,
    default: 0,
    meaning: "US dollars of one agent run, by the price table; 0 sets no limit.",
  },
  retentionDays: {
    name: "REHEARSAL_AGENT_RETENTION_DAYS",
    minimum: 0,
    maximum: 36_500,
    default: 30,
    meaning: "Days that agent runs are kept, and threads after their last turn; 0 keeps them for good.",
  },
  toolTimeoutMs: {
    name: "REHEARSAL_AGENT_TOOL_TIMEOUT_MS",
    ...wait,
    default: 30 * second,
    meaning: "Time for one tool call.",
  },
  deadlineMs: {
    name: "REHEARSAL_AGENT_DEADLINE_MS",
    ...wait,
    default: 300 * second,
    meaning: "Time for one whole agent run.",
  },
  toolResultBytes: {
    name: "REHEARSAL_AGENT_MAX_TOOL_RESULT_BYTES",
    ...bytes,
    default: 64 * kibibyte,
    meaning: "Tool results are cut at this size.",
  },
  fetchBytes: {
    name: "REHEARSAL_AGENT_FETCH_MAX_BYTES",
    ...bytes,
    default: 2 * mebibyte,
    meaning: "Largest page the web_fetch tool reads.",
  },
} as const satisfies Record<string, NumberVariable>;
