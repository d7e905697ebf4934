import type { ReplyError } from "../../contract/model.ts";
import { replyError } from "./failed-reply.ts";
import { isRecord } from "./json-values.ts";
import { explainErrorObject } from "./openai-error.ts";
import { parseJson } from "./parse-json.ts";
import { invalid, type AnswerContext } from "./parsed-reply.ts";
import type { ReplyCollector, StreamListeners } from "./reply-stream.ts";
import type { ServerSentEvent } from "./server-sent-events.ts";
import { StreamedReply } from "./streamed-reply.ts";

/** Collects a streamed chat completion. */
export function collectOpenaiStream(context: AnswerContext, listeners: StreamListeners): ReplyCollector {
  const reply = new StreamedReply(listeners);
  return {
    add: (event) => (event.data.trim() === "[DONE]" ? "done" : addEvent(event, reply, context)),
    finish: (options) => reply.finish(context, options),
  };
}

function addEvent({ event, data }: ServerSentEvent, reply: StreamedReply, context: AnswerContext): "more" | ReplyError {
  const chunk = parseJson(data);
  const error = isRecord(chunk) ? chunk["error"] || (event === "error" && chunk) : event === "error" && data;
  if (error) return streamError(error, context);
  if (!isRecord(chunk)) return invalid(context, "The stream holds an event that is not a JSON object.");
  reply.add(chunk);
  return "more";
}

/** What an error that OpenAI-compatible servers write into a stream means. */
export function streamError(error: unknown, context: AnswerContext): ReplyError {
  const { code } = explainErrorObject(error, context.url);
  return replyError(code, "The stream ended with an error from the endpoint.", context);
}
