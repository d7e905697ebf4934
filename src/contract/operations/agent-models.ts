import {
  AgentUpstreams,
  ConnectionTest,
  ConnectionTestRequest,
  LocalServers,
  ModelProviderList,
  OpenAiModel,
  OpenAiModelList,
  studioListErrors,
  StudioModels,
} from "../schemas/agent/models.ts";
import { defineOperation } from "./operation.ts";

export const listModels = defineOperation("listModels", {
  summary: "List the models known by name: fine-tuned, hub and aliases",
  tag: "OpenAI-compatible",
  scope: "models:read",
  responses: { 200: { description: "The models. A hub may serve others as well.", schema: OpenAiModelList } },
  errors: [],
});

export const getModel = defineOperation("getModel", {
  summary: "Get one model known by name",
  tag: "OpenAI-compatible",
  scope: "models:read",
  parameters: {
    model: { description: "The model's id, including slashes, or the name of a fine-tuned model." },
  },
  responses: { 200: { description: "The model.", schema: OpenAiModel } },
  errors: ["model_not_found"],
});

export const listStudioModels = defineOperation("listStudioModels", {
  summary: "Map the names of fine-tuned models to their UUIDs",
  tag: "Agent",
  scope: "models:read",
  responses: {
    200: {
      description: "The models.",
      schema: StudioModels,
      headers: {
        warning: { description: "Present when the provider could not be reached to confirm the list." },
        "x-cache": { description: "`stale` when the list could not be confirmed." },
      },
    },
  },
  errors: studioListErrors,
});

export const getAgentUpstreams = defineOperation("getAgentUpstreams", {
  summary: "State of the model providers: circuit breakers, queues and tool support",
  tag: "Agent",
  scope: "models:read",
  responses: { 200: { description: "The current state.", schema: AgentUpstreams } },
  errors: [],
});

export const listLocalServers = defineOperation("listLocalServers", {
  summary: "Find model servers on this machine: Ollama, LM Studio, llama.cpp, vLLM",
  description: "Probes only their default ports on loopback.",
  tag: "Agent",
  scope: "models:read",
  responses: { 200: { description: "The servers that responded.", schema: LocalServers } },
  errors: [],
});

export const listModelProviders = defineOperation("listModelProviders", {
  summary: "List well-known and configured providers of models, and the variable that holds the key of each",
  description: "Says whether a key is set, never the key.",
  tag: "Agent",
  scope: "models:read",
  responses: { 200: { description: "The providers.", schema: ModelProviderList } },
  errors: [],
});

export const testModelProvider = defineOperation("testModelProvider", {
  summary: "Test the connection to a provider with the key in the service's environment",
  description:
    "Reads the provider's list of models or, with `model`, asks that model one short question. A failure is a result with `ok` false. " +
    "An address that is not connected is subject to the endpoint policy of evaluations.",
  tag: "Agent",
  scope: "evaluate",
  body: ConnectionTestRequest,
  example: { provider: "ollama" },
  responses: { 200: { description: "The result.", schema: ConnectionTest } },
  errors: ["validation_failed"],
});
