import { Pin, PinOff } from "lucide-react";
import { useSyncExternalStore, type ReactNode } from "react";
import { Link } from "wouter";
import type { Run } from "../../../src/contract/schemas/run.ts";
import { comparePath } from "../address/paths.ts";
import { effectSign, formatEffect } from "../text/format.ts";
import { notifyStored, onStored } from "../browser/storage.ts";
import { useModelName } from "./model-names.ts";
import { runTitle } from "./run-facts.ts";

/** The run that other runs of the same test are compared with. Stores the score, so that the run need not be loaded. */
interface Baseline {
  readonly runId: string;
  readonly overall: number | null;
}

type Baselines = Readonly<Record<string, Baseline>>;

/** The pinned runs by test name, stored in this browser. */
export const useBaselines = (): Baselines => useSyncExternalStore(onStored, readBaselines, readBaselines);

/** Whether a run is the baseline of its test, and a function to change that. */
export function usePin(run: Run): { pinned: boolean; toggle: () => void } {
  const pinned = useBaselines()[run.test_name]?.runId === run.run_id;
  const overall = run.summary?.average_scores["overall"] ?? null;
  return { pinned, toggle: () => pinBaseline(run.test_name, pinned ? null : { runId: run.run_id, overall }) };
}

export function PinButton({ run }: { run: Run }) {
  const nameOf = useModelName();
  const { pinned, toggle } = usePin(run);
  const Icon = pinned ? PinOff : Pin;
  const label = pinned ? "Unpin the baseline" : "Pin as baseline";
  return (
    <button
      type="button"
      className="button button-quiet relative z-1 min-h-6! px-1.5! py-0!"
      aria-label={`${label}: ${runTitle(run, nameOf(run.model_id))}`}
      title={label}
      onClick={toggle}
    >
      <Icon aria-hidden size={14} />
    </button>
  );
}

interface BaselineChangeProps {
  readonly run: Run;
  readonly overall: number | null;
  /** For a column called "Baseline". */
  readonly short?: boolean;
  /** Shown before it, if there is a change. */
  readonly before?: ReactNode;
}

/** The difference from the pinned baseline, green or red by its direction; the linked comparison says whether it may be chance. */
export function BaselineChange({ run, overall, short = false, before }: BaselineChangeProps) {
  const baseline = useBaselines()[run.test_name];
  if (!baseline || baseline.runId === run.run_id || baseline.overall === null || overall === null) return null;
  const change = overall - baseline.overall;
  const sign = effectSign(change);
  return (
    <>
      {before}
      <Link
        href={comparePath({ baseline: baseline.runId, candidate: run.run_id })}
        className={`link relative z-1 whitespace-nowrap ${sign > 0 ? "text-good" : sign < 0 ? "text-bad" : ""}`}
        title="Compare with the baseline"
      >
        {short
          ? `${sign < 0 ? "▼" : sign > 0 ? "▲" : "="} ${formatEffect(change)}`
          : `${formatEffect(change)} vs. baseline`}
      </Link>
    </>
  );
}

/** Unpins deleted runs. */
export function unpinRuns(runIds: readonly string[]): void {
  const remaining = Object.entries(readBaselines()).filter(([, { runId }]) => !runIds.includes(runId));
  writeBaselines(Object.fromEntries(remaining));
}

function pinBaseline(testName: string, baseline: Baseline | null): void {
  const { [testName]: _before, ...others } = readBaselines();
  writeBaselines(baseline ? { ...others, [testName]: baseline } : others);
}

const key = "rehearsal.baselines";
let cache: { text: string | null; value: Baselines } = { text: null, value: parseBaselines(null) };

/** Returns the same object for the same text, as useSyncExternalStore requires. */
function readBaselines(): Baselines {
  const text = localStorage.getItem(key);
  if (text !== cache.text) cache = { text, value: parseBaselines(text) };
  return cache.value;
}

/** The object has no prototype, because a test may be called "constructor". */
function parseBaselines(text: string | null): Baselines {
  const pinned = Object.create(null) as Baselines;
  try {
    return Object.assign(pinned, JSON.parse(text ?? "{}"));
  } catch {
    return pinned;
  }
}

function writeBaselines(baselines: Baselines): void {
  localStorage.setItem(key, JSON.stringify(baselines));
  notifyStored();
}
