import type { LabelRule, RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Interaction } from "../contract/schemas/scenario.ts";
import type { Judge } from "./judges/ask-judge.ts";
import type { JudgeQuestion } from "./judges/judge-question.ts";
import type { LabelCandidates } from "./labels/label-candidates.ts";
import type { Labeller } from "./labels/labels.ts";
import { createLocalLabeller } from "./labels/local-labeller.ts";
import type { ModelLabeller } from "./labels/model-labeller.ts";
import { defaultScorers, isBuiltIn, type ScorerName } from "./scorers/built-in-scorers.ts";
import type { CheckRunner } from "./scorers/checks/check-elsewhere.ts";
import { createChecks, createTurnChecks, type NamedCheck, type TurnChecks } from "./scorers/create-checks.ts";
import type { CustomScorer, CustomScorers, Patience } from "./scorers/custom-scorer.ts";
import type { LexicalScorer } from "./scorers/lexical-scores.ts";
import { semanticSimilarity, type SemanticScorer } from "./semantic/semantic-scorer.ts";

/** How a run's replies are labelled and scored. Made once per run. */
export interface Scoring {
  readonly scorers: readonly ScorerName[];
  readonly checks: readonly NamedCheck[];
  /** What a turn is checked for by itself. */
  readonly turnChecks: (checks: Interaction["checks"]) => TurnChecks;
  readonly custom: readonly { readonly name: string; readonly scorer: CustomScorer; readonly patience?: Patience }[];
  /** Scores the run asks for that this process, unlike the one that took it on, has no scorer for. */
  readonly unknown: readonly string[];
  readonly weights?: Readonly<Record<string, number>> | undefined;
  readonly label_rules?: Readonly<Record<string, LabelRule>> | undefined;
  readonly labeller: Labeller;
  readonly modelLabeller?: ModelLabeller | undefined;
  readonly semantic?: SemanticScorer | undefined;
  /** False: what an embedder said of a reply before is not kept, since likeness of meaning is not asked for any more. */
  readonly keepsSemantic?: boolean;
  /** Judges single replies. */
  readonly judge?: TurnJudge | undefined;
  /** Does the comparing of texts elsewhere when they are long. */
  readonly lexical?: LexicalScorer | undefined;
}

export interface TurnJudge {
  readonly judge: Judge;
  readonly questions: readonly JudgeQuestion[];
}

export interface ScoringOptions {
  /** From `labelCandidates`, over the whole batch. */
  readonly candidates: LabelCandidates;
  readonly settings?: Pick<RunSettings, "scorers" | "weights" | "label_rules">;
  readonly customScorers?: CustomScorers;
  readonly modelLabeller?: ModelLabeller | undefined;
  readonly semantic?: SemanticScorer | undefined;
  readonly judge?: TurnJudge | undefined;
  readonly lexical?: LexicalScorer | undefined;
  /** Does the checks that may take long elsewhere. */
  readonly runCheck?: CheckRunner | undefined;
  /** Default: the local one. */
  readonly labeller?: Labeller;
}

/**
 * Names in `scorers` choose among the built-in and the operator's scorers (the default set when none is named); checks with
 * options come on top. Semantic similarity is there when an embedder is, unless names were given and it is not among them.
 */
export function createScoring({ candidates, settings = {}, customScorers = {}, ...parts }: ScoringOptions): Scoring {
  const listed = settings.scorers ?? [];
  const names = listed.filter((setting) => typeof setting === "string");
  const named = names.length > 0;
  return {
    scorers: named ? names.filter(isBuiltIn) : defaultScorers,
    checks: createChecks(listed, parts.runCheck),
    turnChecks: createTurnChecks(listed, parts.runCheck),
    custom: Object.entries(customScorers)
      .filter(([name]) => !named || names.includes(name))
      .map(([name, scorer]) => ({ name, scorer, patience: { inVain: 0 } })),
    unknown: names.filter(
      (name) =>
        !isBuiltIn(name) &&
        !Object.hasOwn(customScorers, name) &&
        !(name === semanticSimilarity && parts.semantic !== undefined),
    ),
    weights: settings.weights,
    label_rules: settings.label_rules,
    labeller: parts.labeller ?? createLocalLabeller({ candidates, label_rules: settings.label_rules }),
    modelLabeller: parts.modelLabeller,
    semantic: !named || names.includes(semanticSimilarity) ? parts.semantic : undefined,
    judge: parts.judge,
    lexical: parts.lexical,
  };
}
