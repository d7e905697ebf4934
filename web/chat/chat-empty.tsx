import { Undo2 } from "lucide-react";
import { Skeleton } from "../parts/skeleton.tsx";

interface ChatEmptyProps {
  readonly pending: boolean;
  /** How many models a message would go to. */
  readonly models: number;
  /** Null where nothing was cleared. */
  readonly onRestore: (() => void) | null;
}

/** Before the first message, and after everything was cleared. */
export function ChatEmpty({ pending, models, onRestore }: ChatEmptyProps) {
  if (pending) return <Skeleton rows={3} label="Loading models" />;
  return (
    <div className="grid justify-items-center gap-1 py-10 text-center text-soft">
      <p className="font-medium text-ink">{invitation[Math.min(models, 2)]}</p>
      {models < 2 && <p className="text-sm">Add a second model to see both answer the same message.</p>}
      {onRestore && (
        <button type="button" className="button mt-3" onClick={onRestore}>
          <Undo2 aria-hidden size={14} /> Bring back what was cleared
        </button>
      )}
    </div>
  );
}

const invitation = ["Choose or type a model first.", "Say something to the model.", "Say something to both models."];
