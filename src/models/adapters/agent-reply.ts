import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ReplyError, ToolCall } from "../../contract/ports/chat-model.ts";
import { labels, nonEmptyString, plainRecord } from "./json-values.ts";
import { contentText, withUniqueIds } from "./message-content.ts";
import { finishReason, invalid, statedReason, type AnswerContext, type ParsedReply } from "./parsed-reply.ts";
import { parseJson } from "./parse-json.ts";
import { tokenUsage } from "./token-usage.ts";

/** Reads the last message of an agent's conversation, as `POST /` answers it. */
export function parseAgentReply(body: string, context: AnswerContext): ParsedReply | ReplyError {
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
