import { isRecord, type JsonRecord } from "../../base/json.ts";
import { errorKinds, type ErrorCode } from "../../contract/errors.ts";
import {
  nameInText,
  type ChatMessage,
  type ChatModel,
  type ReplyError,
  type ToolCall,
} from "../../contract/ports/chat-model.ts";
import type { AgentMessage } from "../../contract/schemas/agent-message.ts";
import { parseEndpoint } from "../outbound/parse-endpoint.ts";
import type { Explanation, FailedResponse } from "../outbound/status-failure.ts";
import type { AdapterOptions } from "./adapter-options.ts";
import { elapsedMs, failedReply } from "./failed-reply.ts";
import { labels, nonEmptyString, plainRecord } from "./json-values.ts";
import { contentText, withUniqueIds } from "./message-content.ts";
import { parseJson } from "./parse-json.ts";
import { finishReason, invalid, statedReason, type AnswerContext, type ParsedReply } from "./parsed-reply.ts";
import { tokenUsage } from "./token-usage.ts";

/**
 * Another agent backend with the contract's own `POST /`. It brings its tools and its settings itself, so the tools,
 * parameters and reply format of a request are not sent.
 */
export function agentChat({ outbound, endpoint, modelId, policy, runPolicy, credential }: AdapterOptions): ChatModel {
  const parsed = parseEndpoint(endpoint);
  const url = parsed.ok ? parsed.url.href : endpoint;

  return async (request, { signal, onText, onRefused, longestWaitMs, admitBytes }) => {
    const started = performance.now();
    if (!canBeHeader(modelId)) return failedReply(unknownModel, elapsedMs(started));
    if (request.messages.some((message) => message.role === "user" && message.parts)) {
      return failedReply(noPictures, elapsedMs(started));
    }
    const result = await outbound.request({
      url,
      method: "POST",
      operation: "agent",
      headers: { "x-model-id": modelId },
      body: JSON.stringify({ messages: toAgentMessages(request.messages) }),
      breakerKey: modelId,
      explainFailure: explainAgentProblem,
      signal,
      onRefused,
      longestWaitMs,
      runPolicy,
      admitBytes,
      ...(policy && { policy }),
      ...(credential && { credential }),
    });
    if (!result.ok) return failedReply(result.error, elapsedMs(started));
    const { status, tries } = result;
    const context = { url, modelId, source: "", request, status, tries };
    const reply = parseAgentReply(result.body, context);
    if (!("ok" in reply)) return failedReply(reply, elapsedMs(result.startedAt));
    if (reply.text !== "") onText?.(reply.text);
    return { ...reply, latency_ms: elapsedMs(result.startedAt), first_token_ms: null };
  };
}

const unknownModel = {
  code: "model_not_found",
  detail: "The model id holds characters that the x-model-id header cannot carry.",
  upstream_status: null,
  tries: 0,
  retryable: false,
} as const;

const noPictures = {
  code: "upstream_rejected",
  detail: "The conversation holds pictures, which the protocol of another agent backend has no place for.",
  upstream_status: null,
  tries: 0,
  retryable: false,
} as const;

function canBeHeader(modelId: string): boolean {
  return /^[\x21-\x7e]+$/.test(modelId);
}

/**
 * The messages of a conversation as another agent backend takes them: the contract's own fields and nothing else,
 * so that a strict implementation accepts them too. The contract has no system type, so that text leads the first human message.
 */
function toAgentMessages(request: readonly ChatMessage[]): readonly AgentMessage[] {
  const messages = request.map(nameInText);
  const system = messages.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n");
  const conversation = messages.flatMap((message) => toAgentMessage(message) ?? []);
  return system === "" ? conversation : withInstructions(conversation, system);
}

function toAgentMessage(message: ChatMessage): AgentMessage | null {
  if (message.role === "system") return null;
  if (message.role === "user") return { type: "human", content: message.content };
  if (message.role === "assistant") return { type: "ai", content: message.content };
  return { type: "tool", content: message.content, ...(message.name !== undefined && { name: message.name }) };
}

