import { Pencil } from "lucide-react";
import { useRef } from "react";
import { directionClass } from "../parts/long-text.ts";
import { VerbatimText } from "../parts/verbatim-text.tsx";
import { isSendKey } from "./is-send-key.ts";
import { useEditedText } from "./use-edited-text.ts";

interface UserMessageProps {
  readonly exchangeId: string;
  readonly text: string;
  readonly onResend: (message: string) => void;
}

/** What the user said; editing it sends it again and drops what came after. */
export function UserMessage({ exchangeId, text, onResend }: UserMessageProps) {
  const [draft, setDraft] = useEditedText(exchangeId);
  /** Set when editing begins here: what was being edited before the screen was left takes nobody's focus. */
  const beginning = useRef(false);
  /** Set when editing ends without sending: the keyboard goes back to where it began. */
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
