import { IdempotencyKey, LastEventId } from "../schemas/request-headers.ts";
import { ResultsQuery, RunScenarioList, RunScenariosQuery } from "../schemas/run-scenarios.ts";
import { EvaluationRequest, RepeatedRequest } from "../schemas/evaluation-request.ts";
import { EvaluationResponse } from "../schemas/evaluation-response.ts";
import { Run, RunList, RunListQuery } from "../schemas/run.ts";
import type { Operation } from "./operation.ts";
import { healthz, readyz } from "./shared.ts";

const runParameter = { run_id: { description: "The run's id." } };

const replayed = {
  "idempotent-replayed": { description: "`true` where `idempotency-key` named a run that was there already." },
};

const evaluate: Operation = {
  id: "evaluate",
  method: "post",
  path: "/evaluate",
  summary: "Run scenarios against a model endpoint and score every reply",
  description:
    "Answers when the run has ended. `Prefer: respond-async` answers 202 at once with the run's address; " +
    "`Accept: text/event-stream` sends events while it runs and the result last. " +
    "A model that fails is a result (200, `agent_reply` is `Request failed`), not an error of this route. " +
    "Losing the connection does not cancel the run: `Location` names it on every answer.",
  tag: "Evaluation",
  scope: "evaluate",
  headers: {
    "idempotency-key": { description: "The same key with the same body is the same run.", schema: IdempotencyKey },
    prefer: { description: "`respond-async` to get 202 and the run's address." },
  },
  body: EvaluationRequest,
  example: {
    test_batch: {
      id: "delivery",
      interactions: [
        { id: "1", user_message: "How long does delivery take?", reference_reply: "Two to three working days." },
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
  answerHeaders: { location: { description: "Address of the run, once there is one: `/runs/{run_id}`." } },
  errors: [
    "validation_failed",
    "endpoint_invalid",
    "endpoint_not_allowed",
    "pattern_unsupported",
    "too_many_interactions",
    "idempotency_key_invalid",
    "idempotency_mismatch",
    "storage_full",
    "storage_unavailable",
    "overloaded",
    "shutting_down",
  ],
};

const listRuns: Operation = {
  id: "listRuns",
  method: "get",
  path: "/runs",
  summary: "List runs, newest first",
  tag: "Runs",
  scope: "runs:read",
  query: RunListQuery,
  responses: { 200: { description: "One page of runs.", schema: RunList } },
  errors: ["validation_failed"],
};

const getRun: Operation = {
  id: "getRun",
  method: "get",
  path: "/runs/{run_id}",
  summary: "State, progress and summary of one run",
  tag: "Runs",
  scope: "runs:read",
  parameters: runParameter,
  responses: { 200: { description: "The run.", schema: Run } },
  errors: ["run_not_found"],
};

const getRunRequest: Operation = {
  id: "getRunRequest",
  method: "get",
  path: "/runs/{run_id}/request",
  summary: "The request that makes the same run again",
  description:
    "The body of POST /evaluate, scenarios included. What stands at its default is left out, as is what the operator's own judge and labeller brought to it. A key in the query of an endpoint is shown. Where rehearsal eval tested the agent inside its own process, the endpoint is the agent backend served here.",
  tag: "Runs",
  scope: "runs:read",
  parameters: runParameter,
  responses: { 200: { description: "The request.", schema: RepeatedRequest } },
  errors: ["run_not_found"],
};

const getRunResults: Operation = {
  id: "getRunResults",
  method: "get",
  path: "/runs/{run_id}/results",
  summary: "Everything stored of a run, also while it is running",
  description:
    "The body of POST /evaluate for a run that has ended; what is there so far for one that has not. Streamed.",
  tag: "Runs",
  scope: "runs:read",
  parameters: runParameter,
  query: ResultsQuery,
  responses: { 200: { description: "The results.", schema: EvaluationResponse } },
  errors: ["run_not_found"],
};

const listRunScenarios: Operation = {
  id: "listRunScenarios",
  method: "get",
  path: "/runs/{run_id}/scenarios",
  summary: "The scenarios of a run in short, failures first",
  description: "No turn is read, so a run of a hundred thousand opens at once. `/results?scenario_id=` has the turns.",
  tag: "Runs",
  scope: "runs:read",
  parameters: runParameter,
  query: RunScenariosQuery,
  responses: { 200: { description: "One page of scenarios.", schema: RunScenarioList } },
  errors: ["run_not_found", "validation_failed"],
};

const getRunEvents: Operation = {
  id: "getRunEvents",
  method: "get",
  path: "/runs/{run_id}/events",
  summary: "Follow a run live",
  description:
    "Server-sent events: `interaction` for each stored turn, `progress`, and `end` last. `Last-Event-ID` replays what came after it.",
  tag: "Runs",
  scope: "runs:read",
  parameters: runParameter,
  headers: { "last-event-id": { description: "Replay the events after this one.", schema: LastEventId } },
  responses: { 200: { description: "The events.", mediaTypes: ["text/event-stream"] } },
  errors: ["run_not_found"],
};

const cancelRun: Operation = {
  id: "cancelRun",
  method: "post",
  path: "/runs/{run_id}/cancel",
  summary: "Stop a run; what is stored stays readable",
  tag: "Runs",
  scope: "runs:write",
  parameters: runParameter,
  responses: { 202: { description: "No new call starts; calls in flight are aborted.", schema: Run } },
  errors: ["run_not_found", "run_already_finished", "storage_full"],
};

const deleteRun: Operation = {
  id: "deleteRun",
  method: "delete",
  path: "/runs/{run_id}",
  summary: "Delete a run and everything stored with it",
  description: "A run that has not ended is cancelled first.",
  tag: "Runs",
  scope: "runs:write",
  parameters: runParameter,
  responses: { 204: { description: "Gone." } },
  errors: ["run_not_found", "storage_full"],
};

/** Every route of the evaluation service. */
export const evaluationOperations: readonly Operation[] = [
  evaluate,
  listRuns,
  getRun,
  getRunRequest,
  getRunResults,
  listRunScenarios,
  getRunEvents,
  cancelRun,
  deleteRun,
  healthz,
  {
    ...readyz,
    summary: "Does it take runs?",
    errors: [...readyz.errors, "storage_full"],
  },
];
