import { createHash } from "node:crypto";
import { canonicalJson } from "../../base/json.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { SemanticDetails } from "../../contract/schemas/interaction-result.ts";
import { checkNames, reservedPrefixes, reservedScores } from "../../contract/schemas/scores/score-names.ts";
import type { Measures } from "../../contract/schemas/scores/score.ts";
import { checkEntries } from "../../scoring/checks/checks.ts";
import { typeOf } from "../../scoring/checks/define-check.ts";
import type { RunTally } from "../../evaluation/comparison/run-tally.ts";
import { semanticSimilarity } from "../../scoring/scorers/semantic-similarity.ts";
import { judgeQuestions } from "../../evaluation/judges/judge-question.ts";

interface DefinedRun {
  /** Absent in results of earlier versions. */
  readonly measures: Measures | undefined;
  /** Embedders and baselines behind the semantic scores. */
  readonly embedders: EmbedderBaselines;
  readonly tally: Pick<RunTally, "rubric_scores" | "named_checks" | "scenarios">;
}

/**
 * Scores that have the same name in both runs but a different definition: another judge, labeller, embedder, check or weighting.
 */
export function incomparableScores(
  baseline: DefinedRun,
  candidate: DefinedRun,
): { leaveOut: Set<string>; notes: string[] } {
  const leaveOut = new Set<string>();
  const notes: string[] = [];
  const leave = (names: readonly string[], why: string): void => {
    for (const name of names) leaveOut.add(name);
    notes.push(`${names.join(", ")} left out: ${why}.`);
  };

  if (!baseline.embedders.isLike(candidate.embedders)) {
    const both = baseline.embedders.size > 0 && candidate.embedders.size > 0;
    const why = both ? "the runs had different embedders or baselines" : "only one of the runs has semantic scores";
    leave([semanticSimilarity.name, "overall"], why);
  }
  const [left, right] = [baseline.measures, candidate.measures];
  if (!left || !right) {
    notes.push(
      "One of the results does not record how it was scored: scores with the same name are assumed to be the same.",
    );
    return { leaveOut, notes };
  }
  if (left.judge !== right.judge) {
    const means = ["judge_rubrics", "conversation_rubrics", "overall"];
    const ofTurns = [...baseline.tally.rubric_scores, ...candidate.tally.rubric_scores];
    const names = new Set([...left.judge_scores, ...right.judge_scores, ...ofTurns, ...means]);
    leave([...names], "the runs had different judges");
  }
  const checks = differingChecks(left.checks, right.checks).filter((name) =>
    [baseline, candidate].every(({ tally }) => isScored(tally, name)),
  );
  if (checks.length > 0) leave(checks, "the runs use different checks under the same name");
  if (left.overall !== right.overall) leave(["overall"], "the runs compute it from different scores");
  const own = left.weighted ? [] : [...customScores(baseline, candidate), ...customScores(candidate, baseline)];
  if (own.length > 0)
    leave(["overall"], `${own.join(", ")} ${own.length === 1 ? "is" : "are"} part of it in one of the runs only`);
  const labels = left.labels === right.labels ? [] : labelScores(baseline.tally, candidate.tally);
  if (labels.length > 0) leave([...labels, "overall"], "the runs labelled replies in different ways");
  return { leaveOut, notes };
}

/** A check of one run may share its name with a turn check of the other. */
function differingChecks(left: Measures["checks"], right: Measures["checks"]): string[] {
  if (!left || !right) return [];
  return Object.keys({ ...left, ...right }).filter((name) => left[name] !== right[name]);
}

/** Names given to checks without a name. */
const checkName = new RegExp(`^(?:${checkEntries.map(typeOf).join("|")})(?:_\\d+)?(?:\\.\\w+)?$`);

