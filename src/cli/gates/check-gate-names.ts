import { judgeQuestions } from "../../evaluation/judges/judge-question.ts";
import { scorerNames } from "../../evaluation/scorers/built-in-scorers.ts";
import { checkNames, turnCheckNames } from "../../contract/schemas/score-names.ts";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { CliError } from "../cli-error.ts";
import type { Config } from "../config/config.ts";
import { closestName } from "../../base/text.ts";
import { figures, type Gate } from "./parse-gate.ts";

/** A mistyped score fails its gate, or is never watched, whatever the replies are: better said before a model is asked. */
export function checkGateNames(
  gates: readonly Gate[],
  { config, scenarios }: { config: Config; scenarios?: readonly FileScenario[] | undefined },
): void {
  const known = scoreNames(config, scenarios ?? []);
  // Without scenarios nobody knows which labels they will have.
  const isKnown = (name: string): boolean => known.has(name) || (!scenarios && name.startsWith("metadata."));
  for (const name of config.baseline_scores ?? []) {
    if (isKnown(name)) continue;
    throw new CliError(`baseline_scores names "${name}", a score the run will not have${suggestion(name, known)}`);
  }
  for (const { text, measure } of gates) {
    if (measure.kind !== "score" || isKnown(measure.score)) continue;
    throw new CliError(`the gate "${text}" is on a score the run will not have${suggestion(measure.score, known)}`);
  }
}

/** Every score a run may have by its configuration and scenarios. */
function scoreNames({ scorers = [], judge }: Config, scenarios: readonly FileScenario[]): ReadonlySet<string> {
  const named = scorers.filter((setting) => typeof setting === "string");
  const checks = checkNames(scorers).filter((name) => name !== null);
  const judged = judge
    ? [...judgeQuestions(judge).map(({ name }) => name), "judge_rubrics", "conversation_rubrics"]
    : [];
  const labels = scenarios.flatMap(({ interactions }) =>
    interactions.flatMap(({ reference_metadata }) => Object.keys(reference_metadata)),
  );
  const metadata = labels.map((key) => `metadata.${key}`);
  const ofTurns = scenarios.flatMap(({ interactions }) =>
    interactions.flatMap((turn) => turnCheckNames(turn.checks ?? [], scorers)),
  );
  return new Set(["overall", "success", ...scorerNames, ...named, ...checks, ...ofTurns, ...judged, ...metadata]);
}

function suggestion(name: string, known: ReadonlySet<string>): string {
  const nearest = closestName(name, [...known, ...figures]);
  return nearest === undefined ? `; it may have ${[...known].join(", ")}` : `: did you mean "${nearest}"?`;
}
