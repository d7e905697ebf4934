import { CircleAlert, CircleCheck, CircleMinus, CircleX, type LucideIcon } from "lucide-react";
import type { Outcome } from "../../src/contract/schemas/outcome.ts";

const looks: Record<Outcome, { icon: LucideIcon; words: string; className: string }> = {
  passed: { icon: CircleCheck, words: "passed", className: "text-good" },
  failed: { icon: CircleX, words: "failed", className: "text-bad" },
  errored: { icon: CircleAlert, words: "request failed", className: "text-bad" },
  unscored: { icon: CircleMinus, words: "not scored", className: "text-soft" },
};

export const outcomeWords = (outcome: Outcome): string => looks[outcome].words;

export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  const { icon: Icon, words, className } = looks[outcome];
  return (
    <span className={`inline-flex items-center gap-1 text-sm font-medium whitespace-nowrap ${className}`}>
      <Icon aria-hidden size={14} />
      {words}
    </span>
  );
}
