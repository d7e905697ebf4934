import { Pin, PinOff } from "lucide-react";
import type { Run } from "../../src/contract/schemas/run.ts";
import { runTitle } from "./run-title.ts";
import { useModelName } from "./use-model-name.ts";
import { usePin } from "./use-pin.ts";

/** Makes a run the baseline of its test, or takes that back. */
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
