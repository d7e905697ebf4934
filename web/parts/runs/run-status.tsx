import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  FlaskConical,
  Hourglass,
  Loader,
  TriangleAlert,
  type LucideIcon,
} from "lucide-react";
import type { Progress, Run, RunState } from "../../../src/contract/schemas/run.ts";
import type { ScoreStats } from "../../../src/contract/schemas/scores/score.ts";
import { formatCount, formatDuration, formatInteger, formatMargin, formatSample } from "../text/format.ts";
import { failedTurns, replyHealth } from "./run-facts.ts";
import { useNow } from "../text/time.tsx";

interface Look {
  readonly icon: LucideIcon;
  readonly className: string;
}

const looks: Record<RunState, Look> = {
  queued: { icon: Hourglass, className: "text-soft" },
  running: { icon: Loader, className: "text-accent" },
  cancelling: { icon: CircleDashed, className: "text-warn" },
  completed: { icon: CircleCheck, className: "text-soft" },
  failed: { icon: CircleX, className: "text-infra" },
  cancelled: { icon: Ban, className: "text-soft" },
};

const interruptedLook: Look = { icon: CirclePause, className: "text-warn" };

const stoppedLook: Look = { icon: TriangleAlert, className: "text-warn" };

/** A run that has ended says whether its requests were answered. Green and red are left to verdicts. */
const answeredLooks = {
  good: looks.completed,
  fair: { icon: TriangleAlert, className: "text-infra" },
  bad: { icon: CircleX, className: "text-infra" },
} as const satisfies Record<ReturnType<typeof replyHealth>, Look>;

/** The state of a run with what went wrong, or "interrupted" when its process has ended. */
export function RunStateBadge({ run }: { run: Run }) {
  const { state, interrupted = false } = run;
  const { icon: Icon, className } = lookOf(run);
  return (
    <span className={`inline-flex items-center gap-1 text-sm ${className}`}>
      <Icon aria-hidden size={14} className={`shrink-0 ${state === "running" && !interrupted ? "animate-spin" : ""}`} />
      {interrupted ? "interrupted" : stateText(run)}
    </span>
  );
}

const isStoppedByBudget = ({ summary }: Run): boolean => summary?.stopped_by === "budget";

function lookOf(run: Run): Look {
  if (run.interrupted) return interruptedLook;
  if (run.state !== "completed") return looks[run.state] ?? looks.queued;
  const health = replyHealth(run);
  // A run that its budget stopped has not done all that was asked for, even if every request was answered.
  return health === "good" && isStoppedByBudget(run) ? stoppedLook : answeredLooks[health];
}

function stateText(run: Run): string {
  const { state, progress } = run;
  const { failed, of } = failedTurns(run);
  if (state === "completed" && isStoppedByBudget(run)) {
    const turns = `${formatInteger(progress.interactions_done)} of ${formatCount(progress.interactions_total, "turn")}`;
    return `stopped by budget, ${turns}${failed > 0 ? `; ${formatInteger(failed)} failed` : ""}`;
  }
  if (state === "completed" && failed > 0)
    return `completed, ${formatInteger(failed)} of ${formatCount(of, "request")} failed`;
  if (state === "cancelled")
    return `cancelled, ${formatInteger(progress.interactions_done)} of ${formatCount(progress.interactions_total, "turn")} done`;
  return state;
}

/** Marks scripted output, which must not be mistaken for that of a language model. */
export function DemoBadge({ short = false }: { short?: boolean }) {
  return (
    <span
      className="inline-flex items-center gap-1 rounded bg-sunken px-1.5 py-0.5 text-xs font-normal text-soft"
      title="demo: scripted, not a language model"
    >
      <FlaskConical aria-hidden size={12} />
      {short ? "demo" : "demo: scripted, not a language model"}
    </span>
  );
}

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

export function RunDuration({ run }: { run: Run }) {
  const now = useNow(run.finished_at || !run.started_at ? 0 : 1000);
  if (!run.started_at) return <span className="text-faint">–</span>;
  const end = run.finished_at ? Date.parse(run.finished_at) : now;
  return <span className="whitespace-nowrap">{formatDuration(Math.max(0, end - Date.parse(run.started_at)))}</span>;
}

/** A mean with its 95 % confidence interval. */
export function ScoreWithInterval({
  stats,
  size = "small",
}: {
  stats: ScoreStats | undefined;
  size?: "small" | "large";
}) {
  if (!stats || stats.mean === null) return <span className="text-faint">–</span>;
  const { mean, interval } = formatMargin(stats);
  return (
    <span className="whitespace-nowrap tabular-nums" title={`95 % interval, ${formatSample(stats.n)}, ${stats.method}`}>
      <span className="font-semibold">{mean}</span>{" "}
      <span className={`font-normal text-soft ${size === "large" ? "" : "text-sm"}`}>{interval ?? "no interval"}</span>
    </span>
  );
}
