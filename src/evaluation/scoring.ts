import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { LabelRule } from "../scoring/scorers/label-rule.ts";
import type { ScorerSetting } from "../contract/schemas/scores/scorer-setting.ts";
import type { Interaction } from "../contract/schemas/scenario.ts";
import type { Judge } from "./judges/ask-judge.ts";
import type { JudgeQuestion } from "./judges/judge-question.ts";
import type { LabelCandidates } from "./labels/label-candidates.ts";
import type { Labeller } from "./labels/labels.ts";
import { createLocalLabeller } from "./labels/local-labeller.ts";
import type { ModelLabeller } from "./labels/model-labeller.ts";
import { defaultScorers, isBuiltIn, type LexicalScorer, type ScorerName } from "../scoring/scorers/scores.ts";
import type { CheckRunner } from "./checks/offload-check.ts";
import { createChecks, createTurnChecks, type NamedCheck, type TurnChecks } from "./checks/create-checks.ts";
import type { CodeRunner } from "../scoring/checks/define-check.ts";
import type { CustomScorer, CustomScorers, TimeoutCount } from "./scorers/custom-scorer.ts";
import { semanticSimilarity, type SemanticScorer } from "../scoring/scorers/semantic-similarity.ts";
import { createProbes, type ComparisonRunner, type Probes } from "./tools/probes.ts";

/** How the replies of a run are labelled and scored. Created once per run. */
export interface Scoring {
  /** The scorers that the run lists, with the settings of its checks. */
  readonly settings: readonly ScorerSetting[];
  readonly scorers: readonly ScorerName[];
  readonly checks: readonly NamedCheck[];
  /** The checks and rubrics of a single turn. */
  readonly turnChecks: (checks: Interaction["checks"]) => TurnChecks;
  readonly custom: readonly {
    readonly name: string;
    readonly scorer: CustomScorer;
    readonly timeoutCount?: TimeoutCount;
  }[];
  /** Scores the run asks for that this process has no scorer for, unlike the process that accepted it. */
  readonly unknown: readonly string[];
  readonly weights?: Readonly<Record<string, number>> | undefined;
  readonly label_rules?: Readonly<Record<string, LabelRule>> | undefined;
  /** Rules for tool calls, and the world, of scenarios that have none of their own. */
  readonly tool_matching?: RunSettings["tool_matching"];
  readonly world?: RunSettings["world"];
  /** Applies the patterns and schemas of expected tool calls. */
  readonly probes: Probes;
  readonly labeller: Labeller;
  readonly modelLabeller?: ModelLabeller | undefined;
  readonly semantic?: SemanticScorer | undefined;
  /** False when a rescored run no longer asks for semantic similarity: its stored similarities are dropped. */
  readonly keepsSemantic?: boolean;
  /** Judges single replies. */
  readonly judge?: TurnJudge | undefined;
  /** Characters of material that a judge is shown. */
  readonly judgeCharacters?: number | undefined;
  /** Compares long texts on another thread. */
  readonly lexical?: LexicalScorer | undefined;
  /** Runs code of users in transforms. */
  readonly code?: CodeRunner | undefined;
}

export interface TurnJudge {
  readonly judge: Judge;
  readonly questions: readonly JudgeQuestion[];
}

export interface ScoringOptions {
  /** From `labelCandidates`, over the whole batch. */
  readonly candidates: LabelCandidates;
  readonly settings?: Pick<RunSettings, "scorers" | "weights" | "label_rules" | "tool_matching" | "world" | "judge">;
  readonly customScorers?: CustomScorers | undefined;
  readonly modelLabeller?: ModelLabeller | undefined;
  readonly semantic?: SemanticScorer | undefined;
  readonly judge?: TurnJudge | undefined;
  readonly lexical?: LexicalScorer | undefined;
  /** Runs checks that may take long on another thread. */
  readonly runCheck?: CheckRunner | undefined;
  /** Makes comparisons that may take long on another thread. */
  readonly runComparison?: ComparisonRunner | undefined;
  /** Runs code of users in checks and transforms. */
  readonly code?: CodeRunner | undefined;
  /** Default: the local labeller. */
  readonly labeller?: Labeller;
}

/**
 * Names in `scorers` select built-in and custom scorers (the default set when none is named); checks with options are added.
 * Semantic similarity needs an embedder, and must be named when any scorer is.
 */
export function createScoring({ candidates, settings = {}, customScorers = {}, ...parts }: ScoringOptions): Scoring {
  const listed = settings.scorers ?? [];
  const names = listed.filter((setting) => typeof setting === "string");
  const named = names.length > 0;
  const checkParts = { run: parts.runCheck, code: parts.code, semantic: parts.semantic };
  return {
    settings: listed,
    scorers: named ? names.filter(isBuiltIn) : defaultScorers,
    checks: createChecks(listed, checkParts),
    turnChecks: createTurnChecks(listed, checkParts),
    code: parts.code,
    custom: Object.entries(customScorers)
      .filter(([name]) => !named || names.includes(name))
      .map(([name, scorer]) => ({ name, scorer, timeoutCount: { timeouts: 0 } })),
    unknown: names.filter(
      (name) =>
        !isBuiltIn(name) &&
        !Object.hasOwn(customScorers, name) &&
        !(name === semanticSimilarity.name && parts.semantic !== undefined),
    ),
    weights: settings.weights,
    label_rules: settings.label_rules,
    tool_matching: settings.tool_matching,
    world: settings.world,
    probes: createProbes(parts.runCheck, parts.runComparison),
    labeller: parts.labeller ?? createLocalLabeller({ candidates, label_rules: settings.label_rules }),
    modelLabeller: parts.modelLabeller,
    semantic: !named || names.includes(semanticSimilarity.name) ? parts.semantic : undefined,
    judge: parts.judge,
    judgeCharacters: settings.judge?.max_characters,
    lexical: parts.lexical,
  };
}
