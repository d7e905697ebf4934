import { z } from "zod";
import { upstreamFailures, type ErrorCode } from "../errors/errors.ts";
import { AgUiRequest } from "../schemas/wires/ag-ui.ts";
import { AgentReply, AgentRequest } from "../schemas/agent/agent-message.ts";
import { AgentRunSummary, ResumeRequest } from "../schemas/agent/agent-run.ts";
import { UiChatRequest } from "../schemas/wires/ai-sdk.ts";
import { ChatCompletion, ChatCompletionRequest } from "../schemas/wires/openai-chat.ts";
import { IdempotencyKey, JsonRpcError, ModelId, OnDisconnect, ThreadId } from "../schemas/shared/request-headers.ts";
import { defineOperation, type AnswerHeaders } from "./operation.ts";

/** Errors of a turn, on every wire. */
export const turnErrors: readonly ErrorCode[] = [
  "model_id_missing",
  "model_id_invalid",
  "validation_failed",
  "model_not_found",
  "context_length_exceeded",
  "upstream_rate_limited",
  ...upstreamFailures,
  "endpoint_address_refused",
  "upstream_circuit_open",
  "upstream_timeout",
  "overloaded",
  "shutting_down",
];

/** Request headers of a turn, on every wire. */
export const turnHeaders = {
  "x-model-fallbacks": {
    description:
      "Comma-separated models to try when the provider of the first one fails for reasons other than the request. `x-model-resolved` names the one that answered. When all fail, the response describes the failure of the first.",
  },
  "x-agent-tools": {
    description:
      "Comma-separated names of the agent's tools this turn may use, `all` or `none`. Default: all; under `/v1`, those that the operator's settings name.",
  },
  "x-on-disconnect": {
    description: "`cancel` (default) ends the run when the client disconnects; `continue` lets it finish.",
    schema: OnDisconnect,
  },
};

/** For wires whose body names the model. */
export const modelHeader = { "x-model-id": { description: "The model, used when the body has no `model`." } };

/** Response headers that identify the run and the model, also after a failure. */
export const runHeaders = {
  "x-run-id": { description: "Id of the run, once it exists. Read the run with GET /agent/runs/{run_id}." },
  "x-model-resolved": { description: "The model that answered: a UUID or `<provider>/<model_name>`." },
};

/** Totals of the whole run. A stream begins before they are known and reports them in its last event. */
export const totalsHeaders = {
  "x-usage-input-tokens": {
    description:
      "Input tokens of all model calls of the run. Absent, like the next two headers, when a provider did not report the tokens of a call.",
    type: "integer",
  },
  "x-usage-output-tokens": { description: "Output tokens of all model calls of the run.", type: "integer" },
  "x-usage-total-tokens": { description: "Input and output tokens together.", type: "integer" },
  "x-model-calls": { description: "Number of model calls of the run.", type: "integer" },
  "x-tool-calls": { description: "Number of tool calls of the run.", type: "integer" },
  "x-finish-reason": { description: "The reason the run ended: `stop`, or the limit it reached." },
  "x-cost": {
    description: "Cost in US dollars, when the prices and the tokens are known.",
    type: "number",
  },
} as const satisfies AnswerHeaders;

const memoryNote =
  "Nothing is stored for the next request: `x-thread-id` is rejected (`header_invalid`), and a request repeated with the same " +
  "`idempotency-key` starts a new run. POST / supports both.";

const eventsNote =
  "With `Accept: text/event-stream`, the response is a stream of events: `run-start`, `text-delta`, `reasoning-delta`, `tool-start`, `tool-end`, " +
  "and finally `run-end`, whose `message` is the JSON response, or `error`, a problem document. A tool call that is not executed has both tool " +
  "events too, with `ok` false. A stream that waits for another turn of its thread opens after 5 seconds and is kept alive by comments; " +
  "`run-start` then has the values of `x-run-id` and `x-model-resolved`, and later failures are `error` events.";

const runParameter = { run_id: { description: "The run's id, from `x-run-id`." } };

