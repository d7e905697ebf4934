import { upperLimits } from "../../contract/schemas/budget.ts";
import { CliError } from "../cli-error.ts";

export type Comparator = ">=" | ">" | "<=" | "<";
export type Statistic = "mean" | "ci_lower" | "ci_upper" | "min";

/** What is measured: a score, a chance of passing, or a figure of the run. */
export type Measure =
  | { readonly kind: "score"; readonly score: string; readonly statistic: Statistic; readonly each: boolean }
  | { readonly kind: "reliability"; readonly chance: "pass^" | "pass@"; readonly k: number }
  | { readonly kind: "figure"; readonly figure: (typeof figures)[number] };

/** One line a run has to clear. */
export interface Gate {
  readonly text: string;
  readonly measure: Measure;
  readonly comparator: Comparator;
  readonly bound: number;
}

export const figures = ["failure_rate", "unscored_rate", "cost", "tokens"] as const;
const statistics: readonly string[] = ["mean", "ci_lower", "ci_upper", "min"];
/** A label's key, and so the name of its score, may have spaces within. */
const form =
  /^\s*(?<each>each:)?\s*(?<left>[^<>=\s](?:[^<>=]*[^<>=\s])?)\s*(?<comparator>>=|<=|>|<)\s*(?<bound>\d*\.?\d+)(?<percent>%)?\s*$/;

/** Reads `overall>=0.8`, `overall.ci_lower>=0.7`, `each:overall>=0.5`, `pass^3>=0.9`, `failure_rate<=1%`, `cost<=2`. */
export function parseGate(text: string): Gate {
  const { each, left = "", comparator, bound, percent } = form.exec(text)?.groups ?? {};
  if (comparator === undefined) {
    throw new CliError(
      `the gate "${text}" cannot be read: write it like overall>=0.8, overall.ci_lower>=0.7 or pass^3>=0.9`,
    );
  }
  const gate = {
    text: text.trim(),
    measure: parseMeasure(left, { each: each !== undefined, text }),
    comparator: comparator as Comparator,
    bound: Number(bound) / (percent ? 100 : 1),
  };
  checkBound(gate);
  return gate;
}

/** Scores, chances and shares end at 1: beyond it a gate always or never passes, whatever the replies are. */
function checkBound({ text, measure, bound }: Gate): void {
  const endless = measure.kind === "figure" && !upperLimits.has(measure.figure);
  if (endless || bound <= 1) return;
  const meant = bound <= 100 ? `: did you mean ${bound}%?` : "";
  throw new CliError(`the gate "${text}" is on a figure from 0 to 1 and names ${bound}${meant}`);
}

function parseMeasure(left: string, { each, text }: { each: boolean; text: string }): Measure {
  const chance = /^(pass[\^@])([1-9]\d{0,3})$/.exec(left);
  const figure = figures.find((name) => name === left);
  if (each && (chance || figure)) throw new CliError(`the gate "${text}" cannot be read: each: is for scores`);
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
