import { IdempotencyKey, LastEventId } from "../schemas/shared/request-headers.ts";
import { ResultsQuery, RunScenarioList, RunScenariosQuery } from "../schemas/run-scenarios.ts";
import { EvaluationRequest, RepeatedRequest } from "../schemas/evaluation-request.ts";
import { EvaluationResponse } from "../schemas/evaluation-response.ts";
import { FreezeRequest, FrozenConversation } from "../schemas/library.ts";
import { Run, RunChanges, RunList, RunListQuery } from "../schemas/run.ts";
import { defineOperation } from "./operation.ts";

const runParameter = { run_id: { description: "The run's id." } };

const replayed = {
  "idempotent-replayed": { description: "`true` when `idempotency-key` matched an existing run." },
};

export const evaluate = defineOperation("evaluate", {
  summary: "Run scenarios against a model endpoint and score every reply",
  description:
    "Responds when the run has ended. With `Prefer: respond-async` it responds with 202 and the run's address at once; " +
    "with `Accept: text/event-stream` it sends events during the run and the result at the end. " +
    "A model failure is a result (200, `agent_reply` is `Request failed`), not an error of this route. " +
    "Disconnecting does not cancel the run: `Location` has its address in every response.",
  tag: "Evaluation",
  scope: "evaluate",
  headers: {
    "idempotency-key": {
      description: "Requests with the same key and body return the same run.",
      schema: IdempotencyKey,
    },
    prefer: { description: "`respond-async` requests 202 and the run's address." },
  },
  body: EvaluationRequest,
  example: {
    test_batch: {
      id: "delivery",
      interactions: [
        {
          id: "1",
          user_message: "How long does delivery take?",
          reference_reply: "Two to three working days.",
          checks: [{ type: "contains", text: "3 working days" }],
        },
        { id: "2", user_message: "Thank you!", reference_reply: "You are welcome." },
      ],
    },
    endpoint: "http://127.0.0.1:8000/demo/v1",
    model_id: "demo/retrieval",
    attempts: 2,
  },
  responses: {
    200: {
      description: "The finished run with every reply and score.",
      schema: EvaluationResponse,
      mediaTypes: ["application/json", "text/event-stream"],
      headers: replayed,
    },
    202: {
      description: "Accepted and stored.",
      schema: Run,
      headers: {
        ...replayed,
        "preference-applied": { description: "`respond-async`.", required: true },
      },
    },
  },
  answerHeaders: { location: { description: "Address of the run, once it exists: `/runs/{run_id}`." } },
  errors: [
    "validation_failed",
    "endpoint_invalid",
    "endpoint_not_allowed",
    "pattern_unsupported",
    "too_many_interactions",
    "run_not_found",
    "idempotency_key_invalid",
    "idempotency_mismatch",
    "storage_full",
    "storage_unavailable",
    "overloaded",
    "shutting_down",
  ],
});

export const listRuns = defineOperation("listRuns", {
  summary: "List runs, newest first",
  tag: "Runs",
  scope: "runs:read",
  query: RunListQuery,
  responses: { 200: { description: "One page of runs.", schema: RunList } },
  errors: ["validation_failed"],
});

export const getRun = defineOperation("getRun", {
  summary: "Get the state, progress and summary of one run",
  tag: "Runs",
  scope: "runs:read",
  parameters: runParameter,
  responses: { 200: { description: "The run.", schema: Run } },
  errors: ["run_not_found"],
});

export const getRunRequest = defineOperation("getRunRequest", {
  summary: "Get the request that repeats a run",
  description:
    "A body of POST /evaluate, scenarios included. Default values and the settings of the operator's judge and labeller are left out. Keys in the query of an endpoint are included. When `rehearsal eval` tested the agent in its own process, the endpoint is the agent backend of this service.",
  tag: "Runs",
  scope: "runs:read",
  parameters: runParameter,
  responses: { 200: { description: "The request.", schema: RepeatedRequest } },
  errors: ["run_not_found"],
});

export const getRunResults = defineOperation("getRunResults", {
  summary: "Get the results of a run, even while it is running",
  description: "The response body of POST /evaluate, with the results so far when the run has not ended. Streamed.",
  tag: "Runs",
  scope: "runs:read",
  parameters: runParameter,
  query: ResultsQuery,
  responses: { 200: { description: "The results.", schema: EvaluationResponse } },
  errors: ["run_not_found"],
});

export const listRunScenarios = defineOperation("listRunScenarios", {
  summary: "List the scenarios of a run, failures first",
  description:
    "Reads no turns, so that it is fast for runs of a hundred thousand scenarios. `/results?scenario_id=` has the turns.",
  tag: "Runs",
  scope: "runs:read",
  parameters: runParameter,
  query: RunScenariosQuery,
  responses: { 200: { description: "One page of scenarios.", schema: RunScenarioList } },
  errors: ["run_not_found", "validation_failed"],
});

export const freezeConversation = defineOperation("freezeConversation", {
  summary: "Make a scripted scenario of a conversation",
  description:
    "The messages that the user of an attempt sent become turns of a script, for example those of a simulated user. " +
    "World, expectations and rules stay. `replay_users` of POST /evaluate uses the messages of all attempts without a copy.",
  tag: "Runs",
  scope: "runs:write",
  parameters: runParameter,
  body: FreezeRequest,
  example: { scenario_id: "delivery", attempt: 1 },
  responses: { 200: { description: "The scenario.", schema: FrozenConversation } },
  errors: ["run_not_found", "not_found", "validation_failed", "storage_full", "storage_unavailable"],
});

export const getRunEvents = defineOperation("getRunEvents", {
  summary: "Follow a run live",
  description:
    "Server-sent events: `interaction` for each stored turn, `progress`, and finally `end`. `Last-Event-ID` resumes after that event.",
  tag: "Runs",
  scope: "runs:read",
  parameters: runParameter,
  headers: { "last-event-id": { description: "Sends the events after this one.", schema: LastEventId } },
  responses: { 200: { description: "The events.", mediaTypes: ["text/event-stream"] } },
  errors: ["run_not_found"],
});

export const cancelRun = defineOperation("cancelRun", {
  summary: "Cancel a run and keep its results so far",
  tag: "Runs",
  scope: "runs:write",
  parameters: runParameter,
  responses: { 202: { description: "No new call starts, and calls in progress are aborted.", schema: Run } },
  errors: ["run_not_found", "run_already_finished", "storage_full"],
});

export const changeRun = defineOperation("changeRun", {
  summary: "Rename a run or replace its tags",
  tag: "Runs",
  scope: "runs:write",
  parameters: runParameter,
  body: RunChanges,
  example: { test_name: "nightly", tags: ["release-2"] },
  responses: { 200: { description: "The changed run.", schema: Run } },
  errors: ["run_not_found", "storage_full"],
});

export const deleteRun = defineOperation("deleteRun", {
  summary: "Delete a run and all its data",
  description: "A run that has not ended is cancelled first.",
  tag: "Runs",
  scope: "runs:write",
  parameters: runParameter,
  responses: { 204: { description: "Deleted." } },
  errors: ["run_not_found", "storage_full"],
});
