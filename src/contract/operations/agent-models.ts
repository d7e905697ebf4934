import {
  AgentUpstreams,
  LocalServers,
  OpenAiModel,
  OpenAiModelList,
  studioListErrors,
  StudioModels,
} from "../schemas/models.ts";
import type { Operation } from "./operation.ts";

export const listModels: Operation = {
  id: "listModels",
  method: "get",
  path: "/v1/models",
  summary: "Every model known by name: fine-tuned, hub and aliases",
  tag: "OpenAI-compatible",
  scope: "models:read",
  responses: { 200: { description: "The models. A hub may serve more.", schema: OpenAiModelList } },
  errors: [],
};

export const getModel: Operation = {
  id: "getModel",
  method: "get",
  path: "/v1/models/{model}",
  summary: "One model known by name",
  tag: "OpenAI-compatible",
  scope: "models:read",
  parameters: { model: { description: "Its id, slashes included, or the name of a fine-tuned model." } },
  responses: { 200: { description: "The model.", schema: OpenAiModel } },
  errors: ["model_not_found"],
};

export const listStudioModels: Operation = {
  id: "listStudioModels",
  method: "get",
  path: "/studio/models",
  summary: "Fine-tuned models, name to UUID",
  tag: "Agent",
  scope: "models:read",
  responses: {
    200: {
      description: "The models.",
      schema: StudioModels,
      headers: {
        warning: { description: "Says that the provider could not confirm the list just now." },
        "x-cache": { description: "`stale`, then." },
      },
    },
  },
  errors: studioListErrors,
};

export const getAgentUpstreams: Operation = {
  id: "getAgentUpstreams",
  method: "get",
  path: "/agent/upstreams",
  summary: "How the models' providers are doing: breakers, waiting lines, how tools are used",
  tag: "Agent",
  scope: "models:read",
  responses: { 200: { description: "What is known now.", schema: AgentUpstreams } },
  errors: [],
};

export const listLocalServers: Operation = {
  id: "listLocalServers",
  method: "get",
  path: "/agent/local-servers",
  summary: "Model servers on this machine: Ollama, LM Studio, llama.cpp, vLLM",
  description: "Asks their usual ports on loopback, and nobody else.",
  tag: "Agent",
  scope: "models:read",
  responses: { 200: { description: "Those that answered.", schema: LocalServers } },
  errors: [],
};
