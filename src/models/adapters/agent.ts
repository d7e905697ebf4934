import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { parseEndpoint } from "../outbound/parse-endpoint.ts";
import type { AdapterOptions } from "./adapter-options.ts";
import { toAgentMessages } from "./agent-body.ts";
import { explainAgentProblem } from "./agent-problem.ts";
import { parseAgentReply } from "./agent-reply.ts";
import { elapsedMs, failedReply } from "./failed-reply.ts";

/**
 * Another agent backend with the contract's own `POST /`. It brings its tools and its settings itself, so the tools,
 * parameters and reply format of a request are not sent.
 */
export function agentChat({ outbound, endpoint, modelId, policy, runPolicy, credential }: AdapterOptions): ChatModel {
  const parsed = parseEndpoint(endpoint);
  const url = parsed.ok ? parsed.url.href : endpoint;

  return async (request, { signal, onText, onRefused, longestWaitMs }) => {
    const started = performance.now();
    if (!canBeHeader(modelId)) return failedReply(unknownModel, elapsedMs(started));
    if (request.messages.some((message) => message.role === "user" && message.parts)) {
      return failedReply(noPictures, elapsedMs(started));
    }
    const result = await outbound.request({
      url,
      method: "POST",
      operation: "agent",
      headers: { "x-model-id": modelId },
      body: JSON.stringify({ messages: toAgentMessages(request.messages) }),
      breakerKey: modelId,
      explainFailure: explainAgentProblem,
      signal,
      onRefused,
      longestWaitMs,
      runPolicy,
      ...(policy && { policy }),
      ...(credential && { credential }),
    });
    if (!result.ok) return failedReply(result.error, elapsedMs(started));
    const { status, tries } = result;
    const context = { url, modelId, source: "", request, status, tries };
    const reply = parseAgentReply(result.body, context);
    if (!("ok" in reply)) return failedReply(reply, elapsedMs(result.startedAt));
    if (reply.text !== "") onText?.(reply.text);
    return { ...reply, latency_ms: elapsedMs(result.startedAt), first_token_ms: null };
  };
}

const unknownModel = {
  code: "model_not_found",
  detail: "The model id holds characters that the x-model-id header cannot carry.",
  upstream_status: null,
  tries: 0,
  retryable: false,
} as const;

const noPictures = {
  code: "upstream_rejected",
  detail: "The conversation holds pictures, which the protocol of another agent backend has no place for.",
  upstream_status: null,
  tries: 0,
  retryable: false,
} as const;

function canBeHeader(modelId: string): boolean {
  return /^[\x21-\x7e]+$/.test(modelId);
}
