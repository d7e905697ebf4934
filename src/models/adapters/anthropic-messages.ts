import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { AdapterOptions } from "./adapter-options.ts";
import { toAnthropicBody } from "./anthropic-body.ts";
import { explainAnthropicFailure } from "./anthropic-error.ts";
import { anthropicHeaders } from "./anthropic-headers.ts";
import { parseAnthropicReply } from "./anthropic-reply.ts";
import { collectAnthropicStream } from "./anthropic-stream.ts";
import { messagesUrl } from "./endpoint-url.ts";
import { httpChatModel, type ChatProtocol } from "./http-chat-model.ts";
import { withResumedPauses } from "./resumed-pauses.ts";

const protocol: ChatProtocol = {
  operation: "messages",
  url: messagesUrl,
  headers: anthropicHeaders,
  toBody: toAnthropicBody,
  explainFailure: explainAnthropicFailure,
  parseReply: parseAnthropicReply,
  collectStream: collectAnthropicStream,
};

/** A model behind Anthropic's `…/v1/messages`, or a server that speaks the same. */
export function anthropicMessages(options: AdapterOptions): ChatModel {
  return withResumedPauses(httpChatModel(protocol, options));
}
