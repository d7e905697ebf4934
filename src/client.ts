/** `rehearsal-eval/client`: typed clients of both services. */
import "./required-node.ts";
export { createAgentClient, type AgentClient, type AgentMessages } from "./client/agent-client.ts";
export {
  createEvaluationClient,
  type CallOptions,
  type EvaluationClient,
  type StartOptions,
} from "./client/evaluation-client.ts";
export type { ClientOptions } from "./client/caller.ts";
export type { EvaluationInput } from "./client/evaluation-client.ts";
export type { RescoreInput } from "./client/evaluation-client.ts";
export { ServiceFailure, ServiceUnreachable } from "./client/caller.ts";
export type { AgentReply } from "./contract/schemas/agent/agent-message.ts";
export type { EvaluationResponse, ScenarioResult } from "./contract/schemas/evaluation-response.ts";
export type { Problem } from "./contract/errors/problem.ts";
export type { RunEvent } from "./contract/schemas/run.ts";
export type { Run } from "./contract/schemas/run.ts";
