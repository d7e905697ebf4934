import { Pencil, SendHorizontal, Square } from "lucide-react";
import { useRef, type KeyboardEvent, type MouseEvent, type RefObject } from "react";
import { directionClass } from "../parts/text/long-text.ts";
import { VerbatimText } from "../parts/text/verbatim-text.tsx";
import { useEditedText, useUnsentText } from "./drafts.ts";

interface ComposerProps {
  readonly input: RefObject<HTMLTextAreaElement | null>;
  readonly ready: boolean;
  readonly waiting: boolean;
  readonly onSend: (message: string) => void;
  readonly onStop: () => void;
}

const doubleClickMilliseconds = 400;

export function Composer({ input, ready, waiting, onSend, onStop }: ComposerProps) {
  const [text, setText] = useUnsentText();
  const pressedAt = useRef(-Infinity);
  const sendable = ready && !waiting && text.trim() !== "";

  const send = (): void => {
    if (!sendable) return;
    onSend(text);
    setText("");
  };
  const stop = (event: MouseEvent): void => {
    // The second click of a double click on Send hits Stop, which has replaced it.
    if (performance.now() - pressedAt.current < doubleClickMilliseconds) return input.current?.focus();
    // The button disappears; keyboard users continue in the message field.
    if (event.detail === 0) input.current?.focus();
    onStop();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && waiting) onStop();
    if (!isSendKey(event)) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      className="no-print border-t border-line bg-surface px-4 py-3 sm:px-6"
      onSubmit={(event) => {
        event.preventDefault();
        pressedAt.current = performance.now();
        input.current?.focus();
        send();
      }}
    >
      <div className="mx-auto flex max-w-5xl items-end gap-2">
        <textarea
          ref={input}
          dir="auto"
          className={`field field-sizing-content max-h-48 min-h-10 resize-none ${directionClass(text)}`}
          rows={1}
          aria-label="Message"
          placeholder="Message"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {waiting ? (
          <button type="button" className="button button-danger h-10" onClick={stop}>
            <Square aria-hidden size={14} /> Stop
          </button>
        ) : (
          <button className="button button-primary h-10" disabled={!sendable}>
            <SendHorizontal aria-hidden size={14} /> Send
          </button>
        )}
      </div>
    </form>
  );
}

interface UserMessageProps {
  readonly exchangeId: string;
  readonly text: string;
  readonly onResend: (message: string) => void;
}

/** A sent message. Editing sends it again and removes the exchanges after it. */
export function UserMessageCard({ exchangeId, text, onResend }: UserMessageProps) {
  const [draft, setDraft] = useEditedText(exchangeId);
  /** Set when editing starts, so that a restored draft does not take the focus. */
  const beginning = useRef(false);
  /** Set when editing is cancelled: the edit button takes the focus back. */
  const leaving = useRef(false);
  const leave = (): void => {
    leaving.current = true;
    setDraft(null);
  };
  const takeFocusBack = (button: HTMLButtonElement | null): void => {
    if (button && leaving.current) button.focus();
    leaving.current = false;
  };
  if (draft === null) {
    return (
      <div className="flex items-start justify-end gap-1">
        <button
          ref={takeFocusBack}
          type="button"
          className="button button-quiet"
          aria-label="Edit message"
          onClick={() => {
            beginning.current = true;
            setDraft(text);
          }}
        >
          <Pencil aria-hidden size={14} />
        </button>
        <div className="grid max-w-[85%] grid-cols-[minmax(0,1fr)] gap-2 rounded-lg bg-accent-ground px-3 py-2">
          <VerbatimText text={text} />
        </div>
      </div>
    );
  }
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.trim() === "") return;
        setDraft(null);
        onResend(draft);
      }}
    >
      <textarea
        autoFocus={beginning.current}
        dir="auto"
        aria-label="Edit message"
        className={`field field-sizing-content ${directionClass(draft)}`}
        value={draft}
        onFocus={({ currentTarget: field }) => field.setSelectionRange(field.value.length, field.value.length)}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") leave();
          if (!isSendKey(event)) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      <span className="flex justify-end gap-2">
        <button type="button" className="button" onClick={leave}>
          Cancel
        </button>
        <button className="button button-primary" disabled={draft.trim() === ""}>
          Send again
        </button>
      </span>
    </form>
  );
}

/** Enter sends, Shift + Enter starts a new line. Input methods use Enter too; Safari marks that only by key code 229. */
const isSendKey = ({ key, shiftKey, nativeEvent, keyCode }: KeyboardEvent): boolean =>
  key === "Enter" && !shiftKey && !nativeEvent.isComposing && keyCode !== 229;
