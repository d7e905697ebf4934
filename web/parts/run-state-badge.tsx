import { Ban, CircleCheck, CircleDashed, CirclePause, CircleX, Hourglass, Loader, type LucideIcon } from "lucide-react";
import type { Run, RunState } from "../../src/contract/schemas/run.ts";

interface Look {
  readonly icon: LucideIcon;
  readonly className: string;
}

const looks: Record<RunState, Look> = {
  queued: { icon: Hourglass, className: "text-soft" },
  running: { icon: Loader, className: "text-accent" },
  cancelling: { icon: CircleDashed, className: "text-warn" },
  completed: { icon: CircleCheck, className: "text-good" },
  failed: { icon: CircleX, className: "text-bad" },
  cancelled: { icon: Ban, className: "text-soft" },
};

const interruptedLook: Look = { icon: CirclePause, className: "text-warn" };

/** The state of a run; of one that nobody carries out any more it says so instead. */
export function RunStateBadge({ run: { state, interrupted = false } }: { run: Pick<Run, "state" | "interrupted"> }) {
  const { icon: Icon, className } = interrupted ? interruptedLook : (looks[state] ?? looks.queued);
  return (
    <span className={`inline-flex items-center gap-1 text-sm whitespace-nowrap ${className}`}>
      <Icon aria-hidden size={14} className={state === "running" && !interrupted ? "animate-spin" : ""} />
      {interrupted ? "interrupted" : state}
    </span>
  );
}
