import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { AdapterOptions } from "./adapter-options.ts";
import { responsesUrl } from "./endpoint-url.ts";
import { httpChatModel, type ChatProtocol } from "./http-chat-model.ts";
import { explainOpenaiFailure } from "./openai-error.ts";
import { toResponsesBody } from "./openai-responses-body.ts";
import { parseResponsesReply } from "./openai-responses-reply.ts";
import { collectResponsesStream } from "./openai-responses-stream.ts";

const protocol: ChatProtocol = {
  operation: "responses",
  url: responsesUrl,
  toBody: toResponsesBody,
  explainFailure: explainOpenaiFailure,
  parseReply: parseResponsesReply,
  collectStream: collectResponsesStream,
};

/** A model behind an OpenAI-compatible `…/responses`. The whole conversation is sent each time; nothing is kept there. */
export function openaiResponses(options: AdapterOptions): ChatModel {
  return httpChatModel(protocol, options);
}
