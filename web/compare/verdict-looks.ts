import { CircleHelp, Equal, EqualApproximately, TrendingDown, TrendingUp, type LucideIcon } from "lucide-react";
import type { Verdict } from "../../src/contract/schemas/comparison.ts";

interface VerdictLook {
  readonly icon: LucideIcon;
  readonly words: string;
  readonly className: string;
  readonly ground: string;
}

export const verdictLooks: Record<Verdict, VerdictLook> = {
  better: { icon: TrendingUp, words: "better", className: "text-good", ground: "bg-good-ground" },
  worse: { icon: TrendingDown, words: "worse", className: "text-bad", ground: "bg-bad-ground" },
  no_difference_seen: { icon: EqualApproximately, words: "may be chance", className: "text-soft", ground: "bg-sunken" },
  same: { icon: Equal, words: "the same", className: "text-soft", ground: "bg-sunken" },
  undecided: { icon: CircleHelp, words: "cannot tell", className: "text-warn", ground: "bg-warn-ground" },
};
