import type { ChatModel } from "../contract/ports/chat-model.ts";
import type { Protocol } from "../contract/schemas/evaluation-request.ts";
import { isLocalTarget, type LocalTarget, type Target } from "../contract/schemas/acting/target.ts";
import { agentChat } from "./adapters/agent.ts";
import { anthropicMessagesProtocol, withResumedPauses } from "./adapters/anthropic/anthropic-messages.ts";
import { httpChatModel, type AdapterOptions } from "./adapters/http-chat-model.ts";
import { openaiChatProtocol } from "./adapters/openai-chat/openai-chat.ts";
import { openaiResponsesProtocol } from "./adapters/openai-responses/openai-responses.ts";
import { a2aTarget } from "./targets/a2a.ts";
import { agUiTarget } from "./targets/ag-ui.ts";
import { httpTarget } from "./targets/http-target.ts";
import { listenToErrors, withErrorText, type ErrorTextOptions } from "./outbound/error-text.ts";
import type { TargetOptions } from "./targets/target-chat.ts";

/** The arguments of every layer. `target` is set for an endpoint that a request described by an object. */
interface ChatModelOptions extends AdapterOptions, Pick<TargetOptions, "secretOf"> {
  readonly target?: Target | LocalTarget | undefined;
  /** What is kept of the text of a failed answer. Default: nothing. */
  readonly errorText?: ErrorTextOptions | undefined;
}

/**
 * The layers of one call, outermost first. Below them is the outbound client: endpoint policy, circuit breaker, credential,
 * connection, retries (see `outbound/create-outbound.ts`).
 */
const layers = {
  // `httpChatModel`: quirks of the server, timing and streaming around the protocol's body and reply.
  "openai-chat": (options) => httpChatModel(openaiChatProtocol, options),
  "openai-responses": (options) => httpChatModel(openaiResponsesProtocol, options),
  "anthropic-messages": (options) => withResumedPauses(httpChatModel(anthropicMessagesProtocol, options)),
  agent: agentChat,
  // `targetChat`: headers with secrets, sessions and streaming around the template or the agent's protocol.
  http: (options) => httpTarget(withTarget(options)),
  "ag-ui": (options) => agUiTarget(withTarget(options)),
  a2a: (options) => a2aTarget(withTarget(options)),
  module: () => onlyHere,
  command: () => onlyHere,
  // The replies of such a run are in its scenarios.
  recorded: () => onlyHere,
} as const satisfies Record<Protocol, (options: ChatModelOptions) => ChatModel>;

/** A model at an endpoint in the given protocol. Nothing is called, and nothing fails, until the model is called. */
export function createChatModel({
  protocol,
  errorText,
  ...options
}: ChatModelOptions & { readonly protocol: Protocol }): ChatModel {
  const outbound = errorText ? listenToErrors(options.outbound) : options.outbound;
  return withErrorText(layers[protocol]({ ...options, outbound }), errorText);
}

function withTarget({ target, ...options }: ChatModelOptions): TargetOptions {
  return { ...options, target: target && !isLocalTarget(target) ? target : { url: options.endpoint } };
}

/** The command that started such a run carries it out, with `localTargets`. */
const onlyHere: ChatModel = async () => ({
  ok: false,
  error: {
    code: "endpoint_not_allowed",
    detail: "This process runs no code of users: resume the run with rehearsal eval --resume.",
    upstream_status: null,
    tries: 0,
    retryable: false,
  },
  latency_ms: 0,
});

/** A model behind an OpenAI-compatible `…/chat/completions`. */
export const openaiChat = (options: AdapterOptions & Pick<ChatModelOptions, "errorText">): ChatModel =>
  createChatModel({ ...options, protocol: "openai-chat" });

/** A model behind an OpenAI-compatible `…/responses`. Every request carries the whole conversation; nothing is stored there. */
export const openaiResponses: (options: AdapterOptions) => ChatModel = layers["openai-responses"];

/** A model behind Anthropic's `…/v1/messages` or a compatible server. */
export const anthropicMessages: (options: AdapterOptions) => ChatModel = layers["anthropic-messages"];
