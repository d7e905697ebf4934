import type { ChatMessage } from "../contract/ports/chat-model.ts";
import type { OpenTurn } from "./agent-loop.ts";
import type { PostponedTurn } from "./agent-outcome.ts";
import type { AgentRun } from "./agent-run.ts";
import { readToolCalls } from "./read-tool-call.ts";

/** The turn with what its client has answered. Calls of ours are read anew: the tools may be others by now. */
export function toOpenTurn(run: AgentRun, { reply, results }: PostponedTurn): OpenTurn {
  const answers = new Map(results.map(({ tool_call_id, content }) => [tool_call_id, content]));
  const calls = readToolCalls(reply, run).map((call) => {
    const content = answers.get(call.id);
    if (content === undefined) return call;
    const { id, name, arguments: text, echo } = call;
    return { kind: "answered" as const, id, name, arguments: text, ...(echo && { echo }), content };
  });
  return { reply, calls };
}

/** As the end of a conversation, in which the calls that are still to be decided about have no result. */
export function postponedMessages({ reply, results }: PostponedTurn): readonly ChatMessage[] {
  return [{ role: "assistant", content: reply.text, tool_calls: reply.tool_calls }, ...results];
}
