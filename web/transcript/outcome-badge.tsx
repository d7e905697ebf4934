import { CircleAlert, CircleCheck, CircleMinus, CircleX, type LucideIcon } from "lucide-react";
import type { Outcome } from "../../src/contract/schemas/outcome.ts";

const outcomeStyles: Record<Outcome, { icon: LucideIcon; label: string; className: string }> = {
  passed: { icon: CircleCheck, label: "passed", className: "text-good" },
  failed: { icon: CircleX, label: "failed", className: "text-bad" },
  errored: { icon: CircleAlert, label: "request failed", className: "text-infra" },
  unscored: { icon: CircleMinus, label: "not judged", className: "text-soft" },
  simulator_failed: { icon: CircleMinus, label: "simulated user failed", className: "text-warn" },
};

export const outcomeLabel = (outcome: Outcome): string => outcomeStyles[outcome].label;

export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  const { icon: Icon, label, className } = outcomeStyles[outcome];
  return (
    <span className={`inline-flex items-center gap-1 text-sm font-medium whitespace-nowrap ${className}`}>
      <Icon aria-hidden size={14} />
      {label}
    </span>
  );
}
