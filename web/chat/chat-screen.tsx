import { BookmarkPlus, Eraser, Undo2 } from "lucide-react";
import { memo, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type RefObject } from "react";
import { Link } from "wouter";
import { askAgent, resumeAnswer } from "../api/agent.ts";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { useEvent, useKeys } from "../parts/browser/events.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Skeleton } from "../parts/screen/screen.tsx";
import { AnswerCard } from "./answer-card.tsx";
import { createChatSession, type AnswerPlace, type ChatSession } from "./chat-session.ts";
import {
  hasReply,
  isWaiting,
  loadConversation,
  saveConversation,
  type ChatConversation,
  type ChatExchange,
} from "./conversation.ts";
import { Composer, UserMessageCard } from "./messages.tsx";
import { rememberModel, type ModelOption } from "./model-options.ts";
import { ModelBar } from "./model-picker.tsx";
import { useModels } from "./use-models.ts";

/** One session for the page, so that answers continue while another screen is shown. */
const session = createChatSession({
  first: loadConversation(),
  ask: askAgent,
  resume: resumeAnswer,
  save: saveConversation,
});

// Leaving the page aborts its requests; the answers are then stopped, not failed.
addEventListener("pagehide", session.stop);

/** `?model=` and `?second=` name the models; the conversation is stored in this tab. */
export default function ChatScreen() {
  const [params] = useSearchState();
  const { options, pending, studioError } = useModels();
  const conversation = useSyncExternalStore(session.subscribe, session.conversation);
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const model = params.get("model") ?? options[0]?.id ?? "";
  const second = params.get("second");
  const models = [model, ...(second === null ? [] : [second])].filter((id) => id !== "");
  const waiting = isWaiting(conversation);
  const [cleared, setCleared] = useState<ChatConversation>([]);
  const clear = (): void => {
    setCleared(conversation);
    session.clear();
    input.current?.focus();
  };
  const restore = (): void => {
    session.restore(cleared);
    input.current?.focus();
  };
  const send = (message: string, from?: string): void => {
    // The model remembered last is the default of the next chat.
    models.toReversed().forEach(rememberModel);
    session.send(message, { models, ...(from !== undefined && { from }) });
  };
  const resend = useEvent((from: string, message: string) => {
    send(message, from);
    // The pressed button disappears with the old answer.
    input.current?.focus();
  });
  const retry = useEvent((place: AnswerPlace, asked: string) => {
    const chosen = models[place.column] ?? asked;
    rememberModel(chosen);
    session.retry(place, chosen);
  });
  useKeys({ ...(waiting && { Escape: session.stop }) });
  useStickToEnd(box, { content: conversation, count: conversation.length });

  return (
    <div className="flex h-[calc(100dvh-3.25rem)] flex-col sm:h-dvh print:h-auto">
      <title>Chat · Rehearsal</title>
      <header className="border-b border-line bg-surface px-4 py-3 sm:px-6">
        <div className="mx-auto flex max-w-5xl flex-wrap items-end gap-2">
          <h1 className="sr-only">Chat</h1>
          <ModelBar options={options} model={model} second={second} onChange={(changes) => changeSearch(changes)} />
          <button type="button" className="button" disabled={conversation.length === 0} onClick={clear}>
            <Eraser aria-hidden size={14} /> Clear
          </button>
          {!waiting && hasReply(conversation) && (
            <Link href="/scenarios/new?from=chat" className="button">
              <BookmarkPlus aria-hidden size={14} /> Save as scenario
            </Link>
          )}
        </div>
      </header>
      <div
        ref={box}
        className="min-h-0 flex-1 overflow-y-auto print:overflow-visible px-4 py-4 sm:px-6"
        tabIndex={0}
        role="region"
        aria-label="Conversation"
      >
        <div
          className="mx-auto grid max-w-5xl grid-cols-[minmax(0,1fr)] gap-6"
          aria-live="polite"
          // Screen readers announce a reply when it is complete.
          aria-busy={waiting}
        >
          {studioError && <FailedNotice error={studioError} />}
          {conversation.length === 0 && (
            <ChatEmpty pending={pending} models={models.length} onRestore={cleared.length > 0 ? restore : null} />
          )}
          {conversation.map((exchange) => (
            <ExchangeCard
              key={exchange.id}
              exchange={exchange}
              options={options}
              onResend={resend}
              onRetry={retry}
              onDecide={session.decide}
            />
          ))}
        </div>
      </div>
      <Composer
        input={input}
        ready={models.length > 0}
        waiting={waiting}
        onSend={(message) => send(message)}
        onStop={session.stop}
      />
    </div>
  );
}

