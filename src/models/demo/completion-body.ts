import { errorKinds } from "../../contract/errors.ts";
import type { ReplyError, SuccessfulReply, ToolCall } from "../../contract/ports/chat-model.ts";

/** Body and status of an answer that is not a completion, in the OpenAI shape. */
export interface CompletionError {
  readonly status: number;
  readonly body: {
    readonly error: {
      readonly message: string;
      readonly type: string;
      readonly param: string | null;
      readonly code: string | null;
    };
  };
}

/** A finished answer as an OpenAI chat completion. Labels a demo gives itself go in `metadata`. */
export function toCompletionBody(reply: SuccessfulReply, created: number) {
  const calls = reply.tool_calls.map(toFunctionCall);
  const message = {
    role: "assistant",
    content: calls.length > 0 && reply.text === "" ? null : reply.text,
    refusal: reply.refusal,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    id: reply.completion_id,
    object: "chat.completion",
    created,
    model: reply.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reply.finish_reason }],
    usage: reply.usage,
    service_tier: reply.service_tier,
    system_fingerprint: reply.system_fingerprint,
    ...(reply.metadata && { metadata: reply.metadata }),
  };
}
export type CompletionBody = ReturnType<typeof toCompletionBody>;

export function toFunctionCall({ id, name, arguments: text }: ToolCall) {
  return { id, type: "function", function: { name, arguments: text } };
}

export function completionError(
  status: number,
  message: string,
  { param = null, code = null }: { param?: string | null; code?: string | null } = {},
): CompletionError {
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return { status, body: { error: { message, type, param, code } } };
}

/** A demo's failure looks to a client just as the failure of a provider far away would. */
export function fromReplyError({ code, detail, upstream_status }: ReplyError): CompletionError {
  return completionError(upstream_status ?? errorKinds[code].status, detail, { code });
}
