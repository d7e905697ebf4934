import { useEffect, useRef, useState } from "react";
import { askAgent, resumeAgent, type Decisions } from "../agent-api.ts";
import {
  isWaiting,
  toMessages,
  withAnswer,
  withoutWaiting,
  type Answer,
  type Conversation,
  type Exchange,
} from "./conversation.ts";
import { growAnswer } from "./growing-answer.ts";
import { rememberModel } from "./recent-models.ts";
import { loadConversation, saveConversation } from "./stored-conversation.ts";

/** One answer of a conversation. */
export interface AnswerPlace {
  readonly exchangeId: string;
  readonly column: number;
}

export interface Chat {
  readonly conversation: Conversation;
  /** Sends a message to each model; with `from` it replaces that exchange and what came after it. */
  send(message: string, options: { models: readonly string[]; from?: string }): void;
  /** Goes on with an answer whose tool calls waited. */
  decide(place: AnswerPlace, decisions: Decisions): void;
  stop(): void;
  clear(): void;
}

export function useChat(): Chat {
  const [conversation, setConversation] = useState(loadConversation);
  const controller = useRef<AbortController>(null);
  const savedAt = useRef(0);
  useEffect(() => {
    // While a reply streams in, writing the whole conversation at every piece would cost more than drawing it.
    if (isWaiting(conversation) && Date.now() - savedAt.current < 1000) return;
    savedAt.current = Date.now();
    saveConversation(conversation);
  }, [conversation]);
  useEffect(() => () => controller.current?.abort(), []);

  const stop = (): void => {
    controller.current?.abort();
    setConversation(withoutWaiting);
  };
  /** Draws an answer as long as nobody has stopped it. */
  const draw =
    ({ exchangeId, column }: AnswerPlace, { signal }: AbortController) =>
    (answer: Answer): void => {
      if (!signal.aborted) setConversation((current) => withAnswer(current, { id: exchangeId, column, answer }));
    };

  return {
    conversation,
    stop,
    clear() {
      stop();
      setConversation([]);
    },
    send(message, { models, from }) {
      stop();
      const abort = new AbortController();
      controller.current = abort;
      const index = from === undefined ? -1 : conversation.findIndex((exchange) => exchange.id === from);
      const earlier = withoutWaiting(index === -1 ? conversation : conversation.slice(0, index));
      const answers = models.map((model): Answer => ({ model, state: "waiting", text: "", tools: [] }));
      const exchange: Exchange = { id: newId(), message, answers };
      setConversation([...earlier, exchange]);
      answers.forEach((begun, column) => {
        rememberModel(begun.model);
        const messages = toMessages(earlier, column, message);
        const events = askAgent({ model: begun.model, messages, signal: abort.signal });
        void growAnswer(events, { begun, onAnswer: draw({ exchangeId: exchange.id, column }, abort) });
      });
    },
    decide(place, decisions) {
      const begun = conversation.find(({ id }) => id === place.exchangeId)?.answers[place.column];
      if (begun?.state !== "done" || begun.runId === null) return;
      const abort = new AbortController();
      controller.current = abort;
      const onAnswer = draw(place, abort);
      void growAnswer(resumeAgent(begun.runId, { decisions, signal: abort.signal }), {
        begun,
        // A decision that was not accepted leaves the calls waiting: they can be decided about again.
        onAnswer: (answer) => onAnswer(answer.state === "failed" ? { ...begun, refusal: answer.failure } : answer),
      });
    },
  };
}

/** Unique within the tab. `crypto.randomUUID` is missing on plain http outside loopback. */
const newId = (): string => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
