import type { ReplyError, SuccessfulReply } from "../../contract/model.ts";
import { replyError } from "./failed-reply.ts";
import { isRecord, labels, nonEmptyString, plainRecord, type JsonRecord } from "./json-values.ts";
import { contentText, messageToolCalls, refusalText } from "./message-content.ts";
import { explainErrorObject } from "./openai-error.ts";
import { parseJson } from "./parse-json.ts";
import { tokenUsage } from "./token-usage.ts";

export interface AnswerContext {
  readonly url: URL;
  readonly modelId: string;
  readonly status: number;
  readonly tries: number;
}

/** A reply without its timing, which only the caller knows. */
export type ParsedReply = Omit<SuccessfulReply, "latency_ms" | "first_token_ms">;

/** Reads a chat completion as real servers send it. What cannot be understood is an error, never a crash. */
export function parseOpenaiReply(body: string, context: AnswerContext): ParsedReply | ReplyError {
  const answer = parseJson(body);
  if (!isRecord(answer)) return invalid(context, notJson(body));
  const choices = answer["choices"];
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const error = answer["error"] || (isRecord(choice) && choice["error"]);
  if (error) {
    const { code, detail } = explainErrorObject(error, context.url);
    return replyError(code, detail, context);
  }
  if (!isRecord(choice)) return invalid(context, "The answer holds no choices.");
  return toReply(answer, choice, context);
}

export function invalid(context: AnswerContext, detail: string): ReplyError {
  return replyError("upstream_invalid_reply", detail, context);
}

function toReply(answer: JsonRecord, choice: JsonRecord, context: AnswerContext): ParsedReply | ReplyError {
  const message = isRecord(choice["message"]) ? choice["message"] : { content: choice["text"] };
  const text = contentText(message["content"]);
  const refusal = refusalText(message);
  const toolCalls = messageToolCalls(message);
  const finish = nonEmptyString(choice["finish_reason"]);
  if (text === null && refusal === null && toolCalls.length === 0) return invalid(context, noContent(finish));
  return {
    ok: true,
    text: text ?? "",
    refusal,
    tool_calls: toolCalls,
    finish_reason: finishReason(finish, toolCalls.length > 0),
    usage: tokenUsage(answer["usage"]),
    model: nonEmptyString(answer["model"]) ?? context.modelId,
    completion_id: nonEmptyString(answer["id"]) ?? "",
    system_fingerprint: nonEmptyString(answer["system_fingerprint"]),
    service_tier: nonEmptyString(answer["service_tier"]),
    logprobs: plainRecord(choice["logprobs"]),
    metadata: labels(message["metadata"]) ?? labels(answer["metadata"]),
    tries: context.tries,
  };
}

export function noContent(finishReason: string | null): string {
  return finishReason === "length"
    ? "The model reached its token limit before it wrote any text: raise max_tokens."
    : "The answer holds neither text nor a tool call.";
}

/** Servers leave the reason out or still say `function_call`; with calls to make it is always `tool_calls`. */
export function finishReason(reason: string | null, hasToolCalls: boolean): string {
  if (hasToolCalls && (reason === null || reason === "function_call")) return "tool_calls";
  return reason ?? "stop";
}

function notJson(body: string): string {
  if (body.trim() === "") return "The answer is empty.";
  return /^\s*</.test(body)
    ? "The answer is a web page, not JSON: check the path of the endpoint."
    : "The answer is not a JSON object.";
}
