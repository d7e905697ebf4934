import { agentAnswersSuite } from "./agent-answers-suite.ts";
import { agentHandoversSuite } from "./agent-handovers-suite.ts";
import { agentRunLogSuite } from "./agent-run-log-suite.ts";
import { agentThreadsSuite } from "./agent-threads-suite.ts";
import { agentTurnEndSuite } from "./agent-turn-end-suite.ts";
import { agentAcceptedRunsSuite, agentOpenRunsSuite } from "./agent-open-runs-suite.ts";
import type { PrepareMemory } from "./memory-under-test.ts";

/** The promises of every driver about the agent's memory. */
export function agentMemorySuite(name: string, prepare: PrepareMemory): void {
  agentRunLogSuite(name, prepare);
  agentThreadsSuite(name, prepare);
  agentAnswersSuite(name, prepare);
  agentTurnEndSuite(name, prepare);
  agentOpenRunsSuite(name, prepare);
  agentAcceptedRunsSuite(name, prepare);
  agentHandoversSuite(name, prepare);
}
