import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { AdapterOptions } from "./adapter-options.ts";
import { chatCompletionsUrl } from "./endpoint-url.ts";
import { httpChatModel, type ChatProtocol } from "./http-chat-model.ts";
import { toOpenaiBody } from "./openai-chat-body.ts";
import { parseOpenaiReply } from "./openai-chat-reply.ts";
import { collectOpenaiStream } from "./openai-chat-stream.ts";
import { explainOpenaiFailure } from "./openai-error.ts";

const protocol: ChatProtocol = {
  operation: "chat/completions",
  url: chatCompletionsUrl,
  toBody: toOpenaiBody,
  explainFailure: explainOpenaiFailure,
  parseReply: parseOpenaiReply,
  collectStream: collectOpenaiStream,
};

/** A model behind an OpenAI-compatible `…/chat/completions`. */
export function openaiChat(options: AdapterOptions): ChatModel {
  return httpChatModel(protocol, options);
}
