import { Ban, CircleCheck, CircleDashed, CircleX, Hourglass, Loader, type LucideIcon } from "lucide-react";
import type { RunState } from "../../src/contract/run-state.ts";

const looks: Record<RunState, { icon: LucideIcon; className: string }> = {
  queued: { icon: Hourglass, className: "text-soft" },
  running: { icon: Loader, className: "text-accent" },
  cancelling: { icon: CircleDashed, className: "text-warn" },
  completed: { icon: CircleCheck, className: "text-good" },
  failed: { icon: CircleX, className: "text-bad" },
  cancelled: { icon: Ban, className: "text-soft" },
};

export function RunStateBadge({ state }: { state: RunState }) {
  const { icon: Icon, className } = looks[state] ?? looks.queued;
  return (
    <span className={`inline-flex items-center gap-1 text-sm whitespace-nowrap ${className}`}>
      <Icon aria-hidden size={14} className={state === "running" ? "animate-spin" : ""} />
      {state}
    </span>
  );
}
