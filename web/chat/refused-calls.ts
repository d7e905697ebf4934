import type { Decisions } from "../agent-api.ts";
import type { Answer, DoneAnswer, ToolUse } from "./conversation.ts";

/** An answer with the calls that were refused among its tools, where the agent itself does not tell of them. */
export function withRefused(answer: Answer, { begun, decisions }: { begun: DoneAnswer; decisions: Decisions }): Answer {
  const told = new Set(answer.tools.slice(begun.tools.length).map(({ id }) => id));
  const refused = begun.reply.tool_calls.filter(({ id }) => decisions[id] === "deny" && !told.has(id));
  const uses = refused.map(({ id, name, args }): ToolUse => ({
    id,
    name,
    args,
    ok: false,
    result: "You refused this call.",
    milliseconds: null,
  }));
  return uses.length === 0 ? answer : { ...answer, tools: [...answer.tools, ...uses] };
}
