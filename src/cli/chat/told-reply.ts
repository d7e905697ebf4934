import type { AgentReply } from "../../contract/schemas/agent-message.ts";
import { plainJson } from "../terminal/plain-line.ts";

/** What a person is told of a reply. */
interface ToldReply {
  /** What the agent said; what it declined with is said too. */
  readonly text: string;
  /** Which calls wait for approval, and where it is given; null when none does. */
  readonly waiting: string | null;
}

export function toldReply({ content, additional_kwargs, tool_calls, id }: AgentReply): ToldReply {
  const text = content === "" ? (additional_kwargs.refusal ?? "") : content;
  if (tool_calls.length === 0) return { text, waiting: null };
  const calls = tool_calls.map((call) => `${call.id}: ${call.name} ${plainJson(call.args)}`);
  const run = id.replace(/^run--/, "");
  return {
    text,
    waiting: `The agent waits for approval of ${calls.join(", ")}. POST /agent/runs/${run}/resume takes the decision.`,
  };
}
