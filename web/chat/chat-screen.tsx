import { Eraser } from "lucide-react";
import { useEffect, useRef } from "react";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { useEvent } from "../parts/use-event.ts";
import { changeSearch, useSearchState } from "../parts/use-search-state.ts";
import { ChatEmpty } from "./chat-empty.tsx";
import { Composer } from "./composer.tsx";
import { isWaiting } from "./conversation.ts";
import { ExchangeCard } from "./exchange-card.tsx";
import { ModelBar } from "./model-bar.tsx";
import { useChat } from "./use-chat.ts";
import { useModels } from "./use-models.ts";

/** `?model=` and `?second=` name the models; the conversation itself stays in this tab. */
export default function ChatScreen() {
  const [params] = useSearchState();
  const { options, pending, studioError } = useModels();
  const chat = useChat();
  const end = useRef<HTMLDivElement>(null);
  const model = params.get("model") ?? options[0]?.id ?? "";
  const second = params.get("second");
  const models = [model, ...(second === null ? [] : [second])].filter((id) => id !== "");
  const waiting = isWaiting(chat.conversation);
  const resend = useEvent((from: string, message: string) => chat.send(message, { models, from }));
  useEffect(() => {
    void end.current?.scrollIntoView({ block: "end" });
  }, [chat.conversation]);

  return (
    <div className="flex h-[calc(100dvh-3.25rem)] flex-col sm:h-dvh">
      <title>Chat · Rehearsal</title>
      <header className="border-b border-line bg-surface px-4 py-3 sm:px-6">
        <div className="mx-auto flex max-w-5xl flex-wrap items-end gap-3">
          <h1 className="sr-only">Chat</h1>
          <ModelBar options={options} model={model} second={second} onChange={(changes) => changeSearch(changes)} />
          <button type="button" className="button" disabled={chat.conversation.length === 0} onClick={chat.clear}>
            <Eraser aria-hidden size={14} /> Clear
          </button>
        </div>
      </header>
      <div
        className="min-h-0 flex-1 overflow-y-auto px-4 py-4 sm:px-6"
        tabIndex={0}
        role="region"
        aria-label="Conversation"
      >
        <div className="mx-auto grid max-w-5xl grid-cols-[minmax(0,1fr)] gap-6" aria-live="polite">
          {studioError && <FailedNotice error={studioError} />}
          {chat.conversation.length === 0 && <ChatEmpty pending={pending} hasModel={model !== ""} />}
          {chat.conversation.map((exchange) => (
            <ExchangeCard key={exchange.id} exchange={exchange} options={options} onResend={resend} />
          ))}
          <div ref={end} />
        </div>
      </div>
      <Composer
        ready={models.length > 0}
        waiting={waiting}
        onSend={(message) => chat.send(message, { models })}
        onStop={chat.stop}
      />
    </div>
  );
}
