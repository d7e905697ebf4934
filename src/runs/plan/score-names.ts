import type { JudgeSettings } from "../../contract/schemas/evaluation-request.ts";
import {
  checkNames,
  namedRubrics,
  simulatedUserScore,
  turnScoreNames,
} from "../../contract/schemas/scores/score-names.ts";
import type { ScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import { judgeQuestions } from "../../evaluation/judges/judge-question.ts";
import type { ScoreNeed } from "../../scoring/scorers/define-scorer.ts";
import type { LabelRule } from "../../scoring/scorers/label-rule.ts";
import { namedScores } from "../../scoring/scorers/scores.ts";
import { toolScores } from "../../evaluation/tools/score-calls.ts";
import type { Expectations } from "./expectations.ts";

interface ScoredSettings {
  readonly scorers?: readonly ScorerSetting[] | undefined;
  readonly judge?: JudgeSettings | undefined;
  readonly label_rules?: Readonly<Record<string, LabelRule>> | undefined;
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
  const usual = namedScores.filter(({ byDefault, needs }) => byDefault || (semantic && needs.includes("embedder")));
  return [...usual.map(({ name }) => name), ...customScorers];
}

/** Every score that a run can have with these settings and scenarios. */
export function runScoreNames(settings: ScoredSettings, sources: ScoreSources): ReadonlySet<string> {
  const { scorers = [], judge, label_rules = {} } = settings;
  const { hasReferences, outcomeScores, users, expectsTurnCalls, checks, ...expected } = sources.expectations;
  const labels = [...expected.labels].filter((key) => !Object.hasOwn(label_rules, key) || !label_rules[key]?.ignore);
  const has: Readonly<Record<ScoreNeed, boolean>> = {
    reference: hasReferences,
    short_reference: expected.hasShortReferences,
    labels: labels.length > 0,
    // A scorer that a run lists was refused where there is none.
    embedder: true,
    // Only the replies tell whether the agent calls tools, retrieves, and says what it did.
    sources: true,
    context: true,
    calls: true,
  };
  const known = new Set(["overall", "success"]);
  const add = (names: Iterable<string | null>): void => {
    for (const name of names) if (name !== null) known.add(name);
  };
  for (const name of usedScorers(settings, sources)) {
    // The operator's own need nothing of a turn.
    const needs = namedScores.find((score) => score.name === name)?.needs ?? [];
    if (needs.every((need) => has[need])) known.add(name);
  }
  add(checkNames(scorers));
  for (const label of labels) known.add(`metadata.${label}`);
  if (judge) {
    for (const { name, needsReference } of judgeQuestions(judge)) if (!needsReference || hasReferences) known.add(name);
    const rubrics = judgeQuestions(judge).filter(({ name }) => name.includes("."));
    for (const { name } of rubrics) known.add(name.startsWith("judge.") ? "judge_rubrics" : "conversation_rubrics");
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
