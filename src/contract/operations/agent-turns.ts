import { z } from "zod";
import { AgentReply, AgentRequest } from "../schemas/agent-message.ts";
import { ResumeRequest } from "../schemas/agent-run.ts";
import { ChatCompletion, ChatCompletionRequest } from "../schemas/openai-chat.ts";
import { ResponseBody, ResponseRequest } from "../schemas/openai-responses.ts";
import { IdempotencyKey, JsonRpcError, ThreadId } from "../schemas/request-headers.ts";
import { modelHeader, runHeaders, turnErrors, turnHeaders } from "./every-turn.ts";
import type { AnswerHeaders, Operation } from "./operation.ts";

/** The totals of the whole run. A stream begins before they are known, and tells them at its end. */
const totalsHeaders = {
  "x-usage-input-tokens": {
    description:
      "Tokens the model was sent, in all calls of the run. Absent, as the next two, where a call was not counted.",
    type: "integer",
  },
  "x-usage-output-tokens": { description: "Tokens it replied with, in all calls of the run.", type: "integer" },
  "x-usage-total-tokens": { description: "Both.", type: "integer" },
  "x-model-calls": { description: "Model calls of the run.", type: "integer" },
  "x-tool-calls": { description: "Tool calls of the run.", type: "integer" },
  "x-finish-reason": { description: "Why the run ended: `stop`, or the limit it met." },
  "x-cost": {
    description: "US dollars, where prices are known and the endpoint counts its tokens.",
    type: "number",
  },
} as const satisfies AnswerHeaders;

const memoryNote =
  "Nothing is kept for the next request: `x-thread-id` is refused here (`header_invalid`), and a request that is repeated with the same " +
  "`idempotency-key` is a new run. POST / takes both.";

const eventsNote =
  "`Accept: text/event-stream` sends events: `run-start`, `text-delta`, `reasoning-delta`, `tool-start`, `tool-end`, and last `run-end`, whose `message` is " +
  "the JSON answer, or `error`, which is the problem document. A tool call that is not run has both tool events too, `ok` false. " +
  "A stream that has to wait for another turn of its thread is opened after 5 seconds, kept alive by comments, and tells in `run-start` " +
  "what else is in `x-run-id` and `x-model-resolved`; what is refused after that is an `error` event.";

const runParameter = { run_id: { description: "The run's id, from `x-run-id`." } };

export const runAgentTurn: Operation = {
  id: "runAgentTurn",
  method: "post",
  path: "/",
  summary: "Send a conversation to the agent; get its last message",
  description: [
    "`x-model-id` picks the model: a UUID goes to the fine-tuned provider unchanged, `<provider>/<model_name>` to the hub, " +
      "anything else must be a configured alias or the unique name of a fine-tuned model. `x-model-resolved` says what ran.",
    eventsNote,
    "Tool calls that need approval come back in `tool_calls`; `POST /agent/runs/{run_id}/resume` goes on.",
  ].join("\n\n"),
  tag: "Agent",
  scope: "agent",
  headers: {
    "x-model-id": {
      description: "UUID of a fine-tuned model, or `<provider>/<model_name>`.",
      required: true,
      example: "demo/scripted",
    },
    ...turnHeaders,
    "x-thread-id": {
      description:
        "A conversation the service keeps: `messages` holds only what is new. Its turns follow each other; while one waits for approval, another gets 409 `run_not_finished`.",
      schema: ThreadId,
    },
    "idempotency-key": {
      description:
        "The same key with the same body gets the stored answer, or joins the run that is under way; the run then goes on when the client goes away, unless `x-on-disconnect` says `cancel`. Kept for 24 hours; failures are not kept.",
      schema: IdempotencyKey,
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
        "idempotent-replayed": { description: "`true` where `idempotency-key` named a run that was there already." },
      },
    },
  },
  answerHeaders: runHeaders,
  errors: [
    ...turnErrors,
    "idempotency_key_invalid",
    "idempotency_mismatch",
    "idempotency_in_progress",
    "run_not_finished",
    "not_found",
    "storage_full",
  ],
};

