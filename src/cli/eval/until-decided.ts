import { compact } from "../../base/compact.ts";
import { passRateMeasure, ratioMeasures, type Undecided } from "../../contract/schemas/margins.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { SequenceDecision } from "../../contract/schemas/sequence.ts";
import { CliError } from "../terminal/cli-error.ts";
import { undecidedText, type GateCheck } from "../gates/evaluate-gates.ts";
import type { GateRule } from "../gates/parse-gate.ts";
import type { EvalSettings } from "./eval-settings.ts";

interface UntilDecidedOptions {
  readonly seed: number | undefined;
  readonly baseline: EvaluationResponse | null;
}

/**
 * `--until-decided`: turns the models, the baseline or the gate into the other side of one comparison. Two models: the second is
 * tested against the first.
 */
export function untilDecided(settings: EvalSettings, { seed, baseline }: UntilDecidedOptions): EvalSettings {
  const { config, models, variants, gates, margins } = settings;
  const { attempts = 1 } = config;
  if (typeof attempts !== "number") return settings;
  if (variants) return variantsUntilDecided(settings, { attempts, seed, baseline });
  const { against, model, gate } = opponentOf({ models, gates, baseline });
  const { score, margin } = measureOf(margins, gate);
  const { baseline_scores: _watched, ...rest } = config;
  return {
    ...settings,
    config: {
      ...rest,
      attempts: compact({
        until: "decided",
        against,
        score,
        margin,
        each: attempts,
        seed,
      }),
    },
    models: [model],
    gates: gates.filter((rule) => rule !== gate),
    margins: null,
  };
}

/** Every variant is compared, with the first or with each other. */
function variantsUntilDecided(
  settings: EvalSettings,
  { attempts, seed, baseline }: UntilDecidedOptions & { readonly attempts: number },
): EvalSettings {
  if (baseline) throw new CliError("--until-decided compares variants with each other: leave out --baseline");
  const { score, margin } = measureOf(settings.margins, undefined);
  const { baseline_scores: _watched, ...rest } = settings.config;
  const decided = compact({ until: "decided" as const, score, margin, each: attempts, seed });
  return { ...settings, config: { ...rest, attempts: decided as typeof rest.attempts }, margins: null };
}

const usage =
  "--until-decided needs something to compare with: two models (--models old,new), variants (--variant), one model and --baseline <run>, or one model and one --gate such as overall>=0.8";

function opponentOf({ models, gates, baseline }: Pick<EvalSettings, "models" | "gates"> & UntilBaseline) {
  const [first = "", second, third] = models;
  if (third !== undefined) throw new CliError(`--until-decided compares two models, not ${models.length}`);
  if (second !== undefined) {
    if (baseline) throw new CliError("--until-decided compares with one side: name two models, or one and --baseline");
    return { against: { model_id: first }, model: second };
  }
  if (baseline) return { against: { run: baseline.run_id }, model: first };
  const gate = gates.find(isThreshold);
  if (!gate) throw new CliError(usage);
  return { against: { threshold: gate.bound }, model: first, gate };
}

interface UntilBaseline {
  readonly baseline: EvaluationResponse | null;
}

/** A mean that must be at least the bound. */
const isThreshold = ({ measure, comparator }: GateRule): boolean =>
  measure.kind === "score" && measure.statistic === "mean" && !measure.each && comparator === ">=";

function measureOf(
  margins: EvalSettings["margins"],
  gate: GateRule | undefined,
): { score: string; margin?: number | undefined } {
  const gated = gate?.measure.kind === "score" ? gate.measure.score : undefined;
  const entries = Object.entries(margins ?? {});
  if (entries.length > 1)
    throw new CliError("--until-decided follows one score: give --not-worse-by one margin, such as overall=0.02");
  const [name = gated ?? "overall", margin] = entries[0] ?? [];
  if (ratioMeasures.has(name))
    throw new CliError(`--until-decided follows scores from 0 to 1 and ${passRateMeasure}: ${name} has no upper end`);
  if (gated !== undefined && gated !== name)
    throw new CliError(`--until-decided follows one score: the gate names ${gated}, --not-worse-by names ${name}`);
  return { score: name, margin };
}

/** The decision as a gate: better and not worse pass, worse fails, undecided and closer to the references fail unless it may pass. */
export function decisionCheck(
  { score, verdict, effect, margin, sentence }: SequenceDecision,
  undecided: Undecided = "fail",
): GateCheck {
  const gate = margin === null ? `${score} decided` : `${score} not worse by ${margin}`;
  // Which run is closer to the references does not say which is better.
  const isOpen = verdict === "undecided" || verdict === "closer" || verdict === "less_close";
  const passed = isOpen ? undecided === "pass" : verdict !== "worse";
  const state = isOpen ? undecidedText(passed) : passed ? "passed" : "failed";
  const message = `${gate}: ${state}. ${sentence}`;
  return compact({ gate, passed, actual: effect, message, undecided: isOpen ? (true as const) : undefined });
}
