import { Pin, PinOff } from "lucide-react";
import type { Run } from "../../src/contract/run.ts";
import { pinBaseline, useBaselines } from "./baselines.ts";

/** Makes a run the baseline of its test, or takes that back. */
export function PinButton({ run, words = false }: { run: Run; words?: boolean }) {
  const pinned = useBaselines()[run.test_name]?.runId === run.run_id;
  const Icon = pinned ? PinOff : Pin;
  const label = pinned ? "Unpin the baseline" : "Pin as baseline";
  const overall = run.summary?.average_scores["overall"] ?? null;
  return (
    <button
      type="button"
      className={`button relative z-1 ${words ? "" : "button-quiet min-h-6! px-1.5! py-0!"}`}
      aria-label={words ? undefined : `${label}: ${run.test_name}`}
      title={words ? undefined : label}
      onClick={() => pinBaseline(run.test_name, pinned ? null : { runId: run.run_id, overall })}
    >
      <Icon aria-hidden size={14} /> {words && label}
    </button>
  );
}
