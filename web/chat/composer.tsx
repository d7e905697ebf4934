import { SendHorizontal, Square } from "lucide-react";
import { useRef, type KeyboardEvent, type MouseEvent, type RefObject } from "react";
import { directionClass } from "../parts/long-text.ts";
import { isSendKey } from "./is-send-key.ts";
import { useUnsentText } from "./use-unsent-text.ts";

interface ComposerProps {
  readonly input: RefObject<HTMLTextAreaElement | null>;
  readonly ready: boolean;
  readonly waiting: boolean;
  readonly onSend: (message: string) => void;
  readonly onStop: () => void;
}

/** The second click of a double click comes within this time. */
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
    // A double click on Send has its second click on Stop, which stands there by then.
    if (performance.now() - pressedAt.current < doubleClickMilliseconds) return input.current?.focus();
    // The button goes away: a keyboard goes on from the message.
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
