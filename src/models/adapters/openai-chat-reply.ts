import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ReplyError } from "../../contract/ports/chat-model.ts";
import { withEchoes } from "./call-echo.ts";
import { explainedError } from "./failed-reply.ts";
import { firstChoice } from "./first-choice.ts";
import { labels, nonEmptyString, plainRecord } from "./json-values.ts";
import { contentText, isMarkedAsThought, messageToolCalls, refusalText } from "./message-content.ts";
import { explainErrorObject } from "./openai-error.ts";
import { parseJson } from "./parse-json.ts";
import {
  brokenOff,
  finishReason,
  heldBack,
  invalid,
  notJson,
  statedReason,
  withoutContent,
  type AnswerContext,
  type ParsedReply,
} from "./parsed-reply.ts";
import { ReasoningFields } from "./reasoning-fields.ts";
import { ThoughtText } from "./thought-text.ts";
import { tokenUsage } from "./token-usage.ts";
import { splitUnopened } from "./unopened-thought.ts";

/** Reads a chat completion as real servers send it. What cannot be understood is an error, never a crash. */
export function parseOpenaiReply(body: string, context: AnswerContext): ParsedReply | ReplyError {
  const answer = parseJson(body);
  if (!isRecord(answer)) return invalid(context, notJson(body));
  const choices = answer["choices"];
  const choice: unknown = firstChoice(choices) ?? (Array.isArray(choices) ? choices[0] : undefined);
  const error = answer["error"] || (isRecord(choice) && choice["error"]);
  if (error) return explainedError(explainErrorObject(error, new URL(context.url)), context);
  if (!isRecord(choice)) return invalid(context, "The answer holds no choices.");
  return toReply(answer, choice, context);
}

/** Cloudflare reads the JSON that it was asked for, and gives it as it is. */
function writtenOut(content: unknown): string | null {
  return plainRecord(content) && JSON.stringify(content);
}

/** The text of a message without what was thought in it. */
function spokenText(
  message: JsonRecord,
  { reasoning, mayBeReply }: { reasoning: ReasoningFields; mayBeReply: boolean },
): string | null {
  const content = contentText(message["content"]) ?? writtenOut(message["content"]);
  if (content === null) return null;
  const sorter = new ThoughtText();
  const marked = isMarkedAsThought(message);
  const { said, thought } = sorter.add(content, { marked });
  reasoning.addText(thought, { marked });
  const unopened = splitUnopened(said + sorter.finish({ mayBeReply }));
  reasoning.addText(unopened.thought, { marked: false });
  return unopened.said === "" && thought !== "" ? null : unopened.said;
}

function toReply(answer: JsonRecord, choice: JsonRecord, context: AnswerContext): ParsedReply | ReplyError {
  const message = isRecord(choice["message"]) ? choice["message"] : { content: choice["text"] };
  const finish = statedReason(choice["finish_reason"]);
  const calls = messageToolCalls(message);
  const reasoning = new ReasoningFields();
  reasoning.add(message);
  const text = spokenText(message, { reasoning, mayBeReply: finish !== "length" && calls.length === 0 });
  const refusal = refusalText(message) ?? (text ? null : heldBack(finish));
  const toolCalls = withEchoes(calls, { source: context.source, message: reasoning.echo() });
  const broken = brokenOff(finish, context);
  if (broken) return broken;
  if (text === null && refusal === null && toolCalls.length === 0) return withoutContent(finish, context);
  return {
    ok: true,
    text: text ?? "",
    ...reasoning.told(),
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