interface ChatEmptyProps {
  readonly pending: boolean;
  readonly models: number;
  /** Null when nothing was cleared. */
  readonly onRestore: (() => void) | null;
}

function ChatEmpty({ pending, models, onRestore }: ChatEmptyProps) {
  if (pending) return <Skeleton rows={3} label="Loading models" />;
  return (
    <div className="grid justify-items-center gap-1 py-10 text-center text-soft">
      <p className="font-medium text-ink">{invitation[Math.min(models, 2)]}</p>
      {models < 2 && <p className="text-sm">Add a second model to compare their answers.</p>}
      {onRestore && (
        <button type="button" className="button mt-3" onClick={onRestore}>
          <Undo2 aria-hidden size={14} /> Restore the conversation
        </button>
      )}
    </div>
  );
}

const invitation = ["Choose a model first", "Send a message to start", "Send a message to both models"];

interface ExchangeCardProps {
  readonly exchange: ChatExchange;
  readonly options: readonly ModelOption[];
  /** A stable function, so that typing does not render a long conversation again. */
  readonly onResend: (exchangeId: string, message: string) => void;
  readonly onRetry: (place: AnswerPlace, model: string) => void;
  readonly onDecide: ChatSession["decide"];
}

/** A message and its answers, side by side when two models were asked. */
const ExchangeCard = memo(function ExchangeCard({ exchange, options, onResend, onRetry, onDecide }: ExchangeCardProps) {
  const columns = exchange.answers.length > 1 ? "md:grid-cols-2" : "";
  return (
    <article className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <UserMessageCard
        exchangeId={exchange.id}
        text={exchange.message}
        onResend={(message) => onResend(exchange.id, message)}
      />
      <div className={`grid grid-cols-[minmax(0,1fr)] gap-3 ${columns}`}>
        {exchange.answers.map((answer, column) => (
          <AnswerCard
            key={column}
            answer={answer}
            name={options.find((option) => option.id === answer.model)?.label ?? answer.model}
            onRetry={() => onRetry({ exchangeId: exchange.id, column }, answer.model)}
            onDecide={(decisions) => onDecide({ exchangeId: exchange.id, column }, decisions)}
          />
        ))}
      </div>
    </article>
  );
});

/** Distance in pixels that still counts as the end. */
const near = 80;

interface StickToEnd {
  readonly content: unknown;
  /** Number of messages sent: a new one scrolls to the end in any case. */
  readonly count: number;
}

/** Keeps a box scrolled to its end while its content grows or it shrinks, unless the user has scrolled up. */
function useStickToEnd(box: RefObject<HTMLElement | null>, { content, count }: StickToEnd): void {
  const sticking = useRef(true);
  useLayoutEffect(() => {
    sticking.current = true;
  }, [count]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let top = element.scrollTop;
    const onScroll = (): void => {
      const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < near;
      // The event may be late: a box that shrank since is off its end without a scroll by the user.
      sticking.current = atEnd || (sticking.current && element.scrollTop >= top);
      top = element.scrollTop;
    };
    const resized = new ResizeObserver(() => sticking.current && toEnd(element));
    element.addEventListener("scroll", onScroll, { passive: true });
    resized.observe(element);
    return () => {
      element.removeEventListener("scroll", onScroll);
      resized.disconnect();
    };
  }, [box]);

  useLayoutEffect(() => {
    if (sticking.current && box.current) toEnd(box.current);
  }, [box, content]);
}

const toEnd = (element: HTMLElement): void => element.scrollTo({ top: element.scrollHeight });
