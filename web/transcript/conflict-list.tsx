import { TriangleAlert } from "lucide-react";
import type { Conflict } from "../../src/contract/schemas/interaction-result.ts";

/** Points in which the reply contradicts the reference. A warning beside the scores: similar words can say the opposite. */
export function ConflictList({ conflicts }: { conflicts: readonly Conflict[] }) {
  if (conflicts.length === 0) return null;
  return (
    <ul className="grid gap-1 rounded-md bg-warn-ground p-3 text-sm text-warn">
      {conflicts.map((conflict, index) => (
        <li key={index} className="flex items-start gap-2">
          <TriangleAlert aria-hidden size={15} className="mt-0.5 shrink-0" />
          <span className="verbatim">
            <span className="font-semibold">{conflict.kind}</span>: {conflict.message}
          </span>
        </li>
      ))}
    </ul>
  );
}
