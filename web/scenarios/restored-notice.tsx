import { History } from "lucide-react";

/** Says that what is shown was written earlier and is not saved. */
export function RestoredNotice({ onStartOver }: { onStartOver: () => void }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg bg-accent-ground p-3 text-sm text-accent"
    >
      <History aria-hidden size={16} className="shrink-0" />
      <p className="min-w-0 flex-1 basis-60">What you wrote here earlier is back. It is not saved yet.</p>
      <button type="button" className="button" onClick={onStartOver}>
        Start over
      </button>
    </div>
  );
}
