import { checkNames, turnCheckNames } from "../contract/schemas/score-names.ts";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import { closestName } from "../base/text.ts";
import { toPointer } from "../base/json.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import type { Warning } from "../contract/schemas/problem.ts";
import { judgeQuestions } from "../evaluation/judges/judge-question.ts";
import { defaultScorers } from "../evaluation/scorers/built-in-scorers.ts";

const mostWarnings = 20;

type Settings = Pick<RunSettings, "gate" | "scorers" | "judge">;

interface Beside {
  readonly scenarios: readonly Scenario[];
  /** Names of the operator's own scorers. */
  readonly customScorers: readonly string[];
}

/** A gate on a score that the run cannot have is missed whatever the replies are, which nobody should find out from its result. */
export function gateWarnings(settings: Settings, beside: Beside): readonly Warning[] {
  const { scores = {}, scenario_scores = {} } = settings.gate ?? {};
  const places = Object.entries({ scores, scenario_scores }).flatMap(([field, limits]) =>
    Object.keys(limits).map((name) => ({ field, name })),
  );
  if (places.length === 0) return [];
  const known = scoreNames(settings, beside);
  return places
    .filter(({ name }) => !known.has(name))
    .slice(0, mostWarnings)
    .map(({ field, name }) => {
      const suggestion = closestName(name, [...known]);
      return {
        pointer: toPointer(["gate", field, name]),
        message: "is no score of this run, so the gate cannot be passed",
        ...(suggestion !== undefined && { suggestion }),
      };
    });
}

/** Every score that the run may have. */
function scoreNames({ scorers = [], judge }: Settings, { scenarios, customScorers }: Beside): ReadonlySet<string> {
  const listed = scorers.filter((setting) => typeof setting === "string");
  const usual = [...defaultScorers, "semantic_similarity", ...customScorers];
  const known = new Set(["overall", "success", ...(listed.length > 0 ? listed : usual)]);
  for (const name of checkNames(scorers)) if (name !== null) known.add(name);
  const judged = judge
    ? [...judgeQuestions(judge).map(({ name }) => name), "judge_rubrics", "conversation_rubrics"]
    : [];
  for (const name of judged) known.add(name);
  for (const { interactions } of scenarios) {
    for (const { checks = [], reference_metadata } of interactions) {
      for (const name of turnCheckNames(checks, scorers)) known.add(name);
      for (const key of Object.keys(reference_metadata)) known.add(`metadata.${key}`);
    }
  }
  return known;
}
