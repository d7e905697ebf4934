import type { JudgeSettings } from "../../contract/schemas/evaluation-request.ts";
import { checkNames, namedRubrics, simulatedUserScore, turnScoreNames } from "../../contract/schemas/score-names.ts";
import type { ScorerSetting } from "../../contract/schemas/scorer-setting.ts";
import { judgeQuestions } from "../../evaluation/judges/judge-question.ts";
import { defaultScorers, scorerNames } from "../../scoring/scorers/scores.ts";
import { toolScores } from "../../evaluation/tools/score-calls.ts";
import type { Expectations } from "./expectations.ts";

interface ScoredSettings {
  readonly scorers?: readonly ScorerSetting[] | undefined;
  readonly judge?: JudgeSettings | undefined;
}

interface ScoreSources {
  readonly expectations: Expectations;
  /** Names of the operator's own scorers. */
  readonly customScorers: readonly string[];
  /** False without an embedder. Default: true. */
  readonly semantic?: boolean | undefined;
}

/** The scorers that a run uses: those it lists, else the defaults and the operator's own. */
function usedScorers(
  { scorers = [] }: ScoredSettings,
  { customScorers, semantic = true }: Omit<ScoreSources, "expectations">,
): readonly string[] {
  const listed = scorers.filter((setting) => typeof setting === "string");
  if (listed.length > 0) return listed;
  const usual = new Set<string>([...defaultScorers, "semantic_similarity"]);
  const builtIn = scorerNames.filter((name) => usual.has(name) && (semantic || name !== "semantic_similarity"));
  return [...builtIn, ...customScorers];
}

/** Every score that a run can have with these settings and scenarios. */
export function runScoreNames(settings: ScoredSettings, sources: ScoreSources): ReadonlySet<string> {
  const { scorers = [], judge } = settings;
  const { hasReferences, labels, outcomeScores, users, expectsTurnCalls, checks } = sources.expectations;
  const known = new Set(["overall", "success"]);
  const add = (names: Iterable<string | null>): void => {
    for (const name of names) if (name !== null) known.add(name);
  };
  for (const name of usedScorers(settings, sources)) {
    const isOperators = !scorerNames.includes(name);
    if (isOperators || (name === "metadata_match" ? labels.size > 0 : hasReferences)) known.add(name);
  }
  add(checkNames(scorers));
  for (const label of labels) known.add(`metadata.${label}`);
  if (judge) {
    for (const { name, needsReference } of judgeQuestions(judge)) if (!needsReference || hasReferences) known.add(name);
    if (judge.rubrics) known.add(judge.scope === "conversation" ? "conversation_rubrics" : "judge_rubrics");
  }
  add(outcomeScores);
  if (users > 0) add(["outcome", simulatedUserScore]);
  if (expectsTurnCalls) add(toolScores);
  const judgesTurns = judge !== undefined && judge.scope !== "conversation";
  for (const ofTurn of checks) {
    const unjudged = judgesTurns ? [] : namedRubrics(ofTurn, scorers).map(({ name }) => name);
    add(turnScoreNames(ofTurn, scorers).filter((name) => !unjudged.includes(name)));
  }
  return known;
}

/** The scores of replies that these settings can weigh, also where no scenario has what the score needs. */
export function weighableScores(settings: ScoredSettings, sources: ScoreSources): ReadonlySet<string> {
  const { scorers = [], judge } = settings;
  const { checks, expectsTurnCalls } = sources.expectations;
  return new Set([
    "success",
    ...usedScorers(settings, sources),
    ...checkNames(scorers).filter((name) => name !== null),
    ...checks.flatMap((ofTurn) => turnScoreNames(ofTurn, scorers)),
    ...(judge ? [...judgeQuestions(judge).map(({ name }) => name), "judge_rubrics"] : []),
    ...(expectsTurnCalls ? toolScores : []),
  ]);
}
