import type { ReplyError } from "../../contract/model.ts";
import { StreamFailure } from "../outbound/failure.ts";
import { replyError } from "./failed-reply.ts";
import { isRecord } from "./json-values.ts";
import { invalid, type AnswerContext, type ParsedReply } from "./openai-chat-reply.ts";
import { explainErrorObject } from "./openai-error.ts";
import { parseJson } from "./parse-json.ts";
import { LineTooLong, serverSentEvents, type ServerSentEvent } from "./server-sent-events.ts";
import { StreamedReply, type StreamListeners } from "./streamed-reply.ts";

/** Reads a streamed chat completion to its end. A stream that breaks or reports an error is a failed reply, whatever came before. */
export async function readOpenaiStream(
  chunks: AsyncIterable<Uint8Array>,
  context: AnswerContext,
  listeners: StreamListeners,
): Promise<ParsedReply | ReplyError> {
  const reply = new StreamedReply(listeners);
  try {
    for await (const event of serverSentEvents(chunks)) {
      if (event.data.trim() === "[DONE]") return reply.finish(context, { done: true });
      const error = addEvent(event, reply, context);
      if (error) return error;
    }
    return reply.finish(context, { done: false });
  } catch (error) {
    if (error instanceof StreamFailure) return error.error;
    if (!(error instanceof LineTooLong)) throw error;
    return replyError("upstream_reply_too_large", "One event of the stream is larger than is accepted.", context);
  }
}

function addEvent({ event, data }: ServerSentEvent, reply: StreamedReply, context: AnswerContext): ReplyError | null {
  const chunk = parseJson(data);
  const error = isRecord(chunk) ? chunk["error"] || (event === "error" && chunk) : event === "error" && data;
  if (error) {
    const { code } = explainErrorObject(error, context.url);
    return replyError(code, "The stream ended with an error from the endpoint.", context);
  }
  if (!isRecord(chunk)) return invalid(context, "The stream holds an event that is not a JSON object.");
  reply.add(chunk);
  return null;
}
