import type { AnswerEvent, AgentCall, AgentSettings, Decisions } from "../api/agent.ts";
import { toApiError } from "../api/api-error.ts";
import {
  isWaiting,
  toMessages,
  withAnswer,
  stopWaiting,
  type Answer,
  type ChatConversation,
  type ChatExchange,
  type AnswerFailureDetails,
  type OpenCall,
  type ToolUse,
} from "./conversation.ts";

export interface AnswerPlace {
  readonly exchangeId: string;
  readonly column: number;
}

/** A conversation with one or two models. It continues while another screen is shown. */
export interface PageChat {
  conversation(): ChatConversation;
  subscribe(listener: () => void): () => void;
  /** Sends a message to each model; with `from` it replaces that exchange and what came after it. */
  send(message: string, options: { models: readonly string[]; from?: string }): void;
  /** Requests one answer again, from this model. Other answers are not affected. */
  retry(place: AnswerPlace, model: string): void;
  /** Resumes an answer whose tool calls waited for approval. */
  decide(place: AnswerPlace, decisions: Decisions): void;
  /** Aborts all running answers. */
  stop(): void;
  clear(): void;
  /** Shows another conversation, such as one that was cleared. */
  restore(cleared: ChatConversation): void;
}

interface ChatSessionOptions {
  readonly first: ChatConversation;
  readonly ask: (question: AgentCall) => AsyncIterable<AnswerEvent>;
  readonly resume: (
    runId: string,
    options: { decisions: Decisions; signal: AbortSignal },
  ) => AsyncIterable<AnswerEvent>;
  readonly save: (conversation: ChatConversation) => void;
  /** System prompt and parameters of the next request. */
  readonly settings?: () => AgentSettings;
}

/** Milliseconds between saves while a reply streams in: saving costs more than rendering. */
const saveInterval = 1000;

export function createChatSession({ first, ask, resume, save, settings = () => ({}) }: ChatSessionOptions): PageChat {
  let conversation = first;
  let savedAt = 0;
  const listeners = new Set<() => void>();
  /** One per running answer. */
  const running = new Set<AbortController>();

  const change = (next: ChatConversation): void => {
    conversation = next;
    if (!isWaiting(next) || Date.now() - savedAt >= saveInterval) {
      savedAt = Date.now();
      save(next);
    }
    for (const listener of listeners) listener();
  };
  const stop = (): void => {
    for (const controller of running) controller.abort();
    running.clear();
    change(stopWaiting(conversation));
  };
  /** Updates an answer from its events until it is stopped. */
  const follow = (
    { exchangeId, column }: AnswerPlace,
    { events, ...start }: AnswerStart & { events: (signal: AbortSignal) => AsyncIterable<AnswerEvent> },
    toShown = (answer: Answer): Answer => answer,
  ): void => {
    const controller = new AbortController();
    const { signal } = controller;
    running.add(controller);
    const onAnswer = (answer: Answer): void => {
      if (!signal.aborted) change(withAnswer(conversation, { id: exchangeId, column, answer: toShown(answer) }));
    };
    void streamAnswer(events(signal), { ...start, onAnswer }).finally(() => running.delete(controller));
  };
  /** Requests an answer; the model sees the exchanges before it. */
  const askAt = (place: AnswerPlace, model: string): void => {
    const index = conversation.findIndex(({ id }) => id === place.exchangeId);
    const exchange = conversation[index];
    if (!exchange) return;
    const messages = toMessages(conversation.slice(0, index), place.column, exchange.message);
    follow(place, {
      begun: waitingFor(model),
      events: (signal) => ask({ model, messages, settings: settings(), signal }),
    });
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
    restore(cleared) {
      stop();
      change(stopWaiting(cleared));
    },
    send(message, { models, from }) {
      stop();
      const index = from === undefined ? -1 : conversation.findIndex((exchange) => exchange.id === from);
      const earlier = index === -1 ? conversation : conversation.slice(0, index);
      const exchange: ChatExchange = { id: newId(), message, answers: models.map(waitingFor) };
      change([...earlier, exchange]);
      models.forEach((model, column) => askAt({ exchangeId: exchange.id, column }, model));
    },
    retry: askAt,
    decide(place, decisions) {
      const begun = conversation.find(({ id }) => id === place.exchangeId)?.answers[place.column];
      if (begun?.state !== "done" || begun.runId === null) return;
      const { runId } = begun;
      const events = (signal: AbortSignal) => resume(runId, { decisions, signal });
      // After a rejected decision the calls wait again.
      follow(place, { begun, decisions, events }, (answer) =>
        answer.state === "failed" ? { ...begun, refusal: answer.failure } : answer,
      );
    },
  };
}

