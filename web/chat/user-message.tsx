import { Pencil } from "lucide-react";
import { useState } from "react";

/** What the user said; editing it sends it again and drops what came after. */
export function UserMessage({ text, onResend }: { text: string; onResend: (message: string) => void }) {
  const [draft, setDraft] = useState<string | null>(null);
  if (draft === null) {
    return (
      <div className="flex items-start justify-end gap-1">
        <button type="button" className="button button-quiet" aria-label="Edit message" onClick={() => setDraft(text)}>
          <Pencil aria-hidden size={14} />
        </button>
        <p className="verbatim max-w-[85%] rounded-lg bg-accent-ground px-3 py-2">{text}</p>
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
        aria-label="Edit message"
        className="field field-sizing-content"
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && setDraft(null)}
      />
      <span className="flex justify-end gap-2">
        <button type="button" className="button" onClick={() => setDraft(null)}>
          Keep as it was
        </button>
        <button className="button button-primary" disabled={draft.trim() === ""}>
          Send again
        </button>
      </span>
    </form>
  );
}
