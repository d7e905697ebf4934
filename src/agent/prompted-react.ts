import type { ChatModel, ChatRequest, SuccessfulReply } from "../contract/ports/chat-model.ts";
import { holdBackCalls } from "./prompted/hold-back-calls.ts";
import { parseActions, parseLeftCalls, type ParsedReply } from "./prompted/parse-actions.ts";
import { toPromptedRequest } from "./prompted/to-prompted-request.ts";
import type { KnownTools } from "./prompted/trained-calls.ts";
import { newCallId } from "./tool-call-id.ts";

/**
 * Lets a model without native tools use them: they are described in the prompt, the calls are read out of its text.
 * To the caller it looks like any other model. Text streams up to the place where a call may begin.
 */
export function withPromptedTools(model: ChatModel): ChatModel {
  return async (request, { onText, ...options }) => {
    const known = knownTools(request);
    const prompted = toPromptedRequest(request);
    if (known.size === 0) return model(prompted, { ...options, ...(onText && { onText }) });
    const held = onText && holdBackCalls(onText);
    const reply = await model(prompted, { ...options, ...(held && { onText: held.onText }) });
    if (!reply.ok) return reply;
    const read = withCalls(reply, known);
    held?.finish(read.text);
    return read;
  };
}

/** The same reply, with the calls that its server left in the text. */
export function withLeftCalls(reply: SuccessfulReply, { tools = [] }: ChatRequest): SuccessfulReply {
  if (reply.tool_calls.length > 0 || tools.length === 0) return reply;
  const read = parseLeftCalls(reply.text, new Map(tools.map(({ name, parameters }) => [name, parameters])));
  return read ? asking(reply, read) : reply;
}

/** Tools in the history count too: a model that saw calls may write another when none is offered, and that is no text. */
function knownTools({ tools = [], tool_choice, messages }: ChatRequest): KnownTools {
  const offered = tool_choice === "none" ? [] : tools;
  const called = messages.flatMap((message) => (message.role === "assistant" ? (message.tool_calls ?? []) : []));
  return new Map([
    ...called.map(({ name }) => [name, null] as const),
    ...offered.map(({ name, parameters }) => [name, parameters] as const),
  ]);
}

function withCalls(reply: SuccessfulReply, known: KnownTools): SuccessfulReply {
  const read = parseActions(reply.text, known);
  return read.tool_calls.length === 0 ? reply : asking(reply, read);
}

/** Text has no ids. Counted, they would be the same in every conversation, and what belongs to one could be taken for another's. */
function asking(reply: SuccessfulReply, { text, tool_calls }: ParsedReply): SuccessfulReply {
  const finish_reason = reply.finish_reason === "length" ? "length" : "tool_calls";
  return { ...reply, text, tool_calls: tool_calls.map((call) => ({ ...call, id: newCallId() })), finish_reason };
}
