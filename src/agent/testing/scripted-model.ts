import type {
  ChatModel,
  ChatOptions,
  ChatRequest,
  FailedReply,
  SuccessfulReply,
  ToolCall,
} from "../../contract/ports/chat-model.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";

/** The behaviour of a scripted model on one call: a text, parts of a reply, a failure, or code. */
export type ScriptedTurn =
  | string
  | Partial<SuccessfulReply>
  | FailedReply
  | ((request: ChatRequest, options: ChatOptions) => ScriptedTurn | Promise<ScriptedTurn>);

/** A model that plays a script, repeats its last turn, and records its requests. */
export function scriptedModel(...turns: readonly ScriptedTurn[]): ChatModel & { readonly requests: ChatRequest[] } {
  const requests: ChatRequest[] = [];
  const model: ChatModel = async (request, options) => {
    requests.push(request);
    let turn = turns[Math.min(requests.length, turns.length) - 1] ?? "";
    while (typeof turn === "function") turn = await turn(request, options);
    if (typeof turn === "string") return { ...plainReply, text: turn };
    return turn.ok === false
      ? turn
      : { ...plainReply, ...(turn.tool_calls && { finish_reason: "tool_calls" }), ...turn };
  };
  return Object.assign(model, { requests });
}

export const plainReply: SuccessfulReply = sampleReply("", { model: "scripted" });

/** A reply with one tool call. Arguments given as text are sent unchanged. */
export function asksFor(name: string, args: unknown = {}, id = "call_a"): { readonly tool_calls: readonly ToolCall[] } {
  return { tool_calls: [{ id, name, arguments: typeof args === "string" ? args : JSON.stringify(args) }] };
}

export function failsWith(code: FailedReply["error"]["code"]): FailedReply {
  return {
    ok: false,
    error: { code, detail: "The provider failed.", upstream_status: 503, tries: 3, retryable: true },
    latency_ms: 1,
  };
}

/** The reply of an endpoint that does not accept tools. */
export const toolRefusal: FailedReply = {
  ok: false,
  error: { ...failsWith("upstream_rejected").error, refuses_tools: true },
  latency_ms: 1,
};
