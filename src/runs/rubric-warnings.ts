import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Warning } from "../contract/schemas/problem.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { rubricsOf } from "../evaluation/rubrics-of.ts";

/** Rubrics of turns are for a judge of single replies; without one they say nothing, which nobody should find out from a missing score. */
export function rubricWarnings(
  { judge }: Pick<RunSettings, "judge">,
  scenarios: readonly Scenario[],
): readonly Warning[] {
  if (judge && judge.scope !== "conversation") return [];
  const turns = scenarios
    .flatMap(({ interactions }) => interactions)
    .filter((turn) => rubricsOf(turn).length > 0).length;
  if (turns === 0) return [];
  const whose = `the rubrics of ${turns} ${turns === 1 ? "turn" : "turns"}`;
  return judge
    ? [{ pointer: "/judge/scope", message: `leaves ${whose} without a score: whole conversations are judged` }]
    : [{ pointer: "/judge", message: `is not set, so ${whose} have no score` }];
}
