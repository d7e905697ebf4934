import { DeletedResponse, ResponseBody, ResponseRequest } from "../schemas/wires/openai-responses.ts";
import { ThreadId } from "../schemas/shared/request-headers.ts";
import { modelHeader, runHeaders, totalsHeaders, turnErrors, turnHeaders } from "./agent-turns.ts";
import { defineOperation } from "./operation.ts";

const responseParameter = { response_id: { description: "The `id` of a response." } };

export const createResponse = defineOperation("createResponse", {
  summary: "OpenAI responses, answered by the agent",
  description: [
    "Supports text and images as input, text as output, function tools of the client, and streaming.",
    "Unless `store` is false, the response is accepted work and stored under its `id`: another process finishes it when its own ends, " +
      "`previous_response_id` and `item_reference` continue from it, and GET reads it. It is kept as long as a thread, counted from the last response " +
      "of its chain. `conversation`, or `x-thread-id`, names a thread: the same as on POST /, and listed by GET /agent/threads.",
    "`background: true` answers at once with the status `queued`; read the response until its status is another than `in_progress`.",
  ].join("\n\n"),
  tag: "OpenAI-compatible",
  scope: "agent",
  headers: {
    ...modelHeader,
    ...turnHeaders,
    "x-thread-id": { description: "The same as `conversation`, which outranks it.", schema: ThreadId },
  },
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
  errors: [...turnErrors, "not_found", "run_not_finished", "run_cancelled", "idempotency_in_progress", "storage_full"],
});

export const getResponse = defineOperation("getResponse", {
  summary: "Get a stored response",
  description: "Its `status` is `in_progress` until its turn has ended.",
  tag: "OpenAI-compatible",
  scope: "agent",
  parameters: responseParameter,
  responses: { 200: { description: "The response.", schema: ResponseBody } },
  errors: ["not_found"],
});

export const deleteResponse = defineOperation("deleteResponse", {
  summary: "Delete a stored response",
  description:
    "Responses that continue it can be read, but no longer continued. A conversation keeps its messages, and the run its log.",
  tag: "OpenAI-compatible",
  scope: "agent",
  parameters: responseParameter,
  responses: { 200: { description: "Deleted.", schema: DeletedResponse } },
  errors: ["not_found", "storage_full"],
});

export const cancelResponse = defineOperation("cancelResponse", {
  summary: "Cancel a response that is in progress",
  description: "A response that has ended is returned unchanged.",
  tag: "OpenAI-compatible",
  scope: "agent",
  parameters: responseParameter,
  responses: { 200: { description: "The response.", schema: ResponseBody } },
  errors: ["not_found", "run_already_finished", "run_not_found", "storage_full"],
});
