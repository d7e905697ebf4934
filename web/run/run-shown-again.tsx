import { RotateCcw } from "lucide-react";
import { Link } from "wouter";
import { formatInteger } from "../parts/format.ts";
import { shownAgainPath } from "../parts/paths.ts";
import type { RowFilter } from "./row-filter.ts";

/** Repeats a run with the scenarios that a filter shows, as with those that failed. */
export function RunShownAgain({ runId, filter, count }: { runId: string; filter: RowFilter; count: number }) {
  return (
    <Link href={shownAgainPath(runId, filter)} className="button">
      <RotateCcw aria-hidden size={14} />
      {count === 1 ? "Run this one again" : `Run these ${formatInteger(count)} again`}
    </Link>
  );
}
