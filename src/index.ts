/** `rehearsal-eval`: `evaluate`, `defineConfig`, the clients and the attempt runner. Scorers, statistics and matchers are separate entry points. */
import "./required-node.ts";
import type { z } from "zod";
import type { Config } from "./cli/config/config.ts";

export * from "./client.ts";
export { evaluate, type EvaluateOptions, type ScenarioValue } from "./evaluate/evaluate.ts";
export { EngineError } from "./evaluate/engine.ts";
export type {
  EvaluatedRun,
  EvaluatedScenario,
  EvaluationResult,
  GateVerdict,
  ScenarioVerdict,
} from "./evaluate/result.ts";
export type {
  AgentAnswer,
  AgentToolCall,
  Message,
  ScorerAnswer,
  ScorerFunction,
  Session,
  TargetContext,
  TargetFunction,
} from "./evaluate/callback-server.ts";
export { testScenarios, type TestFunction, type TestScenariosOptions } from "./evaluate/test-scenarios.ts";
export { runAttempt, type AttemptOptions, type AttemptOutcome } from "./evaluation/attempts/run-attempt.ts";
export { estimateRun, type EstimateOptions } from "./evaluation/budget/estimate-run.ts";
export { addSpent, isSpent, noSpent, spentOn, type Spent } from "./evaluation/budget/budget.ts";
export { checkGate, type GateFigures } from "./evaluation/summary/quality-gate.ts";
export { Scenario } from "./contract/schemas/scenario.ts";
export type { ChatModel, ChatOptions, ChatRequest, Reply } from "./contract/ports/chat-model.ts";
export type { WorldModule, WorldModuleTool } from "./contract/ports/world-module.ts";
export type { StoredReply, StoredScores } from "./contract/schemas/interaction-result.ts";

export type ConfigInput = z.input<typeof Config>;

/**
 * Types a `rehearsal.ts` configuration while it is written.
 *
 * @example
 * export default defineConfig({ scenarios: "scenarios/", model: "demo/retrieval", attempts: 3 });
 */
export function defineConfig(config: ConfigInput | (() => ConfigInput | Promise<ConfigInput>)): typeof config {
  return config;
}
