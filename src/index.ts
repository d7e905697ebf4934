/** `rehearsal`: the configuration's helper, the clients and the runner. Scorers, statistics and matchers have entries of their own. */
export * from "./client.ts";
export { defineConfig, type ConfigInput } from "./cli/config/define-config.ts";
export { runAttempt, type AttemptOptions, type AttemptOutcome } from "./evaluation/run-attempt.ts";
export { estimateRun, type EstimateOptions } from "./evaluation/budget/estimate-run.ts";
export { addSpent, isSpent, noSpent, spentOn, type Spent } from "./evaluation/budget/budget.ts";
export { checkGate, type GateFigures } from "./evaluation/summary/quality-gate.ts";
export { Scenario } from "./contract/schemas/scenario.ts";
export type { ChatModel, ChatOptions, ChatRequest, Reply } from "./contract/ports/chat-model.ts";
export type { StoredReply, StoredScores } from "./contract/schemas/interaction-result.ts";
