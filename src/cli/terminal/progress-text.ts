import { scoreText } from "../../formats/export/results/report-text.ts";
import type { ProgressFigures } from "../eval/progress.ts";
import { durationText, spentText } from "./figures.ts";

/** `67/120 turns  2 failed  overall 0.842  $0.21  ETA 0:41` */
export function progressText({ turns, done, failed, overall, spent, remainingMs }: ProgressFigures): string {
  return [
    `${done}/${turns} turns`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(overall === null ? [] : [`overall ${scoreText(overall)}`]),
    ...(spent === null ? [] : [spentText(spent)]),
    ...(remainingMs === null || done >= turns ? [] : [`ETA ${durationText(remainingMs)}`]),
  ].join("  ");
}
