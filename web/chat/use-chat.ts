import { useEffect, useRef, useState } from "react";
import { askAgent } from "../api.ts";
import { toApiError } from "../api-error.ts";
import {
  toMessages,
  withAnswer,
  withoutWaiting,
  type Answer,
  type Conversation,
  type Exchange,
} from "./conversation.ts";
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
  useEffect(() => saveConversation(conversation), [conversation]);
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
      const answers = models.map((model): Answer => ({ model, state: "waiting", text: "" }));
      const exchange: Exchange = { id: newId(), message, answers };
      setConversation([...earlier, exchange]);
      models.forEach((model, column) => {
        rememberModel(model);
        const messages = toMessages(earlier, column, message);
        void answerTo({ model, messages, signal: abort.signal }).then((answer) => {
          if (!abort.signal.aborted) {
            setConversation((current) => withAnswer(current, { id: exchange.id, column, answer }));
          }
        });
      });
    },
  };
}

async function answerTo(question: Parameters<typeof askAgent>[0]): Promise<Answer> {
  const started = performance.now();
  const { model } = question;
  try {
    for await (const event of askAgent(question)) {
      return { model, state: "done", reply: event.reply, milliseconds: performance.now() - started };
    }
    throw new Error("The stream ended without a reply.");
  } catch (error) {
    const { message, detail, hint, code } = toApiError(error);
    return { model, state: "failed", failure: { message, detail, hint, code } };
  }
}

/** Unique within the tab. `crypto.randomUUID` is missing on plain http outside loopback. */
const newId = (): string => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
