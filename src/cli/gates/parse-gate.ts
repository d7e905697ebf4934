import { closestName } from "../../base/text.ts";
import { upperLimits } from "../../contract/schemas/budget.ts";
import type { JudgeSettings } from "../../contract/schemas/evaluation-request.ts";
import { passRateMeasure, ratioMeasures, type Margins } from "../../contract/schemas/margins.ts";
import { checkNames, simulatedUserScore, turnScoreNames } from "../../contract/schemas/score-names.ts";
import type { ScorerSetting } from "../../contract/schemas/scorer-setting.ts";
import { judgeQuestions } from "../../evaluation/judges/judge-question.ts";
import { scorerNames } from "../../evaluation/scorers/built-in-scorers.ts";
import { outcomeScoreNames } from "../../evaluation/tools/outcome.ts";
import { toolScores } from "../../evaluation/tools/score-calls.ts";
import type { FileScenario } from "../../formats/scenario-file.ts";
import { CliError } from "../cli-error.ts";

export type Comparator = ">=" | ">" | "<=" | "<";
export type Statistic = "mean" | "ci_lower" | "ci_upper" | "min";

/** The measured quantity: a score, a probability of passing, or a figure of the run. */
export type Measure =
  | { readonly kind: "score"; readonly score: string; readonly statistic: Statistic; readonly each: boolean }
  | { readonly kind: "reliability"; readonly chance: "pass^" | "pass@"; readonly k: number }
  | { readonly kind: "figure"; readonly figure: (typeof figures)[number] };

/** One condition a run has to meet. */
export interface GateRule {
  readonly text: string;
  readonly measure: Measure;
  readonly comparator: Comparator;
  readonly bound: number;
}

export const figures = ["failure_rate", "unscored_rate", "simulator_failure_rate", "cost", "tokens"] as const;
const statistics: readonly string[] = ["mean", "ci_lower", "ci_upper", "min"];
/** A score's name may contain spaces: it can be a label's key. */
const form =
  /^(?<each>\s*each:)?(?<left>[^<>=]+)(?<comparator>>=|<=|>|<)\s*(?<bound>\d+(?:\.\d+)?|\.\d+)(?<percent>%)?\s*$/;

/** Reads `overall>=0.8`, `overall.ci_lower>=0.7`, `each:overall>=0.5`, `pass^3>=0.9`, `failure_rate<=1%`, `cost<=2`. */
export function parseGate(text: string): GateRule {
  const { each, left = "", comparator, bound, percent } = form.exec(text)?.groups ?? {};
  const name = left.trim();
  if (comparator === undefined || name === "") {
    throw new CliError(
      `the gate "${text}" cannot be read: write it like overall>=0.8, overall.ci_lower>=0.7 or pass^3>=0.9`,
    );
  }
  const gate = {
    text: text.trim(),
    measure: parseMeasure(name, { each: each !== undefined, text }),
    comparator: comparator as Comparator,
    bound: Number(bound) / (percent ? 100 : 1),
  };
  requireBound(gate);
  return gate;
}

/** The part of a configuration that decides which scores a run has. */
interface ScoringConfig {
  readonly scorers?: readonly ScorerSetting[] | undefined;
  readonly judge?: JudgeSettings | undefined;
  readonly baseline_scores?: readonly string[] | undefined;
}

/** Figures that only a comparison with a baseline can name. */
const isCompared = (name: string): boolean => name === passRateMeasure || ratioMeasures.has(name);

/** Refuses gates and `baseline_scores` on scores the run will not have, before a model is called. */
export function requireKnownScores(
  gates: readonly GateRule[],
  {
    config,
    scenarios,
    margins,
  }: { config: ScoringConfig; scenarios?: readonly FileScenario[] | undefined; margins?: Margins | null },
): void {
  const known = scoreNames(config, scenarios ?? []);
  // Label scores are unknown until the scenarios are read.
  const isKnown = (name: string): boolean => known.has(name) || (!scenarios && name.startsWith("metadata."));
  for (const name of config.baseline_scores ?? []) {
    if (isKnown(name)) continue;
    throw new CliError(`baseline_scores names "${name}", a score the run will not have${suggestion(name, known)}`);
  }
  for (const name of Object.keys(margins ?? {})) {
    if (isKnown(name) || isCompared(name)) continue;
    const near = suggestion(name, new Set([...known, passRateMeasure, ...ratioMeasures]));
    throw new CliError(`--not-worse-by names "${name}", a score the run will not have${near}`);
  }
  for (const { text, measure } of gates) {
    if (measure.kind !== "score" || isKnown(measure.score)) continue;
    throw new CliError(`the gate "${text}" names a score the run will not have${suggestion(measure.score, known)}`);
  }
}

/** Refuses a bound above 1 on a score, probability or share: such a gate would always or never pass. */
function requireBound({ text, measure, bound }: GateRule): void {
  const endless = measure.kind === "figure" && !upperLimits.has(measure.figure);
  if (endless || bound <= 1) return;
  const meant = bound <= 100 ? `: did you mean ${bound}%?` : "";
  throw new CliError(`the gate "${text}" measures a figure from 0 to 1 but has the bound ${bound}${meant}`);
}

function parseMeasure(left: string, { each, text }: { each: boolean; text: string }): Measure {
  const chance = /^(pass[\^@])([1-9]\d{0,3})$/.exec(left);
  const figure = figures.find((name) => name === left);
  if (each && (chance || figure)) throw new CliError(`the gate "${text}" cannot be read: each: works only with scores`);
  if (chance) return { kind: "reliability", chance: chance[1] as "pass^" | "pass@", k: Number(chance[2]) };
  if (figure) return { kind: "figure", figure };
  const dot = left.lastIndexOf(".");
  const ending = left.slice(dot + 1);
  const named = dot > 0 && statistics.includes(ending);
  return {
    kind: "score",
    score: named ? left.slice(0, dot) : left,
    statistic: named ? (ending as Statistic) : "mean",
    each,
  };
}

/** Every score a run can have with this configuration and these scenarios. */
function scoreNames({ scorers = [], judge }: ScoringConfig, scenarios: readonly FileScenario[]): ReadonlySet<string> {
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
    interactions.flatMap((turn) => turnScoreNames(turn.checks ?? [], scorers)),
  );
  const outcomes = scenarios.flatMap(({ expect, user }) => [
    ...(expect ? outcomeScoreNames(expect) : []),
    ...(user ? ["outcome", simulatedUserScore] : []),
  ]);
  const hasCalls = scenarios.some(({ interactions }) => interactions.some((turn) => turn.reference_tool_calls));
  const ofTools = hasCalls ? toolScores : [];
  const always = ["overall", "success", ...scorerNames];
  return new Set([...always, ...named, ...checks, ...ofTurns, ...ofTools, ...outcomes, ...judged, ...metadata]);
}

function suggestion(name: string, known: ReadonlySet<string>): string {
  const nearest = closestName(name, [...known, ...figures]);
  return nearest === undefined ? `; it may have ${[...known].join(", ")}` : `: did you mean "${nearest}"?`;
}
