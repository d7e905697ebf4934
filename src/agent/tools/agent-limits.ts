import type { UsagePrice } from "../../contract/schemas/shared/usage.ts";

/** The limits of one run. */
export interface AgentLimits {
  /** Model calls that may ask for tools; their tools still run. */
  readonly steps: number;
  /** Tool calls in the whole run. */
  readonly toolCalls: number;
  readonly toolCallsPerStep: number;
  /** Tools that run at the same time. */
  readonly parallel: number;
  /** How often unusable calls of one tool go back to the model for another try; all unknown tools count as one. */
  readonly repairs: number;
  readonly toolTimeoutMs: number;
  readonly toolResultBytes: number;
  /** The whole run, its final answer included. */
  readonly deadlineMs: number;
  /** The part of the deadline reserved for the final answer, at most half. */
  readonly finalAnswerMs: number;
  /** Input and output tokens over all calls. Estimated when the endpoint reports none. */
  readonly tokens: number;
  /** Cost over all calls, in the currency of the given price. */
  readonly cost: number;
}

export const defaultLimits: AgentLimits = {
  steps: 25,
  toolCalls: 100,
  toolCallsPerStep: 8,
  parallel: 4,
  repairs: 2,
  toolTimeoutMs: 30_000,
  toolResultBytes: 64 * 1024,
  deadlineMs: 300_000,
  finalAnswerMs: 60_000,
  tokens: Number.POSITIVE_INFINITY,
  cost: Number.POSITIVE_INFINITY,
};

/** A limit that ends a run with one last answer without tools. */
export type LimitReason =
  | "step_limit"
  | "tool_limit"
  | "token_limit"
  | "cost_limit"
  | "repair_limit"
  | "context_limit"
  | "deadline";

/** Cost per token. */
export type TokenPrice = UsagePrice;
