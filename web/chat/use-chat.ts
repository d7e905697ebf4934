import { useEffect, useRef, useState } from "react";
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

export interface Chat {
  readonly conversation: Conversation;
  /** Sends a message to each model; with `from` it replaces that exchange and what came after it. */
  send(message: string, options: { models: readonly string[]; from?: string }): void;
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
      models.forEach((model, column) => {
        rememberModel(model);
        const messages = toMessages(earlier, column, message);
        void growAnswer({ model, messages, signal: abort.signal }, (answer) => {
          if (!abort.signal.aborted) {
            setConversation((current) => withAnswer(current, { id: exchange.id, column, answer }));
          }
        });
      });
    },
  };
}

/** Unique within the tab. `crypto.randomUUID` is missing on plain http outside loopback. */
const newId = (): string => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
