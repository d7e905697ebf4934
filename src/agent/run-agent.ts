import { finishRun } from "./agent-loop.ts";
import type { AgentOutcome } from "./agent-outcome.ts";
import { createAgentRun, type AgentRunOptions } from "./agent-run.ts";
import { toOpenTurn } from "./postponed-turn.ts";

/**
 * Runs a conversation until the model answers: it calls the model, carries out the tools it asks for, and goes on.
 * Resolves with an outcome, a failed model included; rejects only when `signal` aborts.
 * Only calls that this run's model makes are carried out, or those of `postponed`, never those in `messages`.
 *
 * @example
 * const outcome = await runAgent({ model, messages: fromAgentMessages(body.messages), tools: [calculator()], signal });
 */
export async function runAgent(options: AgentRunOptions): Promise<AgentOutcome> {
  const run = createAgentRun(options);
  return finishRun(run, options.postponed && toOpenTurn(run, options.postponed));
}
