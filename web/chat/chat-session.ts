import type { AgentEvent, AgentQuestion, Decisions } from "../agent-api.ts";
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

/** One answer of a conversation. */
export interface AnswerPlace {
  readonly exchangeId: string;
  readonly column: number;
}

/** A conversation with one or two models. It goes on while nobody looks at it. */
export interface ChatSession {
  conversation(): Conversation;
  subscribe(listener: () => void): () => void;
  /** Sends a message to each model; with `from` it replaces that exchange and what came after it. */
  send(message: string, options: { models: readonly string[]; from?: string }): void;
  /** Asks for one answer once more, of this model. Other answers stay, those on their way too. */
  retry(place: AnswerPlace, model: string): void;
  /** Goes on with an answer whose tool calls waited. */
  decide(place: AnswerPlace, decisions: Decisions): void;
  /** Ends every answer that is on its way. */
  stop(): void;
  clear(): void;
  /** Takes back a conversation that was cleared. */
  restore(cleared: Conversation): void;
}

interface ChatSessionOptions {
  readonly first: Conversation;
  readonly ask: (question: AgentQuestion) => AsyncIterable<AgentEvent>;
  readonly resume: (runId: string, options: { decisions: Decisions; signal: AbortSignal }) => AsyncIterable<AgentEvent>;
  readonly save: (conversation: Conversation) => void;
}

/** While a reply streams in, writing the whole conversation at every piece would cost more than drawing it. */
const saveEvery = 1000;

export function createChatSession({ first, ask, resume, save }: ChatSessionOptions): ChatSession {
  let conversation = first;
  let savedAt = 0;
  const listeners = new Set<() => void>();
  /** One for each answer on its way: several columns may be under way, each begun at another time. */
  const underWay = new Set<AbortController>();

  const change = (next: Conversation): void => {
    conversation = next;
    if (!isWaiting(next) || Date.now() - savedAt >= saveEvery) {
      savedAt = Date.now();
      save(next);
    }
    for (const listener of listeners) listener();
  };
  const stop = (): void => {
    for (const controller of underWay) controller.abort();
    underWay.clear();
    change(withoutWaiting(conversation));
  };
  /** Draws an answer as it grows, as long as nobody has stopped it. */
  const follow = (
    { exchangeId, column }: AnswerPlace,
    { begun, events }: { begun: Answer; events: (signal: AbortSignal) => AsyncIterable<AgentEvent> },
    toShown = (answer: Answer): Answer => answer,
  ): void => {
    const controller = new AbortController();
    const { signal } = controller;
    underWay.add(controller);
    const onAnswer = (answer: Answer): void => {
      if (!signal.aborted) change(withAnswer(conversation, { id: exchangeId, column, answer: toShown(answer) }));
    };
    void growAnswer(events(signal), { begun, onAnswer }).finally(() => underWay.delete(controller));
  };
  /** Asks for the answer at a place of the conversation, which sees what stands before it. */
  const askAt = (place: AnswerPlace, model: string): void => {
    const index = conversation.findIndex(({ id }) => id === place.exchangeId);
    const exchange = conversation[index];
    if (!exchange) return;
    const messages = toMessages(conversation.slice(0, index), place.column, exchange.message);
    follow(place, { begun: waitingFor(model), events: (signal) => ask({ model, messages, signal }) });
  };

  return {
    conversation: () => conversation,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop,
    clear() {
      stop();
      change([]);
    },
    restore: (cleared) => change(withoutWaiting(cleared)),
    send(message, { models, from }) {
      stop();
      const index = from === undefined ? -1 : conversation.findIndex((exchange) => exchange.id === from);
      const earlier = index === -1 ? conversation : conversation.slice(0, index);
      const exchange: Exchange = { id: newId(), message, answers: models.map(waitingFor) };
      change([...earlier, exchange]);
      models.forEach((model, column) => askAt({ exchangeId: exchange.id, column }, model));
    },
    retry: askAt,
    decide(place, decisions) {
      const begun = conversation.find(({ id }) => id === place.exchangeId)?.answers[place.column];
      if (begun?.state !== "done" || begun.runId === null) return;
      const { runId } = begun;
      const events = (signal: AbortSignal) => resume(runId, { decisions, signal });
      // A decision that was not accepted leaves the calls waiting: they can be decided about again.
      follow(place, { begun, events }, (answer) =>
        answer.state === "failed" ? { ...begun, refusal: answer.failure } : answer,
      );
    },
  };
}

const waitingFor = (model: string): Answer => ({ model, state: "waiting", text: "", tools: [] });

/** Unique within the tab. `crypto.randomUUID` is missing on plain http outside loopback. */
const newId = (): string => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
