import { isRecord } from "../../../base/json.ts";
import type {
  ChatMessage,
  ChatModel,
  ChatOptions,
  SuccessfulReply,
  TokenUsage,
} from "../../../contract/ports/chat-model.ts";
import type { ChatProtocol } from "../http-chat-model.ts";
import { separatorAfter } from "../reply/message-content.ts";
import { withTries } from "../reply/parsed-reply.ts";
import { toAnthropicBody } from "./body.ts";
import { explainAnthropicFailure, parseAnthropicReply } from "./reply.ts";
import { collectAnthropicStream } from "./stream.ts";

export const anthropicMessages: ChatProtocol = {
  // The API refuses every request without a version, also one for its model list.
  headers: { "anthropic-version": "2023-06-01" },
  afterParameter: "after_id",
  around: withResumedPauses,
  toBody: toAnthropicBody,
  explainFailure: explainAnthropicFailure,
  parseReply: parseAnthropicReply,
  collectStream: collectAnthropicStream,
};

/** After this many pauses the reply is returned as far as it is complete. */
const mostPauses = 10;

/**
 * Claude pauses long turns with server-side tools and continues when its blocks are sent back. The caller gets one reply.
 */
function withResumedPauses(model: ChatModel): ChatModel {
  return async (request, options) => {
    let reply = await model(request, options);
    const content: unknown[] = [];
    for (let pauses = 0; pauses < mostPauses && reply.ok && reply.paused; pauses += 1) {
      content.push(...reply.paused);
      const soFar: ChatMessage = { role: "assistant", content: reply.text, paused: [...content] };
      const pause = endsInText(reply.paused) ? "" : separatorAfter(reply.text);
      const rest = await model({ ...request, messages: [...request.messages, soFar] }, afterPause(options, pause));
      reply = rest.ok ? joined(reply, rest, pause) : withTries(rest, reply.tries);
    }
    if (!reply.ok) return reply;
    const { paused: _, ...whole } = reply;
    return whole;
  };
}

function endsInText(blocks: readonly unknown[]): boolean {
  const last = blocks.at(-1);
  return isRecord(last) && last["type"] === "text";
}

/** Listeners get the separator before the first text after a pause. */
function afterPause({ onText, ...options }: ChatOptions, pause: string): ChatOptions {
  if (!onText) return options;
  let unsaid = pause;
  return {
    ...options,
    onText(text) {
      onText(unsaid + text);
      unsaid = "";
    },
  };
}

function joined(first: SuccessfulReply, rest: SuccessfulReply, pause: string): SuccessfulReply {
  const reasoning = (first.reasoning ?? "") + (rest.reasoning ?? "");
  return {
    ...rest,
    text: first.text + (rest.text === "" ? "" : pause) + rest.text,
    ...(reasoning !== "" && { reasoning }),
    usage: first.usage && rest.usage && summed(first.usage, rest.usage),
    latency_ms: first.latency_ms + rest.latency_ms,
    first_token_ms: first.first_token_ms,
    tries: first.tries + rest.tries,
  };
}

function summed(left: TokenUsage, right: TokenUsage): TokenUsage {
  return {
    prompt_tokens: left.prompt_tokens + right.prompt_tokens,
    completion_tokens: left.completion_tokens + right.completion_tokens,
    total_tokens: left.total_tokens + right.total_tokens,
    prompt_tokens_details: summedDetails(left.prompt_tokens_details, right.prompt_tokens_details),
    completion_tokens_details: summedDetails(left.completion_tokens_details, right.completion_tokens_details),
  };
}

type ErrorDetails = TokenUsage["prompt_tokens_details"];

function summedDetails(left: ErrorDetails, right: ErrorDetails): ErrorDetails {
  if (!left || !right) return left ?? right;
  const added = Object.entries(right).map(([name, value]) => {
    const before = left[name];
    return [name, typeof before === "number" && typeof value === "number" ? before + value : value];
  });
  return { ...left, ...Object.fromEntries(added) };
}
