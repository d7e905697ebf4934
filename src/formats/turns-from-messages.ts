import { pointerTo } from "./records.ts";
import { readMessage, type PeerMessage } from "./read-message.ts";
import type { ScenarioCollector } from "./scenario-collector.ts";
import type { TurnDraft } from "./scenario-draft.ts";
import type { Place } from "./scenario-file.ts";

export interface Conversation {
  readonly system: string | undefined;
  readonly turns: readonly TurnDraft[];
  /** True when the last message is a user's: the reply is what the file asks for. */
  readonly open: boolean;
  /** Fields of the input it was read from that are no part of it. */
  readonly left?: readonly string[];
}

interface MessageSource {
  readonly messages: readonly unknown[];
  /** Where the list stands; a message's own pointer is below it. */
  readonly place: Place;
  readonly collector: Pick<ScenarioCollector, "note">;
  /** The way to a message, where they stand in no list. */
  readonly stepsTo?: ((index: number) => readonly string[]) | undefined;
}

/** Every user message opens a turn; the assistant text before the next user message is its reference reply. */
export function turnsFromMessages({ messages, place, collector, stepsTo }: MessageSource): Conversation {
  const system: string[] = [];
  const turns: Answered[] = [];
  for (const [index, value] of messages.entries()) {
    const at = { ...place, pointer: pointerTo(place.pointer, ...(stepsTo?.(index) ?? [index])) };
    const message = readMessage(value);
    if (!message) {
      collector.note("dropped", at, "this is not a message with a known role");
      continue;
    }
    noteLosses(message, at, collector);
    const turn = turns.at(-1);
    if (message.role === "system") {
      if (turn) collector.note("changed", at, "a system message in mid-conversation was moved to the system prompt");
      system.push(message.text);
    } else if (message.role === "user") turns.push({ user: message.text, replies: [], isAnswered: false });
    else if (message.role === "assistant") takeReply(message, turn, at, collector);
  }
  return {
    system: system.join("\n\n") || undefined,
    turns: turns.map(({ user, replies }) => ({ user, reference: replies.join("\n\n") })),
    open: turns.at(-1)?.isAnswered === false,
  };
}

type Notes = Pick<ScenarioCollector, "note">;

interface Answered {
  readonly user: string;
  readonly replies: string[];
  isAnswered: boolean;
}

function takeReply(message: PeerMessage, turn: Answered | undefined, at: Place, collector: Notes): void {
  if (message.callsTools) {
    if (message.text !== "") collector.note("dropped", at, "text beside a tool call is not the reply; it was left out");
  } else if (!turn) collector.note("dropped", at, "an assistant message before the first user message has no turn");
  else if (!message.isExample) {
    turn.isAnswered = true;
    collector.note("dropped", at, "a reply with weight 0 is not to be learnt from, so it is no reference reply");
  } else {
    turn.isAnswered = true;
    if (turn.replies.length > 0)
      collector.note("changed", at, "several assistant messages in a row were joined into one reply");
    turn.replies.push(message.text);
  }
}

/** Says what a message has beside its text. */
export function noteLosses(message: PeerMessage, at: Place, collector: Notes): void {
  if (message.callsTools) collector.note("dropped", at, "tool calls are not part of a scenario");
  if (message.role === "tool") collector.note("dropped", at, "tool messages are not part of a scenario");
  if (message.lost.length > 0)
    collector.note("dropped", at, `only text is kept; left out: ${[...new Set(message.lost)].join(", ")}`);
}