function withInstructions(messages: readonly AgentMessage[], system: string): readonly AgentMessage[] {
  const instructions = `<system_instructions>\n${system}\n</system_instructions>`;
  const index = messages.findIndex(({ type }) => type === "human");
  if (index === -1) return [{ type: "human", content: instructions }, ...messages];
  return messages.map((message, position) =>
    position === index ? { ...message, content: `${instructions}\n\n${message.content}` } : message,
  );
}

/** Codes that mean something else when it is not us but the agent under test that says them. */
const seenFromOutside: Partial<Record<ErrorCode, ErrorCode>> = {
  model_id_missing: "model_not_found",
  model_id_invalid: "model_not_found",
  auth_missing: "upstream_auth",
  auth_invalid: "upstream_auth",
  auth_expired: "upstream_auth",
  scope_missing: "upstream_auth",
  rate_limited: "upstream_rate_limited",
  request_timeout: "upstream_timeout",
  internal_error: "upstream_error",
  overloaded: "upstream_error",
  shutting_down: "upstream_error",
  storage_unavailable: "upstream_error",
  storage_full: "upstream_error",
};

const passedOn = new Set<string>(["model_not_found", "context_length_exceeded", "budget_exceeded"]);

/**
 * What a problem body of another Rehearsal-style agent means to us. Its upstream codes, `model_not_found`,
 * `context_length_exceeded` and `budget_exceeded` keep their meaning; a model id it cannot route is an unknown model;
 * codes about our request to it become `upstream_rejected`.
 */
function explainAgentProblem({ status, body }: FailedResponse): Explanation | null {
  const problem = parseJson(body);
  const code = isRecord(problem) ? problem["code"] : undefined;
  if (typeof code !== "string" || !Object.hasOwn(errorKinds, code)) return null;
  const known = code as ErrorCode;
  const kept = known.startsWith("upstream_") || passedOn.has(known);
  const meaning = kept ? known : (seenFromOutside[known] ?? "upstream_rejected");
  if (meaning === "model_not_found") {
    return { code: meaning, detail: `HTTP ${status}: the agent does not know this model (${known}).` };
  }
  return { code: meaning, detail: `The agent answered HTTP ${status} with ${known}.` };
}

/** Reads the last message of an agent's conversation, as `POST /` answers it. */
function parseAgentReply(body: string, context: AnswerContext): ParsedReply | ReplyError {
  const message = parseJson(body);
  if (!isRecord(message)) return invalid(context, "The agent's answer is not a JSON object.");
  const text = contentText(message["content"]);
  if (text === null) return invalid(context, "The agent's answer holds no content.");
  const response = recordOf(message["response_metadata"]);
  const extra = recordOf(message["additional_kwargs"]);
  const toolCalls = agentToolCalls(message["tool_calls"]);
  return {
    ok: true,
    text,
    refusal: nonEmptyString(extra["refusal"]),
    tool_calls: toolCalls,
    finish_reason: finishReason(statedReason(response["finish_reason"]), toolCalls.length > 0),
    usage: tokenUsage(response["token_usage"]) ?? tokenUsage(message["usage_metadata"]),
    model: nonEmptyString(response["model_name"]) ?? context.modelId,
    completion_id: nonEmptyString(response["id"]) ?? nonEmptyString(message["id"]) ?? "",
    system_fingerprint: nonEmptyString(response["system_fingerprint"]),
    service_tier: nonEmptyString(response["service_tier"]),
    logprobs: plainRecord(response["logprobs"]),
    metadata: labels(message["generated_metadata"]) ?? labels(extra["metadata"]),
    tries: context.tries,
  };
}

function agentToolCalls(value: unknown): readonly ToolCall[] {
  if (!Array.isArray(value)) return [];
  return withUniqueIds(
    value.filter(isRecord).map((call) => ({
      id: nonEmptyString(call["id"]) ?? "",
      name: nonEmptyString(call["name"]) ?? "",
      arguments: JSON.stringify(plainRecord(call["args"]) ?? {}),
    })),
  );
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
