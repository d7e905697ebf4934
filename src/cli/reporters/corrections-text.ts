import { formatFigure } from "../../base/numbers.ts";
import type { RunComparison } from "../../contract/schemas/comparison.ts";
import type { Corrections } from "../../contract/schemas/judging/human-verdict.ts";

/** The corrected mean of each score, with the judge's own, and the replies to label next. */
export function correctionLines({ scores, notes, label_next }: Corrections): string[] {
  const next = new Map(label_next.map(({ question, replies }) => [question, replies]));
  return [
    ...scores.flatMap(({ score, sentence, misclassification }) => [
      "",
      `${score}: ${sentence}`,
      ...(misclassification
        ? [
            `  By the judge's error rates ${figure(misclassification)}: it finds ${percent(misclassification.sensitivity)} of the good and ${percent(misclassification.specificity)} of the bad replies.`,
          ]
        : []),
      ...nextLine(next.get(score)),
    ]),
    ...notes,
  ];
}

const shownNext = 5;

function nextLine(replies: Corrections["label_next"][number]["replies"] = []): string[] {
  if (replies.length === 0) return [];
  const shown = replies
    .slice(0, shownNext)
    .map(({ scenario_id, attempt, turn_index }) => `${scenario_id} (attempt ${attempt}, turn ${turn_index + 1})`);
  const more = replies.length > shownNext ? ` and ${replies.length - shownNext} more` : "";
  return [`  Label next: ${shown.join(", ")}${more} (rehearsal verdicts next writes them to a file).`];
}

/** The differences of two runs by people's standards, and their win rate, one sentence each. */
export function correctedComparison({
  corrected = [],
  win_rate,
}: Pick<RunComparison, "corrected" | "win_rate">): string[] {
  return [
    ...corrected.map(({ score, sentence }) => `${score}: ${sentence}`),
    ...(win_rate ? [`win rate of the candidate: ${win_rate.sentence}`] : []),
  ];
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

const figure = ({
  mean,
  ci_lower,
  ci_upper,
}: {
  mean: number | null;
  ci_lower: number | null;
  ci_upper: number | null;
}): string => `${formatFigure(mean ?? 0)} (${formatFigure(ci_lower ?? 0)} to ${formatFigure(ci_upper ?? 0)})`;