export const resumeAgentRun: Operation = {
  id: "resumeAgentRun",
  method: "post",
  path: "/agent/runs/{run_id}/resume",
  summary: "Decide about tool calls that wait for approval; the run goes on",
  description: [
    "Every waiting call needs one decision. Calls and arguments are those the service holds: a decision about any other id is refused. " +
      "A run waits for one hour and can be resumed once; it answers as POST / does. One whose process was killed after a decision waits again: the " +
      "same decisions go on with it, without repeating what was done; a call that was under way then is told to the model as one whose outcome is not known.",
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
      description: "The last message of the conversation; it may wait again.",
      schema: AgentReply,
      mediaTypes: ["application/json", "text/event-stream"],
      headers: totalsHeaders,
    },
  },
  answerHeaders: runHeaders,
  errors: [...turnErrors, "run_not_found", "not_found", "run_already_finished", "storage_full"],
};

export const createChatCompletion: Operation = {
  id: "createChatCompletion",
  method: "post",
  path: "/v1/chat/completions",
  summary: "The agent behind OpenAI's chat completions",
  description: [
    "The agent's own tools run here; calls of the tools in the request are handed back. `usage` counts every model call of the run. " +
      "`stream: true` sends chunks and `[DONE]`; the text of every step is sent, set apart by an empty line. " +
      "A run that met one of its limits finishes with `length`; `x-finish-reason` names the limit.",
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
};

export const createResponse: Operation = {
  id: "createResponse",
  method: "post",
  path: "/v1/responses",
  summary: "The agent behind OpenAI's responses",
  description: [
    "Text in and out, function tools of the client, streaming. Nothing is stored: send the whole conversation as `input`.",
    memoryNote,
  ].join("\n\n"),
  tag: "OpenAI-compatible",
  scope: "agent",
  headers: { ...modelHeader, ...turnHeaders },
  body: ResponseRequest,
  example: { model: "demo/scripted", input: "What is 17 * 23?" },
  responses: {
    200: {
      description: "The response.",
      schema: ResponseBody,
      mediaTypes: ["application/json", "text/event-stream"],
      headers: totalsHeaders,
    },
  },
  answerHeaders: runHeaders,
  errors: turnErrors,
};

const JsonRpcCall = z.record(z.string(), z.json());

export const callMcp: Operation = {
  id: "callMcp",
  method: "post",
  path: "/mcp",
  summary: "The agent as an MCP server over streamable HTTP",
  description:
    "JSON-RPC of the Model Context Protocol; every call stands alone. Tools: `ask_agent` puts a question to the agent, `list_models` says to whom. " +
    "Tools that need approval are not used for these questions. A call that fails is answered with 200 and says so in its result " +
    "(`isError`) or its JSON-RPC `error`; only what is no call at all has another status.",
  tag: "Agent",
  scope: "agent",
  headers: {
    accept: { description: "Both `application/json` and `text/event-stream`." },
    "mcp-protocol-version": { description: "The revision of the protocol, once it has been agreed on." },
    "mcp-session-id": { description: "The answer's to initialize, if it has one: lets calls be cancelled." },
    ...turnHeaders,
  },
  body: z.union([JsonRpcCall, z.array(JsonRpcCall)]),
  example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  responses: {
    200: {
      description: "The answer to the call.",
      schema: z.record(z.string(), z.json()),
      mediaTypes: ["application/json", "text/event-stream"],
      headers: { "mcp-session-id": { description: "In the answer to initialize: send it with what follows." } },
    },
    202: { description: "A notification was taken." },
    400: { description: "Not a call of the protocol, or of a revision that is not known.", schema: JsonRpcError },
    404: { description: "The revision of the protocol has no such method.", schema: JsonRpcError },
    406: { description: "`Accept` does not name both media types.", schema: JsonRpcError },
  },
  errors: ["model_id_invalid"],
};