const waitingFor = (model: string): Answer => ({ model, state: "waiting", text: "", tools: [] });

/** Unique within the tab. `crypto.randomUUID` is missing on plain http outside loopback. */
const newId = (): string => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

/** Milliseconds between updates: a fast model sends hundreds of deltas per second. */
const updateInterval = 50;

interface AnswerStart {
  /** The answer that is continued. */
  readonly begun: Answer;
  /** The decisions about its tool calls that waited for approval. */
  readonly decisions?: Decisions;
}

/** Reports the growing answer to `onAnswer`; the last one is done or failed. */
export async function streamAnswer(
  events: AsyncIterable<AnswerEvent>,
  { begun, decisions = {}, onAnswer }: AnswerStart & { onAnswer: (answer: Answer) => void },
): Promise<void> {
  const started = performance.now();
  // The time a person took to decide does not count.
  const earlier = begun.state === "done" ? begun.milliseconds : 0;
  const { model, thoughts } = begun;
  const decided = begun.state === "done" ? begun.reply.tool_calls.map((call) => decidedUse(call, decisions)) : [];
  const [first, ...others] = decided;
  let answer: Answer = {
    model,
    state: "waiting",
    text: first ? "" : begun.text,
    thoughts,
    tools: first ? [...begun.tools, { ...first, before: begun.text }, ...others] : begun.tools,
  };
  const calls: LastCalls = { text: 0, thoughts: 0 };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const updateSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      onAnswer(answer);
    }, updateInterval);
  };
  onAnswer(answer);

  try {
    for await (const event of events) {
      if (event.type === "reply") {
        const { reply, cost, total, runId } = event;
        const milliseconds = earlier + performance.now() - started;
        // The reply holds its text; only an answer that will be resumed needs the earlier one.
        const text = reply.tool_calls.length > 0 ? answer.text : "";
        answer = { ...answer, state: "done", text, reply, cost, total, runId, milliseconds };
        break;
      }
      answer = appendEvent(answer, event, calls);
      if ("call" in event) calls[event.type] = event.call;
      updateSoon();
    }
  } catch (error) {
    answer = { ...answer, state: "failed", failure: toFailureDetails(error) };
  }
  clearTimeout(timer);
  onAnswer(answer);
}

function toFailureDetails(error: unknown): AnswerFailureDetails {
  const { message, detail, hint, code, suggestions } = toApiError(error);
  return { message, detail, hint, code, suggestions };
}

/** The last model calls that sent text and reasoning. */
type LastCalls = Record<"text" | "thoughts", number>;

function appendEvent(
  answer: Answer,
  event: Exclude<AnswerEvent, { type: "reply" }>,
  calls: Readonly<LastCalls>,
): Answer {
  if ("tool" in event) return withTool(answer, event);
  const { type, call, text } = event;
  const before = answer[type] ?? "";
  const gap = before !== "" && call !== calls[type] ? "\n\n" : "";
  return { ...answer, [type]: before + gap + text };
}

/** A call that waited for approval, from the moment of the decision on. */
function decidedUse({ id, name, args }: OpenCall, decisions: Decisions): ToolUse {
  const decision = decisions[id];
  const isDenied = decision === "deny" || (typeof decision === "object" && "deny" in decision);
  return {
    id,
    name,
    args: typeof decision === "object" && "args" in decision ? decision.args : args,
    decision: isDenied ? "denied" : typeof decision === "object" ? "changed" : "approved",
    ok: !isDenied,
    result: null,
    milliseconds: null,
  };
}

/** A call that begins keeps the text before it, which would otherwise stand below it. */
function withTool(answer: Answer, event: Extract<AnswerEvent, { type: "tool-start" | "tool-end" }>): Answer {
  const { tools } = answer;
  const { id, name, args } = event.tool;
  const [ok, result, milliseconds] =
    event.type === "tool-start" ? [true, null, null] : [event.tool.ok, event.tool.result, event.tool.duration_ms];
  const known = tools.findIndex((tool) => tool.id === id && tool.result === null);
  const begun = tools[known];
  if (begun) return { ...answer, tools: tools.with(known, { ...begun, args, ok, result, milliseconds }) };
  return { ...answer, text: "", tools: [...tools, { before: answer.text, id, name, args, ok, result, milliseconds }] };
}
