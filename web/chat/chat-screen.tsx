import { compact } from "../../src/base/compact.ts";
import { BookmarkPlus, History, MessageSquarePlus, Trash2, Undo2 } from "lucide-react";
import {
  memo,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type RefObject,
} from "react";
import { Link } from "wouter";
import { askAgent, resumeAnswer } from "../api/agent.ts";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { useEvent, useKeys } from "../parts/browser/events.ts";
import { onStored } from "../parts/browser/storage.ts";
import { ModalDialog } from "../parts/screen/dialogs.tsx";
import { Menu, MenuItem } from "../parts/screen/menu.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Skeleton } from "../parts/screen/screen.tsx";
import { formatAgo, formatCount } from "../parts/text/format.ts";
import { AnswerCard } from "./answer-card.tsx";
import { listChats, loadChat, removeChat, storeChat, type StoredChat } from "./chat-history.ts";
import { createChatSession, type AnswerPlace, type PageChat } from "./chat-session.ts";
import {
  hasReply,
  isWaiting,
  loadConversation,
  saveConversation,
  type ChatConversation,
  type ChatExchange,
} from "./conversation.ts";
import { chatSettings, toAgentSettings } from "./chat-settings.ts";
import { SettingsPanel } from "./settings-panel.tsx";
import { Composer, UserMessageCard } from "./messages.tsx";
import { rememberModel, type ModelOption } from "./model-options.ts";
import { ModelBar } from "./model-picker.tsx";
import { useModels } from "./use-models.ts";

/** One session for the page, so that answers continue while another screen is shown. */
const session = createChatSession({
  first: loadConversation(),
  ask: askAgent,
  resume: resumeAnswer,
  save(conversation) {
    saveConversation(conversation);
    if (!isWaiting(conversation)) storeChat(conversation);
  },
  settings: () => toAgentSettings(chatSettings()),
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
  const begin = (): void => {
    setCleared(conversation);
    session.clear();
    input.current?.focus();
  };
  const open = (id: string): void => {
    session.restore(loadChat(id));
    input.current?.focus();
  };
  const restore = (): void => {
    session.restore(cleared);
    input.current?.focus();
  };
  const send = (message: string, from?: string): void => {
    // The model remembered last is the default of the next chat.
    models.toReversed().forEach(rememberModel);
    session.send(message, compact({ models, from }));
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
  useKeys(compact({ Escape: waiting ? session.stop : undefined }));
  useFocusOnOpen(input);
  useStickToEnd(box, { content: conversation, count: conversation.length });

  return (
    <div className="fills-window flex flex-col">
      <title>Chat · Rehearsal</title>
      <header className="border-b border-line bg-surface px-4 py-3 sm:px-6">
        <div className="mx-auto flex max-w-5xl flex-wrap items-end gap-2">
          <h1 className="sr-only">Chat</h1>
          <ModelBar options={options} model={model} second={second} onChange={(changes) => changeSearch(changes)} />
          <button type="button" className="button" disabled={conversation.length === 0} onClick={begin}>
            <MessageSquarePlus aria-hidden size={14} /> New chat
          </button>
          <HistoryMenu current={conversation[0]?.id} onOpen={open} />
          {!waiting && hasReply(conversation) && (
            <Link href="/scenarios/new?from=chat" className="button">
              <BookmarkPlus aria-hidden size={14} /> Save as scenario
            </Link>
          )}
          <SettingsPanel />
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

/** Puts the keyboard into the message field, after the shell has focused the screen. A phone would open its keyboard. */
function useFocusOnOpen(input: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (!matchMedia("(pointer: fine)").matches) return;
    const timer = setTimeout(() => input.current?.focus({ preventScroll: true }), 0);
    return () => clearTimeout(timer);
  }, [input]);
}

/** Earlier conversations of this browser. */
function HistoryMenu({ current, onOpen }: { current: string | undefined; onOpen: (id: string) => void }) {
  const index = useSyncExternalStore(onStored, () => localStorage.getItem("rehearsal.chats") ?? "");
  const chats = useMemo(() => (index === "" ? [] : listChats()), [index]);
  const [managing, setManaging] = useState(false);
  if (chats.length === 0) return null;
  return (
    <>
      <Menu
        label="History"
        trigger={
          <>
            <History aria-hidden size={14} /> <span className="max-sm:sr-only">History</span>
          </>
        }
      >
        {chats.slice(0, 15).map(({ id, title, at }) => (
          <MenuItem
            key={id}
            note={formatAgo(new Date(at).toISOString(), Date.now())}
            disabled={id === current}
            onSelect={() => onOpen(id)}
          >
            <span className="max-w-72 truncate">{title}</span>
          </MenuItem>
        ))}
        <MenuItem icon={Trash2} onSelect={() => setManaging(true)}>
          All conversations …
        </MenuItem>
      </Menu>
      {managing && (
        <HistoryDialog
          chats={chats}
          onOpen={(id) => {
            setManaging(false);
            onOpen(id);
          }}
          onClose={() => setManaging(false)}
        />
      )}
    </>
  );
}

interface HistoryDialogProps {
  readonly chats: readonly StoredChat[];
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}

function HistoryDialog({ chats, onOpen, onClose }: HistoryDialogProps) {
  return (
    <ModalDialog title="Conversations" onClose={onClose} wide>
      <p className="text-sm text-soft">
        Kept in this browser. The runs behind them are under{" "}
        <Link href="/agents" className="link" onClick={onClose}>
          Agent
        </Link>
        .
      </p>
      <ul className="grid max-h-[60vh] divide-y divide-line overflow-y-auto">
        {chats.map(({ id, title, at, turns }) => (
          <li key={id} className="flex items-center gap-3 py-1.5">
            <button
              type="button"
              className="link min-w-0 flex-1 cursor-pointer truncate text-left"
              onClick={() => onOpen(id)}
            >
              {title}
            </button>
            <span className="text-sm whitespace-nowrap text-soft tabular-nums">
              {formatCount(turns, "turn")} · {formatAgo(new Date(at).toISOString(), Date.now())}
            </span>
            <button
              type="button"
              className="button button-quiet"
              aria-label={`Delete ${title}`}
              onClick={() => removeChat(id)}
            >
              <Trash2 aria-hidden size={14} />
            </button>
          </li>
        ))}
      </ul>
    </ModalDialog>
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
  readonly onDecide: PageChat["decide"];
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
            scenarioPath={`/scenarios/new?${new URLSearchParams({ from: "chat", turn: exchange.id, column: String(column) }).toString()}`}
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
