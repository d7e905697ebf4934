import type { ChatModel, SuccessfulReply } from "../contract/model.ts";
import { holdBackCalls } from "./prompted/hold-back-calls.ts";
import { parseActions } from "./prompted/parse-actions.ts";
import { toPromptedRequest } from "./prompted/to-prompted-request.ts";

/**
 * Lets a model without native tools use them: they are described in the prompt, the calls are read out of its text.
 * To the caller it looks like any other model. Text streams up to the place where a call may begin.
 */
export function withPromptedTools(model: ChatModel): ChatModel {
  return async (request, { signal, onText }) => {
    const offered = new Set((request.tool_choice === "none" ? [] : (request.tools ?? [])).map((tool) => tool.name));
    const prompted = toPromptedRequest(request);
    if (offered.size === 0) return model(prompted, { signal, ...(onText && { onText }) });
    const held = onText && holdBackCalls(onText);
    const reply = await model(prompted, { signal, ...(held && { onText: held.onText }) });
    if (!reply.ok) return reply;
    const read = withCalls(reply, offered);
    held?.finish(read.text);
    return read;
  };
}

function withCalls(reply: SuccessfulReply, offered: ReadonlySet<string>): SuccessfulReply {
  const { text, tool_calls } = parseActions(reply.text, offered);
  if (tool_calls.length === 0) return reply;
  const finish_reason = reply.finish_reason === "length" ? "length" : "tool_calls";
  return { ...reply, text, tool_calls, finish_reason };
}
