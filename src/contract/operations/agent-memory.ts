import { AgentThread, AgentThreadList, AgentThreadListQuery } from "../schemas/agent/agent-message.ts";
import { AgentReplay } from "../schemas/agent/agent-stream.ts";
import { AgentRunDetails, AgentRunList, AgentRunListQuery, AgentRunSummary } from "../schemas/agent/agent-run.ts";
import { Scenario } from "../schemas/scenario.ts";
import { defineOperation } from "./operation.ts";

const runParameter = { run_id: { description: "The run's id, from `x-run-id`." } };
const threadParameter = { thread_id: { description: "The thread's id, from `x-thread-id`." } };

export const listAgentRuns = defineOperation("listAgentRuns", {
  summary: "List recorded runs of the agent, newest first",
  tag: "Agent runs",
  scope: "agent",
  query: AgentRunListQuery,
  responses: { 200: { description: "One page of runs.", schema: AgentRunList } },
  errors: ["validation_failed"],
});

export const getAgentRun = defineOperation("getAgentRun", {
  summary: "Get one run with its messages, model calls, tool results, times and cost",
  tag: "Agent runs",
  scope: "agent",
  parameters: runParameter,
  responses: { 200: { description: "The run.", schema: AgentRunDetails } },
  errors: ["run_not_found", "storage_full"],
});

export const cancelAgentRun = defineOperation("cancelAgentRun", {
  summary: "Cancel a run that has not ended",
  description:
    "A run in this process, or one that waits for approval, ends at once; an accepted turn of another process ends before its next step. " +
    "An Idempotency-Key of the run keeps `run_cancelled` as its response.",
  tag: "Agent runs",
  scope: "agent",
  parameters: runParameter,
  responses: {
    202: { description: "No new call starts, and calls in progress are aborted.", schema: AgentRunSummary },
  },
  errors: ["run_not_found", "run_already_finished", "storage_full"],
});

export const replayAgentRun = defineOperation("replayAgentRun", {
  summary: "Replay a run from its log, without calling a model",
  description:
    "Uses the recorded replies and reports whether the current agent takes the same steps, and where it differs.",
  tag: "Agent runs",
  scope: "agent",
  parameters: runParameter,
  responses: { 200: { description: "The result of the replay.", schema: AgentReplay } },
  errors: ["run_not_found", "storage_full"],
});

export const agentRunToScenario = defineOperation("agentRunToScenario", {
  summary: "Turn a recorded conversation into a scenario with its replies as references",
  description:
    "Stores the scenario in the library as `run-{run_id}`, with the version in `x-scenario-version`. Repeating the request changes nothing.",
  tag: "Agent runs",
  scope: "runs:write",
  parameters: runParameter,
  responses: {
    200: {
      description: "The scenario, ready for `test_batch`.",
      schema: Scenario,
      headers: { "x-scenario-version": { description: "Version of the scenario in the library." } },
    },
  },
  errors: ["run_not_found", "validation_failed", "storage_full"],
});

export const listAgentThreads = defineOperation("listAgentThreads", {
  summary: "List stored conversations, the one with the latest turn first",
  tag: "Agent",
  scope: "agent",
  query: AgentThreadListQuery,
  responses: { 200: { description: "One page of threads.", schema: AgentThreadList } },
  errors: ["validation_failed"],
});

export const getAgentThread = defineOperation("getAgentThread", {
  summary: "Get a stored conversation",
  tag: "Agent",
  scope: "agent",
  parameters: threadParameter,
  responses: { 200: { description: "The messages so far.", schema: AgentThread } },
  errors: ["not_found"],
});

export const deleteAgentThread = defineOperation("deleteAgentThread", {
  summary: "Delete a stored conversation",
  description:
    "Also deletes its recorded runs and the run that waits for approval. A turn in progress continues and its run is recorded; responses stored under an Idempotency-Key remain for 24 hours.",
  tag: "Agent",
  scope: "agent",
  parameters: threadParameter,
  responses: { 204: { description: "Deleted." } },
  errors: ["not_found", "storage_full"],
});
