import { BookmarkPlus, Eraser } from "lucide-react";
import { useRef, useState } from "react";
import { Link } from "wouter";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { useEvent } from "../parts/use-event.ts";
import { useKeys } from "../parts/use-keys.ts";
import { changeSearch, useSearchState } from "../parts/use-search-state.ts";
import { useStickToEnd } from "../parts/use-stick-to-end.ts";
import { ChatEmpty } from "./chat-empty.tsx";
import type { AnswerPlace } from "./chat-session.ts";
import { Composer } from "./composer.tsx";
import { hasReply, isWaiting, type Conversation } from "./conversation.ts";
import { ExchangeCard } from "./exchange-card.tsx";
import { ModelBar } from "./model-bar.tsx";
import { rememberModel } from "./recent-models.ts";
import { useChat } from "./use-chat.ts";
import { useModels } from "./use-models.ts";

/** `?model=` and `?second=` name the models; the conversation itself stays in this tab. */
export default function ChatScreen() {
  const [params] = useSearchState();
  const { options, pending, studioError } = useModels();
  const chat = useChat();
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const model = params.get("model") ?? options[0]?.id ?? "";
  const second = params.get("second");
  const models = [model, ...(second === null ? [] : [second])].filter((id) => id !== "");
  const waiting = isWaiting(chat.conversation);
  const [cleared, setCleared] = useState<Conversation>([]);
  const clear = (): void => {
    setCleared(chat.conversation);
    chat.clear();
    // The button cannot be pressed any more.
    input.current?.focus();
  };
  const restore = (): void => {
    chat.restore(cleared);
    input.current?.focus();
  };
  const send = (message: string, from?: string): void => {
    // The last one remembered is the one a new chat begins with.
    models.toReversed().forEach(rememberModel);
    chat.send(message, { models, ...(from !== undefined && { from }) });
  };
  const resend = useEvent((from: string, message: string) => {
    send(message, from);
    // What was pressed goes away with the old answer.
    input.current?.focus();
  });
  const retry = useEvent((place: AnswerPlace, asked: string) => {
    const chosen = models[place.column] ?? asked;
    rememberModel(chosen);
    chat.retry(place, chosen);
  });
  useKeys({ ...(waiting && { Escape: chat.stop }) });
  useStickToEnd(box, { content: chat.conversation, count: chat.conversation.length });

  return (
    <div className="flex h-[calc(100dvh-3.25rem)] flex-col sm:h-dvh print:h-auto">
      <title>Chat · Rehearsal</title>
      <header className="border-b border-line bg-surface px-4 py-3 sm:px-6">
        <div className="mx-auto flex max-w-5xl flex-wrap items-end gap-2">
          <h1 className="sr-only">Chat</h1>
          <ModelBar options={options} model={model} second={second} onChange={(changes) => changeSearch(changes)} />
          <button type="button" className="button" disabled={chat.conversation.length === 0} onClick={clear}>
            <Eraser aria-hidden size={14} /> Clear
          </button>
          {!waiting && hasReply(chat.conversation) && (
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
          // A reply is read out once it is whole, not piece by piece.
          aria-busy={waiting}
        >
          {studioError && <FailedNotice error={studioError} />}
          {chat.conversation.length === 0 && (
            <ChatEmpty pending={pending} models={models.length} onRestore={cleared.length > 0 ? restore : null} />
          )}
          {chat.conversation.map((exchange) => (
            <ExchangeCard
              key={exchange.id}
              exchange={exchange}
              options={options}
              onResend={resend}
              onRetry={retry}
              onDecide={chat.decide}
            />
          ))}
        </div>
      </div>
      <Composer
        input={input}
        ready={models.length > 0}
        waiting={waiting}
        onSend={(message) => send(message)}
        onStop={chat.stop}
      />
    </div>
  );
}
