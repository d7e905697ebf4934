import type { Measures } from "../contract/schemas/score.ts";
import { reservedPrefixes, reservedScores } from "../contract/schemas/score-names.ts";
import type { RunTally } from "../evaluation/comparison/run-tally.ts";
import type { EmbedderBaselines } from "./embedder-baselines.ts";

interface Side {
  /** Absent in results that were written before they said so. */
  readonly measures: Measures | undefined;
  /** Embedders and baselines the semantic scores were made with. */
  readonly embedders: EmbedderBaselines;
  readonly tally: Pick<RunTally, "rubric_scores" | "named_checks" | "scenarios">;
}

/** Scores that carry the same name in two runs but are not the same measure: another judge, labeller or embedder, another check, other weights. */
export function differingScores(baseline: Side, candidate: Side): { leaveOut: Set<string>; notes: string[] } {
  const leaveOut = new Set<string>();
  const notes: string[] = [];
  const leave = (names: readonly string[], why: string): void => {
    for (const name of names) leaveOut.add(name);
    notes.push(`${names.join(", ")} left out: ${why}.`);
  };

  if (!baseline.embedders.isLike(candidate.embedders)) {
    const both = baseline.embedders.size > 0 && candidate.embedders.size > 0;
    const why = both ? "the runs had different embedders or baselines" : "one of the runs has no score of an embedder";
    leave(["semantic_similarity", "overall"], why);
  }
  const [left, right] = [baseline.measures, candidate.measures];
  if (!left || !right) {
    notes.push("One of the results does not say what it was scored with: scores of one name are taken to be the same.");
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
  if (checks.length > 0) leave(checks, "the runs checked for something else under the same name");
  if (left.overall !== right.overall) leave(["overall"], "the runs made it of different scores");
  const own = left.weighted ? [] : [...ownScores(baseline, candidate), ...ownScores(candidate, baseline)];
  if (own.length > 0)
    leave(["overall"], `${own.join(", ")} ${own.length === 1 ? "is" : "are"} part of it in one of the runs only`);
  const labels = left.labels === right.labels ? [] : labelScores(baseline.tally, candidate.tally);
  if (labels.length > 0) leave([...labels, "overall"], "the runs labelled replies in different ways");
  return { leaveOut, notes };
}

/** A check that one run alone has may share its name with a check of a turn in the other. */
function differingChecks(left: Measures["checks"], right: Measures["checks"]): string[] {
  if (!left || !right) return [];
  return Object.keys({ ...left, ...right }).filter((name) => left[name] !== right[name]);
}

/** What a check is called that was given no name. */
const checkName = /^(?:contains|equals|similarity|regex|json_schema|numeric|length|latency|cost|rubric)(?:_\d+)?$/;

/** Scores of the operator's own scorers that one run has for a reply and the other for none, though it has an `overall` there. */
function ownScores(one: Side, other: Side): string[] {
  const names = new Set<string>();
  for (const [scenario, turns] of one.tally.scenarios) {
    for (const [id, { sums }] of turns) {
      const beside = other.tally.scenarios.get(scenario)?.get(id)?.sums;
      if (sums.has("overall") && beside?.has("overall")) for (const name of sums.keys()) names.add(name);
    }
  }
  return [...names].filter((name) => isOwn(name, one) && !isScored(other.tally, name));
}

function isOwn(name: string, { measures, tally }: Side): boolean {
  const isOurs = reservedScores.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix));
  const isCheck = checkName.test(name) || tally.named_checks.has(name) || Object.hasOwn(measures?.checks ?? {}, name);
  return !isOurs && !isCheck;
}

function labelScores(...sides: readonly Side["tally"][]): string[] {
  const turns = sides.values().flatMap((tally) => turnSums(tally));
  const names = new Set(turns.flatMap((sums) => sums.keys()));
  return [...names].filter((name) => name === "metadata_match" || name.startsWith("metadata."));
}

function isScored(tally: Side["tally"], name: string): boolean {
  return turnSums(tally).some((sums) => sums.has(name));
}

/** The scores of each turn, by name. */
function turnSums({ scenarios }: Side["tally"]) {
  return scenarios.values().flatMap((interactions) => interactions.values().map(({ sums }) => sums));
}