export const runAgentTurn = defineOperation("runAgentTurn", {
  summary: "Send a conversation to the agent and get its reply",
  description: [
    "`x-model-id` selects the model: a UUID goes to the fine-tuned provider unchanged, `<provider>/<model_name>` to the hub; " +
      "anything else must be a configured alias or the unique name of a fine-tuned model. `x-model-resolved` names the model that answered.",
    eventsNote,
    "A turn with an `idempotency-key`, in a thread or with `Prefer: respond-async` is accepted work: it is stored before its first call, and " +
      "another process finishes it when its own ends. No call of the model or a tool that has ended is repeated.",
    "Tool calls that need approval are returned in `tool_calls`; continue the run with `POST /agent/runs/{run_id}/resume`.",
  ].join("\n\n"),
  tag: "Agent",
  scope: "agent",
  headers: {
    "x-model-id": {
      description: "UUID of a fine-tuned model, or `<provider>/<model_name>`.",
      required: true,
      example: "demo/scripted",
      schema: ModelId,
    },
    ...turnHeaders,
    "x-thread-id": {
      description:
        "Id of a conversation stored by the service; `messages` then contains only the new messages. Turns of a thread run one after another; while one waits for approval, others get 409 `run_not_finished`.",
      schema: ThreadId,
    },
    "rehearsal-world": {
      description:
        "Address of a test world, a private MCP endpoint of an evaluation service at an origin in AGENT_WORLD_ORIGINS. Its tools replace those of the agent in this turn.",
    },
    "idempotency-key": {
      description:
        "A request with the same key and body gets the stored response or joins the run in progress, in whatever process. The run then continues when the client disconnects, unless `x-on-disconnect` is `cancel`. Responses are stored for 24 hours, and so are failures that would repeat or follow a tool call; after another failure the key starts a new run.",
      schema: IdempotencyKey,
    },
    prefer: {
      description: "`respond-async` requests 202 and the run's address. The run then has no client to wait for.",
    },
  },
  body: AgentRequest,
  example: { messages: [{ type: "human", content: "What is 17 * 23?" }] },
  responses: {
    200: {
      description: "The last message of the conversation.",
      schema: AgentReply,
      mediaTypes: ["application/json", "text/event-stream"],
      headers: {
        ...totalsHeaders,
        "idempotent-replayed": { description: "`true` when `idempotency-key` matched an existing run." },
      },
    },
    202: {
      description: "The run was accepted, as requested with `Prefer: respond-async`.",
      schema: AgentRunSummary,
      headers: {
        location: { description: "The run's address.", required: true },
        "preference-applied": { description: "`respond-async`.", required: true },
        "idempotent-replayed": { description: "`true` when `idempotency-key` matched an existing run." },
      },
    },
  },
  answerHeaders: runHeaders,
  errors: [
    ...turnErrors,
    "endpoint_not_allowed",
    "run_cancelled",
    "idempotency_key_invalid",
    "idempotency_mismatch",
    "idempotency_in_progress",
    "run_not_finished",
    "not_found",
    "storage_full",
  ],
});

export const resumeAgentRun = defineOperation("resumeAgentRun", {
  summary: "Approve or deny the waiting tool calls and continue the run",
  description: [
    "Every waiting call needs one decision. Calls and arguments are those stored by the service: a decision about any other id is rejected. " +
      "A run waits for one hour and can be resumed once; the response is that of POST /. A run whose process was killed after a decision waits again: the " +
      "same decisions continue it without repeating completed steps; the model is informed that the outcome of a call in progress at that time is unknown.",
    eventsNote,
  ].join("\n\n"),
  tag: "Agent",
  scope: "agent",
  parameters: runParameter,
  headers: { "x-on-disconnect": turnHeaders["x-on-disconnect"] },
  body: ResumeRequest,
  example: { decisions: { "call-1": "approve" } },
  responses: {
    200: {
      description: "The last message of the conversation. The run may wait for approval again.",
      schema: AgentReply,
      mediaTypes: ["application/json", "text/event-stream"],
      headers: totalsHeaders,
    },
  },
  answerHeaders: runHeaders,
  errors: [...turnErrors, "run_not_found", "not_found", "run_already_finished", "storage_full"],
});

export const createChatCompletion = defineOperation("createChatCompletion", {
  summary: "OpenAI chat completions, answered by the agent",
  description: [
    "The service executes the agent's own tools; calls of the tools in the request are returned to the client. `usage` is the sum over all model calls of the run. " +
      "`stream: true` sends chunks and `[DONE]`; the texts of the steps are separated by an empty line. " +
      "A run that reached one of its limits finishes with `length`; `x-finish-reason` names the limit.",
    memoryNote,
  ].join("\n\n"),
  tag: "OpenAI-compatible",
  scope: "agent",
  headers: { ...modelHeader, ...turnHeaders },
  body: ChatCompletionRequest,
  example: { model: "demo/scripted", messages: [{ role: "user", content: "What is 17 * 23?" }] },
  responses: {
    200: {
      description: "The completion.",
      schema: ChatCompletion,
      mediaTypes: ["application/json", "text/event-stream"],
      headers: totalsHeaders,
    },
  },
  answerHeaders: runHeaders,
  errors: turnErrors,
});

const JsonRpcCall = z
  .strictObject({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.int()]).optional(),
    method: z.string(),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "JsonRpcCall" });

