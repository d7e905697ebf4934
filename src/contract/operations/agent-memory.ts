import { AgentThread } from "../schemas/agent-message.ts";
import { AgentReplay } from "../schemas/agent-stream.ts";
import { AgentRunDetails, AgentRunList, AgentRunListQuery } from "../schemas/agent-run.ts";
import { Scenario } from "../schemas/scenario.ts";
import type { Operation } from "./operation.ts";

const runParameter = { run_id: { description: "The run's id, from `x-run-id`." } };
const threadParameter = { thread_id: { description: "As sent in `x-thread-id`." } };

export const listAgentRuns: Operation = {
  id: "listAgentRuns",
  method: "get",
  path: "/agent/runs",
  summary: "Recorded runs of the agent, newest first",
  tag: "Agent runs",
  scope: "agent",
  query: AgentRunListQuery,
  responses: { 200: { description: "One page of runs.", schema: AgentRunList } },
  errors: ["validation_failed"],
};

export const getAgentRun: Operation = {
  id: "getAgentRun",
  method: "get",
  path: "/agent/runs/{run_id}",
  summary: "One run with its messages, model calls, tool results, times and cost",
  tag: "Agent runs",
  scope: "agent",
  parameters: runParameter,
  responses: { 200: { description: "The run.", schema: AgentRunDetails } },
  errors: ["run_not_found", "storage_full"],
};

export const replayAgentRun: Operation = {
  id: "replayAgentRun",
  method: "post",
  path: "/agent/runs/{run_id}/replay",
  summary: "Run it again from its log: recorded answers, no call to anyone",
  description: "Says whether today's loop and tools go the same way, and where they do not.",
  tag: "Agent runs",
  scope: "agent",
  parameters: runParameter,
  responses: { 200: { description: "How the replay went.", schema: AgentReplay } },
  errors: ["run_not_found", "storage_full"],
};

export const agentRunToScenario: Operation = {
  id: "agentRunToScenario",
  method: "post",
  path: "/agent/runs/{run_id}/scenario",
  summary: "Make a scenario of a recorded conversation: its replies are the references",
  description:
    "The scenario is kept in the library as `run-{run_id}`, in the version `x-scenario-version` names; doing it again changes nothing.",
  tag: "Agent runs",
  scope: "runs:write",
  parameters: runParameter,
  responses: {
    200: {
      description: "The scenario, ready for `test_batch`.",
      schema: Scenario,
      headers: { "x-scenario-version": { description: "The version it has in the library." } },
    },
  },
  errors: ["run_not_found", "validation_failed", "storage_full"],
};

export const getAgentThread: Operation = {
  id: "getAgentThread",
  method: "get",
  path: "/agent/threads/{thread_id}",
  summary: "A conversation the service keeps",
  tag: "Agent",
  scope: "agent",
  parameters: threadParameter,
  responses: { 200: { description: "Its messages so far.", schema: AgentThread } },
  errors: ["not_found"],
};

export const deleteAgentThread: Operation = {
  id: "deleteAgentThread",
  method: "delete",
  path: "/agent/threads/{thread_id}",
  summary: "Forget a conversation",
  description:
    "With its recorded runs and whatever waits in it for approval. A turn that is under way goes on and is kept; an answer under an Idempotency-Key is kept for its 24 hours.",
  tag: "Agent",
  scope: "agent",
  parameters: threadParameter,
  responses: { 204: { description: "Gone." } },
  errors: ["not_found", "storage_full"],
};
