import { SendHorizontal, Square } from "lucide-react";
import { useState, type KeyboardEvent, type RefObject } from "react";
import { directionClass } from "../parts/long-text.ts";

interface ComposerProps {
  readonly input: RefObject<HTMLTextAreaElement | null>;
  readonly ready: boolean;
  readonly waiting: boolean;
  readonly onSend: (message: string) => void;
  readonly onStop: () => void;
}

export function Composer({ input, ready, waiting, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("");
  const sendable = ready && !waiting && text.trim() !== "";

  const send = (): void => {
    if (!sendable) return;
    onSend(text);
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && waiting) onStop();
    // While an input method is composing, Enter belongs to it.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      className="no-print border-t border-line bg-surface px-4 py-3 sm:px-6"
      onSubmit={(event) => {
        event.preventDefault();
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
          <button type="button" className="button button-danger h-10" onClick={onStop}>
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