/** A client's answer to a request of the server. The server sends none, so such answers are accepted and ignored. */
const JsonRpcResult = z
  .strictObject({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.int()]),
    result: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "JsonRpcResult" });
const JsonRpcFailure = z
  .strictObject({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.int()]).optional(),
    error: z.object({ code: z.int(), message: z.string(), data: z.json().optional() }),
  })
  .meta({ id: "JsonRpcFailure" });
const JsonRpcMessage = z.union([JsonRpcCall, JsonRpcResult, JsonRpcFailure]);

export const callMcp = defineOperation("callMcp", {
  summary: "The agent as an MCP server over streamable HTTP",
  description:
    "JSON-RPC of the Model Context Protocol; calls are independent of each other. Tools: `ask_agent` asks the agent a question, `list_models` lists its models. " +
    "The agent does not use tools that need approval for these questions. A failed call has status 200 and an error in its result " +
    "(`isError`) or a JSON-RPC `error`; only requests that are not valid calls have another status.",
  tag: "Agent",
  scope: "agent",
  headers: {
    accept: {
      description: "Both `application/json` and `text/event-stream`, or nothing in particular.",
      schema: z.enum(["application/json, text/event-stream", "*/*"]),
    },
    "mcp-protocol-version": {
      description: "The negotiated revision of the protocol.",
      schema: z.enum(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"]),
    },
    "mcp-session-id": {
      description: "From the response to `initialize`, if it has one. Allows calls to be cancelled.",
    },
    ...turnHeaders,
  },
  body: z.union([JsonRpcMessage, z.array(JsonRpcMessage).min(1).max(100)]),
  example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  responses: {
    200: {
      description: "The result of the call.",
      schema: z.record(z.string(), z.json()),
      mediaTypes: ["application/json", "text/event-stream"],
      headers: {
        "mcp-session-id": { description: "In the response to `initialize`: send it with all later requests." },
      },
    },
    202: { description: "The notification or answer was accepted." },
    400: {
      description: "The request is not a valid call, or its protocol revision is not supported.",
      schema: JsonRpcError,
    },
    404: { description: "This revision of the protocol has no such method.", schema: JsonRpcError },
    406: { description: "`Accept` does not name both media types.", schema: JsonRpcError },
  },
  errors: ["model_id_invalid"],
});

export const streamUiMessages = defineOperation("streamUiMessages", {
  summary: "UI message stream, version 1, for the AI SDK's `useChat`",
  description:
    "Accepts the requests of `DefaultChatTransport` and answers with server-sent chunks: `start`, a step for each model call with its text and " +
    "tools, `finish`, `[DONE]`. Tool calls that need approval are sent as `tool-approval-request`; send the conversation back with the " +
    "decisions to continue the waiting run. `messageMetadata` contains `run_id`, `model`, `usage` and `cost`.",
  tag: "Agent",
  scope: "agent",
  headers: { ...modelHeader, ...turnHeaders },
  body: UiChatRequest,
  example: {
    model: "demo/scripted",
    messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "What is 17 * 23?" }] }],
  },
  responses: {
    200: {
      description: "The chunks.",
      mediaTypes: ["text/event-stream"],
      headers: { "x-vercel-ai-ui-message-stream": { description: "The stream's version, `v1`.", required: true } },
    },
  },
  answerHeaders: runHeaders,
  errors: [...turnErrors, "run_not_found", "run_already_finished", "storage_full"],
});

export const streamAgUi = defineOperation("streamAgUi", {
  summary: "AG-UI events, version 1.0, for AG-UI's `HttpAgent`",
  description:
    "Accepts a `RunAgentInput` and answers with server-sent events from `RUN_STARTED` to `RUN_FINISHED` or `RUN_ERROR`: the model's text and " +
    "reasoning, its tool calls and their results. Calls to the client's own `tools` have no result: send it with the next run. Calls that need approval end the run " +
    "with `interrupts`; send the decisions in `resume` to continue it. `metadata` contains `run_id`, `model`, `finish_reason` and `cost`.",
  tag: "Agent",
  scope: "agent",
  headers: {
    "x-model-id": { description: "The model, used when the body has no `forwardedProps.model`." },
    ...turnHeaders,
  },
  body: AgUiRequest,
  example: {
    threadId: "sums",
    runId: "1",
    messages: [{ id: "1", role: "user", content: "What is 17 * 23?" }],
    forwardedProps: { model: "demo/scripted" },
  },
  responses: { 200: { description: "The events.", mediaTypes: ["text/event-stream"] } },
  answerHeaders: runHeaders,
  errors: [...turnErrors, "run_not_found", "run_already_finished", "storage_full"],
});
