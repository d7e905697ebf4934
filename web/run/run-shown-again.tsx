import { RotateCcw } from "lucide-react";
import { useLocation } from "wouter";
import { newRunWith } from "../parts/chosen-scenarios.ts";
import { formatInteger } from "../parts/format.ts";

/** Repeats a run with some of its scenarios, as with those that failed. */
export function RunShownAgain({ runId, ids }: { runId: string; ids: readonly string[] }) {
  const [, navigate] = useLocation();
  return (
    <button type="button" className="button" onClick={() => navigate(newRunWith(ids, { from: runId }))}>
      <RotateCcw aria-hidden size={14} />
      {ids.length === 1 ? "Run this one again" : `Run these ${formatInteger(ids.length)} again`}
    </button>
  );
}
