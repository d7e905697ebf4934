import { Pencil } from "lucide-react";
import { useRef, useState } from "react";

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
        <p dir="auto" className="verbatim max-w-[85%] rounded-lg bg-accent-ground px-3 py-2">
          {text}
        </p>
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
        className="field field-sizing-content"
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
