import { RotateCcw } from "lucide-react";
import { Link } from "wouter";
import { formatInteger } from "../../parts/text/format.ts";
import { rerunPath } from "../../parts/address/paths.ts";
import type { RowFilter } from "./scenario-rows.ts";

/** Repeats a run with the scenarios that a filter shows, such as the failing ones. */
export function RunShownAgain({ runId, filter, count }: { runId: string; filter: RowFilter; count: number }) {
  return (
    <Link href={rerunPath(runId, filter)} className="button">
      <RotateCcw aria-hidden size={14} />
      {count === 1 ? "Run this again" : `Run these ${formatInteger(count)} again`}
    </Link>
  );
}
