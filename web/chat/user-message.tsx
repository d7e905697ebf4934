import { Pencil } from "lucide-react";
import { useRef, useState } from "react";
import { directionClass } from "../parts/long-text.ts";
import { VerbatimText } from "../parts/verbatim-text.tsx";

/** What the user said; editing it sends it again and drops what came after. */
export function UserMessage({ text, onResend }: { text: string; onResend: (message: string) => void }) {
  const [draft, setDraft] = useState<string | null>(null);
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
          onClick={() => setDraft(text)}
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
        autoFocus
        dir="auto"
        aria-label="Edit message"
        className={`field field-sizing-content ${directionClass(draft)}`}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && leave()}
      />
      <span className="flex justify-end gap-2">
        <button type="button" className="button" onClick={leave}>
          Keep as it was
        </button>
        <button className="button button-primary" disabled={draft.trim() === ""}>
          Send again
        </button>
      </span>
    </form>
  );
}
