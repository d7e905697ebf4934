import { ServiceError } from "../../../contract/errors.ts";
import type { RecordedMessage } from "../../../contract/schemas/agent-run.ts";
import type { AgentRunRecord } from "../../../contract/ports/agent-memory.ts";
import type { Scenario } from "../../../contract/schemas/scenario.ts";
import { endOf, startOf } from "./to-agent-run.ts";

/**
 * A recorded conversation as a scenario: each user message is a turn, the reply it got is the reference. Messages a user
 * sent without getting a reply in between are one turn. System messages become its system prompt, wherever they stood.
 * What tools said is not part of it.
 */
export function runToScenario(record: AgentRunRecord): Scenario {
  const start = startOf(record);
  const turns = toTurns([...start.messages, { role: "assistant", content: lastReply(record) }]);
  const prompts = start.messages.flatMap(({ role, content }) => (role === "system" ? content : []));
  if (start.messages.some((message) => message.role === "user" && message.images)) {
    throw new ServiceError("validation_failed", "The conversation holds pictures, which a scenario has no place for.");
  }
  if (turns.length === 0) {
    throw new ServiceError("validation_failed", "The run holds no user message to make a turn of.");
  }
  return {
    id: `run-${record.id}`,
    description: `Recorded from agent run ${record.id} on ${start.model_resolved} at ${new Date(start.at).toISOString()}`,
    ...(prompts.length > 0 && { system_prompt: prompts.join("\n\n") }),
    tags: ["recorded"],
    interactions: turns.map(({ user, reply }, index) => ({
      id: `turn-${index + 1}`,
      user_message: user.join("\n\n"),
      agent_reply: "",
      reference_reply: reply,
      interaction_type: index === 0 ? "opening" : "follow_up",
      reference_metadata: {},
      generated_metadata: {},
    })),
  };
}

/** A refusal counts as what the model said, as it does in an evaluation. Words beside calls that wait for somebody only announce them. */
function lastReply(record: AgentRunRecord): string {
  const end = endOf(record);
  if (end?.finish_reason === "tool_calls") return "";
  const text = end?.text ?? "";
  const reply = record.entries.findLast((entry) => entry.type === "model-call")?.reply;
  return text === "" && reply?.ok ? (reply.refusal ?? "") : text;
}

interface RecordedTurn {
  readonly user: string[];
  reply: string;
  /** An empty reply, such as a refusal, is one too. */
  answered: boolean;
}

/** The reply that counts is the last one before the user speaks again: earlier ones announced a tool. */
function toTurns(messages: readonly RecordedMessage[]): RecordedTurn[] {
  const turns: RecordedTurn[] = [];
  for (const message of messages) {
    const { role, content } = message;
    const turn = turns.at(-1);
    if (role === "user") {
      if (turn && !turn.answered) turn.user.push(content);
      else turns.push({ user: [content], reply: "", answered: false });
    } else if (role === "assistant" && turn) {
      if (content !== "") turn.reply = content;
      turn.answered ||= content !== "" || !message.tool_calls?.length;
    }
  }
  return turns;
}
