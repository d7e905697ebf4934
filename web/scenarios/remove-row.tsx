import { X } from "lucide-react";
import { leaveRow } from "../parts/leave-row.ts";

interface RemoveRowProps {
  readonly label: string;
  /** Where another row takes the place of this one, the focus stays on its button. */
  readonly last: boolean;
  readonly onRemove: () => void;
}

/** Takes away its row. */
export function RemoveRow({ label, last, onRemove }: RemoveRowProps) {
  return (
    <button
      type="button"
      className="button button-quiet"
      aria-label={label}
      onClick={(event) => {
        if (last) leaveRow(event.currentTarget);
        onRemove();
      }}
    >
      <X aria-hidden size={14} />
    </button>
  );
}
