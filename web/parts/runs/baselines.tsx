import { Pin, PinOff } from "lucide-react";
import { useSyncExternalStore } from "react";
import type { Run } from "../../../src/contract/schemas/run.ts";
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
export const useBaselines = (): Baselines => useSyncExternalStore(onStored, readBaselines);

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
