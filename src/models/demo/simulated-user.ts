import type { ChatMessage, ChatRequest } from "../../contract/ports/chat-model.ts";

/** Begins the prompt of a simulator (`src/evaluation/simulation/ask-simulator.ts`). */
const task = "You play a user who writes to an agent that is being tested.";

/** True when a demo model is asked to play the user of a scenario. */
export function isSimulatorRequest({ messages }: Pick<ChatRequest, "messages">): boolean {
  const [first] = messages;
  return first?.role === "system" && first.content.startsWith(task);
}

/**
 * A scripted user: states the goal, gives the known facts when it is asked for something, and ends when the agent has confirmed or
 * declined. It follows any goal and any facts, so that the demo shows simulated users without a key.
 */
export function playUser({ messages }: Pick<ChatRequest, "messages">): string {
  const system = messages[0]?.content ?? "";
  const goal = /^Goal: (.*)$/m.exec(system)?.[1] ?? "";
  const facts = [...system.matchAll(/^- ([^:\n\r\u2028\u2029]+): (.*)$/gm)].map(([, name = "", value = ""]) => ({
    name,
    value,
  }));
  const said = messages.flatMap((message) => (message.role === "assistant" ? [ownMessage(message)] : []));
  const reply = said.length === 0 ? "" : (messages.findLast(({ role }) => role === "user")?.content ?? "");
  return JSON.stringify(nextMove({ goal, facts, said, reply }));
}

interface Situation {
  readonly goal: string;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  /** The user's messages so far. */
  readonly said: readonly string[];
  /** The agent's last reply. */
  readonly reply: string;
}

interface Move {
  readonly why: string;
  readonly message: string;
  readonly done: boolean;
}

const settled =
  /\b(?:cancelled|canceled|refunded|done|confirmed|shipped|delivered|updated|booked|sent|on its way|cannot|can't|unable|not possible|not allowed|sorry)\b/i;

function nextMove({ goal, facts, said, reply }: Situation): Move {
  if (said.length === 0) {
    return { why: "I say what I want.", message: asRequest(goal), done: false };
  }
  if (settled.test(reply) && !reply.trim().endsWith("?")) {
    return { why: "The agent has answered: there is nothing left to ask.", message: "", done: true };
  }
  const told = said.join(" ").toLowerCase();
  const open = facts.find(({ value }) => !told.includes(value.toLowerCase()));
  if (open) {
    const name = open.name.replaceAll(/[_-]+/g, " ");
    return { why: `The agent needs the ${name}.`, message: `The ${name} is ${open.value}.`, done: false };
  }
  if (reply.trim().endsWith("?") && !told.includes("yes, please")) {
    return { why: "The agent asks for my agreement.", message: "Yes, please.", done: false };
  }
  if (!told.includes("any news")) {
    return {
      why: "The agent has not said how it ended.",
      message: `Is there any news about this: ${goal}`,
      done: false,
    };
  }
  return { why: "The agent does not get any further.", message: "", done: true };
}

/** "Cancel order 1042." → "Hello, I have a request: cancel order 1042." Instructions like "You want to …" lose their beginning. */
function asRequest(goal: string): string {
  const wish = goal.replace(/^(?:you|the user) (?:want|wants|would like) to /i, "");
  return `Hello, I have a request: ${wish.charAt(0).toLowerCase()}${wish.slice(1)}`;
}

function ownMessage({ content }: ChatMessage): string {
  try {
    return String((JSON.parse(content) as { message?: unknown }).message ?? "");
  } catch {
    return content;
  }
}
