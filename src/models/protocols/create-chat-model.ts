import { loadOnce } from "../../base/load-once.ts";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { isProtocolOf, protocols } from "../../contract/protocols/protocols.ts";
import { isLocalTarget, type LocalTarget, type Target } from "../../contract/schemas/acting/target.ts";
import type { Protocol } from "../../contract/schemas/evaluation-request.ts";
import { httpChatModel, type AdapterOptions } from "../adapters/http-chat-model.ts";
import { listenToErrors, withErrorText, type ErrorTextOptions } from "../outbound/error-text.ts";
import { carryTraceContext, withTraceContext } from "../outbound/trace-context.ts";
import { backendProtocols, chatProtocols, targetProtocols } from "./adapters.ts";
import type { SecretOf, SecretOfCommand } from "../targets/target-chat.ts";

interface ChatModelOptions extends AdapterOptions {
  readonly protocol: Protocol;
  /** Set for an endpoint that a request described by an object. */
  readonly target?: Target | LocalTarget | undefined;
  readonly secretOf?: SecretOf | undefined;
  readonly secretOfCommand?: SecretOfCommand | undefined;
  /** The part of the text of a failed answer that is kept. Default: nothing. */
  readonly errorText?: ErrorTextOptions | undefined;
}

/**
 * A model at an endpoint in the given protocol. Nothing is called, and nothing fails, until the model is called. Below its layers
 * is the outbound client: endpoint policy, circuit breaker, credential, connection, retries (see `outbound/create-outbound.ts`).
 */
export function createChatModel({ errorText, ...options }: ChatModelOptions): ChatModel {
  const carrying = carryTraceContext(options.outbound);
  const outbound = errorText ? listenToErrors(carrying) : carrying;
  return withTraceContext(withErrorText(protocolLayers({ ...options, outbound }), errorText));
}

function protocolLayers({ protocol, target, secretOf, secretOfCommand, ...options }: ChatModelOptions): ChatModel {
  // `httpChatModel`: quirks of the server, timing and streaming around the protocol's body and reply.
  if (isProtocolOf(protocol, "model")) {
    return whenCalled(async () => httpChatModel(await chatProtocols[protocol](), protocols[protocol], options));
  }
  if (isProtocolOf(protocol, "backend")) return whenCalled(async () => (await backendProtocols[protocol]())(options));
  if (!isProtocolOf(protocol, "agent", "template")) return onlyHere;
  // `targetChat`: headers with secrets, sessions and streaming around the template or the agent's protocol.
  const described = target && !isLocalTarget(target) ? target : { url: options.endpoint };
  const secrets = { secretOf, secretOfCommand };
  return whenCalled(async () => (await targetProtocols[protocol]())({ ...options, ...secrets, target: described }));
}

function whenCalled(create: () => Promise<ChatModel>): ChatModel {
  const created = loadOnce(create);
  return async (request, call) => (await created())(request, call);
}

/** The command that started such a run carries it out, with `localTargets`; the replies of `recorded` are in its scenarios. */
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
