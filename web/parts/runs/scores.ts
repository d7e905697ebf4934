import type { AttemptResult } from "../../../src/contract/schemas/evaluation-response.ts";
import { attemptOutcome, type Outcome } from "../../../src/contract/schemas/outcome.ts";
import { checkNames } from "../../../src/contract/schemas/score-names.ts";
import type { TurnCheck } from "../../../src/contract/schemas/scorer-setting.ts";

/** `waiting`: no turn is stored yet. `unfinished`: some turns are stored. */
export type AttemptStatus = Outcome | "waiting" | "unfinished";

/** Classifies an attempt by its average score; a turn without a reply makes it `errored`, not `failed`. */
export function classifyAttempt(attempt: AttemptResult, threshold: number): AttemptStatus {
  if (attempt.interactions.length === 0) return "waiting";
  if (attempt.unfinished) return "unfinished";
  if (attempt.user?.failure) return "simulator_failed";
  if (attempt.interactions.some((turn) => turn.error)) return "errored";
  return attemptOutcome(attempt.average_scores, threshold);
}

/** Sorts `overall` and `success` first, the rest by name. */
export const compareScoreNames = (left: string, right: string): number =>
  rank(left) - rank(right) || left.localeCompare(right);

const rank = (name: string): number => {
  const place = ["overall", "success"].indexOf(name);
  return place === -1 ? 2 : place;
};

/** The rubrics of a turn by the name of their score. */
export function rubricsByScore(checks: readonly TurnCheck[] = []): ReadonlyMap<string, string> {
  const rubrics = checks.filter((check) => check.type === "rubric");
  const names = checkNames(rubrics);
  return new Map(rubrics.map(({ text }, index) => [names[index] ?? "rubric", text]));
}

const knownLabels: Readonly<Record<string, string>> = {
  success: "replies",
  rouge_l: "ROUGE-L",
  token_f1: "token F1",
  chrf: "chrF",
};

/** `metadata.intent` → "intent label", `edit_similarity` → "edit similarity". */
export const scoreLabel = (name: string): string =>
  name.startsWith("metadata.")
    ? `${name.slice("metadata.".length)} label`
    : (knownLabels[name] ?? name.replaceAll("_", " "));
