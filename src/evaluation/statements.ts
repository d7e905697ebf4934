import { reaches } from "../base/numbers.ts";
import type { StoredScores } from "../contract/schemas/interaction-result.ts";
import { defaultThreshold } from "../contract/schemas/outcome.ts";
import type { Interaction } from "../contract/schemas/scenario.ts";
import { checkNames } from "../contract/schemas/scores/score-names.ts";
import { sameTextMethod } from "./labels/same-text.ts";
import type { GivenScore } from "../scoring/scorers/scorer.ts";
import type { Scoring } from "./scoring.ts";
import { checkVerdicts, requiredChecks } from "./tools/required-checks.ts";

interface TurnStatements {
  readonly interaction: Interaction;
  /** Every score of the turn, those without a value too. */
  readonly scores: readonly GivenScore[];
  readonly label_sources: StoredScores["label_sources"];
  readonly scoring: Scoring;
}

/**
 * The statements of the scenario about a turn, by score: each was seen to hold, was seen not to, or is undecided. Checks,
 * expected labels, expected tool calls, the judge and the caller's scorers state something; similarity to a reference does not.
 */
export function statedOf({
  interaction,
  scores,
  label_sources,
  scoring,
}: TurnStatements): NonNullable<StoredScores["stated"]> {
  const byName = new Map(scores.map((score) => [score.name, score]));
  const measured = {
    scores: Object.fromEntries(scores.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]))),
    score_reasons: {},
  };
  const stated = new Map<string, boolean | null>();

  const checks = scoring.settings.filter((setting) => typeof setting !== "string");
  const names = checkNames(scoring.settings).filter((name) => name !== null);
  const verdicts = [
    ...checkVerdicts(checks, { names, scores: measured }),
    ...requiredChecks({ interaction, scores: measured, scorers: scoring.settings }),
  ];
  for (const { name, passed } of verdicts) stated.set(name, passed);

  if (scoring.scorers.includes("metadata_match")) {
    for (const key of Object.keys(interaction.reference_metadata)) {
      const score = byName.get(`metadata.${key}`);
      if (!score) continue;
      const source = label_sources[key];
      // The built-in labeller guesses by words that are alike. Only a text equal to a labelled one is certain.
      const isGuess = source?.source === "local" && source.method !== sameTextMethod;
      stated.set(score.name, isGuess || score.value === null ? null : score.value === 1);
    }
  }
  const graded = ["judge_correctness", "judge_rubrics", ...scoring.custom.map(({ name }) => name), ...scoring.unknown];
  for (const name of graded) {
    const score = byName.get(name);
    // Without a value and without a failure there was nothing to judge.
    if (!score || (score.value === null && !score.failed)) continue;
    stated.set(name, score.value === null ? null : reaches(score.value, defaultThreshold));
  }
  return Object.fromEntries(stated);
}