/** Scores of custom scorers that only one run has for a reply, although both have an `overall` there. */
function customScores(one: DefinedRun, other: DefinedRun): string[] {
  const names = new Set<string>();
  for (const [scenario, turns] of one.tally.scenarios) {
    for (const [id, { sums }] of turns) {
      const counterpart = other.tally.scenarios.get(scenario)?.get(id)?.sums;
      if (sums.has("overall") && counterpart?.has("overall")) for (const name of sums.keys()) names.add(name);
    }
  }
  return [...names].filter((name) => isCustom(name, one) && !isScored(other.tally, name));
}

function isCustom(name: string, { measures, tally }: DefinedRun): boolean {
  const isBuiltIn = reservedScores.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix));
  const isCheck = checkName.test(name) || tally.named_checks.has(name) || Object.hasOwn(measures?.checks ?? {}, name);
  return !isBuiltIn && !isCheck;
}

function labelScores(...sides: readonly DefinedRun["tally"][]): string[] {
  const turns = sides.values().flatMap((tally) => turnSums(tally));
  const names = new Set(turns.flatMap((sums) => sums.keys()));
  return [...names].filter((name) => name === "metadata_match" || name.startsWith("metadata."));
}

function isScored(tally: DefinedRun["tally"], name: string): boolean {
  return turnSums(tally).some((sums) => sums.has(name));
}

function turnSums({ scenarios }: DefinedRun["tally"]) {
  return scenarios.values().flatMap((interactions) => interactions.values().map(({ sums }) => sums));
}

/**
 * Many embedding services return slightly different vectors for the same text, so baselines differ a little between runs. A
 * difference this small does not change a score visibly.
 */
const rounding = 0.001;

/** The embedders of a run's semantic scores, and the baselines the scores were rescaled from. */
export interface EmbedderBaselines {
  readonly size: number;
  add(details: Pick<SemanticDetails, "embedder" | "baseline">): void;
  /** True when both have the same embedders and, apart from rounding, the same baselines. */
  isLike(other: EmbedderBaselines): boolean;
  readonly ranges: ReadonlyMap<string, VersionRange>;
}

interface VersionRange {
  readonly lowest: number;
  readonly highest: number;
}

export function createEmbedderBaselines(): EmbedderBaselines {
  const ranges = new Map<string, VersionRange>();

  return {
    ranges,
    get size() {
      return ranges.size;
    },
    add({ embedder, baseline }) {
      ranges.set(embedder, joinedDefinitions(ranges.get(embedder), { lowest: baseline, highest: baseline }));
    },
    isLike(other) {
      if (ranges.size !== other.ranges.size) return false;
      return [...ranges].every(([embedder, range]) => {
        const theirs = other.ranges.get(embedder);
        if (!theirs) return false;
        const { lowest, highest } = joinedDefinitions(theirs, range);
        return highest - lowest <= rounding;
      });
    },
  };
}

function joinedDefinitions(range: VersionRange | undefined, { lowest, highest }: VersionRange): VersionRange {
  if (!range) return { lowest, highest };
  return { lowest: Math.min(range.lowest, lowest), highest: Math.max(range.highest, highest) };
}

/** Describes how a run with these settings is scored: digests that differ when the definition of a score differs. */
export function toMeasures({ weights, scorers, judge, labeller, label_rules }: RunSettings): Measures {
  return {
    overall: digest([weights ?? null, scorers ?? null]),
    weighted: weights !== undefined,
    checks: checksOf(scorers),
    judge: judge ? digest(judge) : null,
    judge_scores: judge ? judgeQuestions(judge).map(({ name }) => name) : [],
    labels: digest([labeller ?? null, label_rules ?? null]),
  };
}

/** The name is left out of the digest: it does not change the check. */
function checksOf(scorers: RunSettings["scorers"] = []): Record<string, string> {
  const names = checkNames(scorers);
  return Object.fromEntries(
    scorers.flatMap((setting, index) => {
      const name = names[index];
      return typeof setting === "string" || !name ? [] : [[name, digest({ ...setting, name: undefined })]];
    }),
  );
}

const digest = (value: unknown): string => createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 16);
