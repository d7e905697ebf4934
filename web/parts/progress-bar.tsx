import type { Progress } from "../../src/contract/schemas/run.ts";
import { formatInteger } from "./format.ts";

export function ProgressBar({ progress }: { progress: Progress }) {
  const { interactions_done: done, interactions_total: total } = progress;
  const share = total === 0 ? 0 : done / total;
  return (
    <span className="flex items-center gap-2 text-sm tabular-nums">
      <span
        role="progressbar"
        aria-label="Turns done"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
        className="h-2 w-20 shrink-0 overflow-hidden rounded-full bg-sunken ring-1 ring-line ring-inset"
      >
        <span className="block h-full bg-accent transition-[width]" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="whitespace-nowrap text-soft">
        {formatInteger(done)} of {formatInteger(total)}
      </span>
    </span>
  );
}
