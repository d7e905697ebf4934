import type { JudgeSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { checkNames, namedRubrics, simulatedUserScore, turnScoreNames } from "../../contract/schemas/score-names.ts";
import type { ScorerSetting } from "../../contract/schemas/scorer-setting.ts";
import { referenceReplies } from "../../evaluation/conversation.ts";
import { judgeQuestions } from "../../evaluation/judges/judge-question.ts";
import { defaultScorers, scorerNames } from "../../scoring/scorers/scores.ts";
import { outcomeScoreNames } from "../../evaluation/tools/outcome.ts";
import { toolScores } from "../../evaluation/tools/score-calls.ts";

type ScoredTurn = Pick<
  Scenario["interactions"][number],
  "reference_reply" | "references" | "reference_metadata" | "reference_tool_calls" | "checks"
>;

/** What the warnings and names of scores read of a scenario. */
export type ScoredScenario = Pick<Scenario, "id" | "expect" | "user"> & {
  readonly interactions: readonly ScoredTurn[];
};

export interface ScoreSources {
  readonly scenarios: readonly ScoredScenario[];
  /** Names of the operator's own scorers. */
  readonly customScorers: readonly string[];
}

interface ScoredSettings {
  readonly scorers?: readonly ScorerSetting[] | undefined;
  readonly judge?: JudgeSettings | undefined;
}

/** Every score that a run can have with these settings and scenarios. */
export function runScoreNames(
  { scorers = [], judge }: ScoredSettings,
  { scenarios, customScorers }: ScoreSources,
): ReadonlySet<string> {
  const turns = scenarios.flatMap(({ interactions }) => interactions);
  const hasReferences = turns.some((turn) => referenceReplies(turn).length > 0);
  const labels = new Set(turns.flatMap(({ reference_metadata }) => Object.keys(reference_metadata)));
  const listed = scorers.filter((setting) => typeof setting === "string");
  const wanted = listed.length > 0 ? listed : [...defaultScorers, "semantic_similarity", ...customScorers];
  const known = new Set(["overall", "success"]);
  const add = (names: Iterable<string | null>): void => {
    for (const name of names) if (name !== null) known.add(name);
  };
  add(
    wanted.filter((name) => {
      // The operator's own.
      if (!scorerNames.includes(name)) return true;
      return name === "metadata_match" ? labels.size > 0 : hasReferences;
    }),
  );
  add(checkNames(scorers));
  add(Array.from(labels, (key) => `metadata.${key}`));
  if (judge) {
    add(judgeQuestions(judge).flatMap(({ name, needsReference }) => (needsReference && !hasReferences ? [] : name)));
    if (judge.rubrics) add([judge.scope === "conversation" ? "conversation_rubrics" : "judge_rubrics"]);
  }
  for (const { expect, user } of scenarios) {
    if (expect) add(outcomeScoreNames(expect));
    if (user) add(["outcome", simulatedUserScore]);
  }
  if (turns.some(({ reference_tool_calls }) => reference_tool_calls)) add(toolScores);
  for (const { checks = [] } of turns) {
    const unjudged =
      judge && judge.scope !== "conversation" ? [] : namedRubrics(checks, scorers).map(({ name }) => name);
    add(turnScoreNames(checks, scorers).filter((name) => !unjudged.includes(name)));
  }
  return known;
}
