import { AgentRequest } from "../agent-message.ts";
import { AgentReply } from "../agent-reply.ts";
import type { Operation } from "../operation.ts";
import { PageConfig } from "../page-config.ts";
import { StudioModels } from "../studio-models.ts";
import { healthz, readyz } from "./shared.ts";

export const runAgentTurn: Operation = {
  id: "runAgentTurn",
  method: "post",
  path: "/",
  summary: "Send a conversation to the agent; get its last message",
  description:
    "`x-model-id` picks the model: a UUID goes to the fine-tuned provider unchanged, `<provider>/<model_name>` to the hub, " +
    "anything else must be a configured alias or the unique name of a fine-tuned model. `x-model-resolved` says what ran.",
  tag: "Agent",
  headers: {
    "x-model-id": { description: "UUID of a fine-tuned model, or `<provider>/<model_name>`.", required: true },
  },
  body: AgentRequest,
  responses: { 200: { description: "The last message of the conversation.", schema: AgentReply } },
  errors: [
    "model_id_missing",
    "model_id_invalid",
    "validation_failed",
    "model_not_found",
    "context_length_exceeded",
    "upstream_rate_limited",
    "upstream_unreachable",
    "upstream_dns",
    "upstream_tls",
    "upstream_auth",
    "upstream_rejected",
    "upstream_error",
    "upstream_reset",
    "upstream_redirect",
    "upstream_invalid_reply",
    "upstream_reply_too_large",
    "endpoint_address_refused",
    "upstream_circuit_open",
    "upstream_timeout",
    "shutting_down",
  ],
};

export const listStudioModels: Operation = {
  id: "listStudioModels",
  method: "get",
  path: "/studio/models",
  summary: "Fine-tuned models, name to UUID",
  tag: "Agent",
  responses: { 200: { description: "The models.", schema: StudioModels } },
  errors: ["upstream_unreachable", "upstream_auth", "upstream_error", "upstream_invalid_reply", "upstream_timeout"],
};

export const getPageConfig: Operation = {
  id: "getPageConfig",
  method: "get",
  path: "/page/config",
  summary: "What the page must know about the services",
  tag: "Page",
  responses: { 200: { description: "Addresses, version and the models known by name.", schema: PageConfig } },
  errors: [],
};

/** Every route of the agent backend. */
export const agentOperations: readonly Operation[] = [runAgentTurn, listStudioModels, getPageConfig, healthz, readyz];
