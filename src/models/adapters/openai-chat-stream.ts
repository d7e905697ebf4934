import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ReplyError } from "../../contract/ports/chat-model.ts";
import { explainedError } from "./failed-reply.ts";
import { firstChoice } from "./first-choice.ts";
import { explainErrorObject } from "./openai-error.ts";
import { parseJson } from "./parse-json.ts";
import { invalid, type AnswerContext } from "./parsed-reply.ts";
import type { ReplyCollector, StreamListeners } from "./reply-stream.ts";
import type { ServerSentEvent } from "./server-sent-events.ts";
import { StreamedReply } from "./streamed-reply.ts";
import { TextChunks } from "./text-chunks.ts";

/** Collects a streamed chat completion. */
export function collectOpenaiStream(context: AnswerContext, listeners: StreamListeners): ReplyCollector {
  const reply = new StreamedReply(listeners);
  const chunks = new TextChunks();

  function add({ event, data }: ServerSentEvent): "more" | ReplyError {
    const chunk = parseJson(data);
    const error = isRecord(chunk) ? errorIn(chunk) || (event === "error" && chunk) : event === "error" && data;
    if (error) return streamError(error, context);
    if (!isRecord(chunk)) return invalid(context, "The stream holds an event that is not a JSON object.");
    reply.add(chunk);
    chunks.learn(data, chunk);
    return "more";
  }

  return {
    add(event) {
      const text = event.event === "message" ? chunks.read(event.data) : null;
      if (text === null) return event.data.trim() === "[DONE]" ? "done" : add(event);
      reply.addText(text);
      return "more";
    },
    finish: (options) => reply.finish(context, options),
  };
}

/** Some servers write the error that ends a stream into its choice, beside text that came before, Groq into a field of its own. */
function errorIn(chunk: JsonRecord): unknown {
  const { error, x_groq } = chunk;
  return error || firstChoice(chunk["choices"])?.["error"] || (isRecord(x_groq) && x_groq["error"]);
}

/** What an error that OpenAI-compatible servers write into a stream means. */
export function streamError(error: unknown, context: AnswerContext): ReplyError {
  const explained = explainErrorObject(error, new URL(context.url));
  // What another try cannot cure, people have to: they need to know what it is.
  if (explained.code === "upstream_rejected") return explainedError(explained, context);
  return explainedError({ ...explained, detail: "The stream ended with an error from the endpoint." }, context);
}
