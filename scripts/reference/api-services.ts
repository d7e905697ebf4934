import type { Operation } from "../../src/contract/operations/operation.ts";
import { agentOperations } from "../../src/services/agent/app.ts";
import { evaluationOperations } from "../../src/services/evaluation/app.ts";
import { agentExamples } from "./agent-examples.ts";
import type { ApiExamples } from "./api-example.ts";
import { evaluationExamples } from "./evaluation-examples.ts";

/** A service as its reference page shows it. */
export interface ApiService {
  /** Its name in the file of answers. */
  readonly name: "evaluation" | "agent";
  readonly title: string;
  readonly lead: string;
  readonly address: string;
  readonly operations: readonly Operation[];
  readonly examples: ApiExamples;
}

export const evaluationService: ApiService = {
  name: "evaluation",
  title: "Evaluation service",
  lead: "Runs scripted conversations against a model endpoint and scores every reply.",
  address: "http://127.0.0.1:8001",
  operations: evaluationOperations,
  examples: evaluationExamples,
};

export const agentService: ApiService = {
  name: "agent",
  title: "Agent backend",
  lead: "Sends a conversation to a tool-using agent and returns its last message. It serves the page as well.",
  address: "http://127.0.0.1:8000",
  operations: agentOperations,
  examples: agentExamples,
};
