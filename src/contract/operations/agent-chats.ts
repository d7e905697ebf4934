import { AgUiRequest } from "../schemas/ag-ui.ts";
import { UiChatRequest } from "../schemas/ai-sdk.ts";
import type { Operation } from "./operation.ts";
import { modelHeader, runHeaders, turnErrors, turnHeaders } from "./every-turn.ts";

export const streamUiMessages: Operation = {
  id: "streamUiMessages",
  method: "post",
  path: "/agent/ui-messages",
  summary: "The agent behind the AI SDK's `useChat`: the UI message stream, version 1",
  description:
    "Takes what `DefaultChatTransport` sends and answers with server-sent chunks: `start`, a step for each model call with its text and " +
    "tools, `finish`, `[DONE]`. Tool calls that need approval come as `tool-approval-request`; the conversation sent back with the " +
    "decisions goes on with the run that waits. `messageMetadata` holds `run_id`, `model`, `usage` and `cost`.",
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
};

export const streamAgUi: Operation = {
  id: "streamAgUi",
  method: "post",
  path: "/agent/ag-ui",
  summary: "The agent behind AG-UI's `HttpAgent`: events of version 1.0",
  description:
    "Takes a `RunAgentInput` and answers with server-sent events, from `RUN_STARTED` to `RUN_FINISHED` or `RUN_ERROR`: what the model says and " +
    "thinks, its tool calls and their results. Calls to the client's own `tools` have no result: send it with the next run. Calls that need approval end the run " +
    "with `interrupts`; a run with answers in `resume` goes on with the one that waits. `metadata` holds `run_id`, `model`, `finish_reason` and `cost`.",
  tag: "Agent",
  scope: "agent",
  headers: {
    "x-model-id": { description: "Serves where the body has no `forwardedProps.model`." },
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
};
