import { ServiceError } from "../../../contract/errors/errors.ts";
import type { AgentRunRecord } from "../../../contract/ports/agent-memory.ts";
import {
  summarizeRun,
  type AgentRunDetails,
  type AgentRunEnd,
  type AgentRunStarted,
  type RecordedMessage,
} from "../../../contract/schemas/agent/agent-run.ts";
import type { Scenario } from "../../../contract/schemas/scenario.ts";

/** The summary of a run, with its log. */
export function toRunDetails(record: AgentRunRecord): AgentRunDetails {
  const summary = summarizeRun(record.id, record.entries) ?? withoutStart(record.id);
  const end = endOf(record);
  return { ...summary, text: end?.text ?? null, message: end?.message ?? null, log: record.entries };
}

export function startOf({ id, entries }: AgentRunRecord): AgentRunStarted {
  const [start] = entries;
  return start?.type === "run-start" ? start : withoutStart(id);
}

/** The end of the run; null while it is running, also after it was resumed. */
function endOf({ entries }: AgentRunRecord): AgentRunEnd | null {
  const last = entries.at(-1);
  return last?.type === "run-end" ? last : null;
}

function withoutStart(id: string): never {
  throw new Error(`The log of run ${id} does not begin with its start`);
}

/**
 * A recorded conversation as a scenario: each user message is a turn, and the reply to it is the reference. User messages without a
 * reply in between are one turn. System messages become the system prompt, wherever they were. Tool results are left out.
 */
export function runToScenario(record: AgentRunRecord): Scenario {
  const start = startOf(record);
  const turns = toTurns([...start.messages, { role: "assistant", content: lastRecordedReply(record) }]);
  const prompts = start.messages.flatMap(({ role, content }) => (role === "system" ? content : []));
  if (start.messages.some((message) => message.role === "user" && message.images)) {
    throw new ServiceError("validation_failed", "The conversation contains images, which a scenario cannot represent.");
  }
  if (turns.length === 0) {
    throw new ServiceError("validation_failed", "The run contains no user message, so it cannot become a scenario.");
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

/** A refusal counts as the reply, as in an evaluation. Text beside pending calls only announces them. */
function lastRecordedReply(record: AgentRunRecord): string {
  const end = endOf(record);
  if (end?.finish_reason === "tool_calls") return "";
  const text = end?.text ?? "";
  const reply = record.entries.findLast((entry) => entry.type === "model-call")?.reply;
  return text === "" && reply?.ok ? (reply.refusal ?? "") : text;
}

interface RecordedTurn {
  readonly user: string[];
  reply: string;
  /** True also for an empty reply, such as a refusal. */
  answered: boolean;
}

/** The last reply before the next user message counts: earlier ones announced a tool call. */
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
