import { upperLimits } from "../../contract/schemas/budget.ts";
import { CliError } from "../terminal/cli-error.ts";

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
      `the gate "${text}" cannot be read: write it like overall.ci_lower>=0.7, overall>=0.8 or pass^3>=0.9`,
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
