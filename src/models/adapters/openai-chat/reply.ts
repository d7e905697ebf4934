import { isRecord, type JsonRecord } from "../../../base/json.ts";
import type { ReplyError } from "../../../contract/ports/chat-model.ts";
import { withOpaqueMetadata } from "../opaque-metadata.ts";
import { explainErrorObject } from "../openai-error.ts";
import { labels, nonEmptyString, parseJson, plainRecord } from "../reply/json-values.ts";
import { contentText, isMarkedAsThought, messageToolCalls, refusalText } from "../reply/message-content.ts";
import {
  brokenOff,
  explainedError,
  finishReason,
  withheldReply,
  invalid,
  notJson,
  statedReason,
  tokenUsage,
  withoutContent,
  type AnswerContext,
  type ParsedReply,
} from "../reply/parsed-reply.ts";
import { ReasoningFields } from "../reply/reasoning-fields.ts";
import { splitUnopenedReasoning, ReasoningSplitter } from "../reply/reasoning-splitter.ts";

/** Reads a chat completion as real servers send it. An unreadable answer is an error, never an exception. */
export function parseOpenaiReply(body: string, context: AnswerContext): ParsedReply | ReplyError {
  const answer = parseJson(body);
  if (!isRecord(answer)) return invalid(context, notJson(body));
  const choices = answer["choices"];
  const choice: unknown = firstChoice(choices) ?? (Array.isArray(choices) ? choices[0] : undefined);
  const error = answer["error"] || (isRecord(choice) && choice["error"]);
  if (error) return explainedError(explainErrorObject(error, new URL(context.url)), context);
  if (!isRecord(choice)) return invalid(context, "The answer holds no choices.");
  return toChatCompletionReply(answer, choice, context);
}

/** Cloudflare parses requested JSON and sends the object instead of text. */
function writtenOut(content: unknown): string | null {
  return plainRecord(content) && JSON.stringify(content);
}

/** The text of a message without its reasoning. */
function spokenText(
  message: JsonRecord,
  { reasoning, mayBeReply }: { reasoning: ReasoningFields; mayBeReply: boolean },
): string | null {
  const content = contentText(message["content"]) ?? writtenOut(message["content"]);
  if (content === null) return null;
  const sorter = new ReasoningSplitter();
  const marked = isMarkedAsThought(message);
  const { said, thought } = sorter.add(content, { marked });
  reasoning.addText(thought, { marked });
  const unopened = splitUnopenedReasoning(said + sorter.finish({ mayBeReply }));
  reasoning.addText(unopened.thought, { marked: false });
  return unopened.said === "" && thought !== "" ? null : unopened.said;
}

function toChatCompletionReply(
  answer: JsonRecord,
  choice: JsonRecord,
  context: AnswerContext,
): ParsedReply | ReplyError {
  const message = isRecord(choice["message"]) ? choice["message"] : { content: choice["text"] };
  const finish = statedReason(choice["finish_reason"]);
  const calls = messageToolCalls(message);
  const reasoning = new ReasoningFields();
  reasoning.add(message);
  const text = spokenText(message, { reasoning, mayBeReply: finish !== "length" && calls.length === 0 });
  const refusal = refusalText(message) ?? (text ? null : withheldReply(finish));
  const toolCalls = withOpaqueMetadata(calls, { source: context.source, message: reasoning.opaqueMetadata() });
  const broken = brokenOff(finish, context);
  if (broken) return broken;
  if (text === null && refusal === null && toolCalls.length === 0) return withoutContent(finish, context);
  return {
    ok: true,
    text: text ?? "",
    ...reasoning.toReplyField(),
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

/** The choice with index 0 of an answer or a chunk; a choice without an index counts as 0. */
export function firstChoice(choices: unknown): JsonRecord | null {
  if (!Array.isArray(choices)) return null;
  return choices.find((choice): choice is JsonRecord => isRecord(choice) && Number(choice["index"] ?? 0) === 0) ?? null;
}
