import type { ScenarioPair } from "./compare-score.ts";
import type { CountedReplies, RunTally, ScoreSum, TalliedInteraction } from "./run-tally.ts";

/** One score of two runs, as a decision counts it: a missing reply is 0. */
export interface DecisionPairs {
  /**
   * Without the attempts in which the baseline gave no reply. "Better" and "not worse" rest on these: the baseline's failures
   * must not let a candidate pass.
   */
  readonly strict: readonly ScenarioPair[];
  /** With 0 for missing replies of either side. "Worse" rests on these, so that two runs that fail alike are not called different. */
  readonly even: readonly ScenarioPair[];
  readonly missing: MissingReplies;
}

export interface MissingReplies {
  /** Missing replies of the candidate that count as 0. */
  readonly candidate: number;
  /** Replies that the baseline is missing. The same attempts of the candidate are left out of `strict`. */
  readonly baseline: number;
  /** Scenarios of both runs in which only one side has the score. */
  readonly unscored: number;
}

/** Pairs two runs in one score for a decision. In tallies without `unanswered`, nothing counts as missing. */
export function pairForDecision(baseline: RunTally, candidate: RunTally, name: string): DecisionPairs {
  const strict: ScenarioPair[] = [];
  const even: ScenarioPair[] = [];
  const missing = { candidate: 0, baseline: 0, unscored: 0 };
  const ofConversation = [baseline, candidate].some((run) => run.conversation_scores.has(name));
  for (const [scenario_id, theirs] of baseline.scenarios) {
    const ours = candidate.scenarios.get(scenario_id);
    const shared = [...theirs].flatMap(([id, left]) => {
      const right = ours?.get(id);
      return right?.content === left.content ? [{ left, right }] : [];
    });
    if (ofConversation && !(shared.length === theirs.size && shared.length === ours?.size)) continue;
    const [known, whole] = (["strict", "even"] as const).map((kind) => meansOf(shared, { name, kind, ofConversation }));
    if (known && known.interactions > 0) strict.push({ scenario_id, ...known.means, interactions: known.interactions });
    else if (shared.some(({ left, right }) => left.sums.has(name) !== right.sums.has(name))) missing.unscored++;
    if (whole && whole.interactions > 0) even.push({ scenario_id, ...whole.means, interactions: whole.interactions });
    missing.candidate += known?.missing.candidate ?? 0;
    missing.baseline += whole?.lost ?? 0;
  }
  return { strict, even, missing };
}

/** The mean of one run in each scenario, with 0 for missing replies, and their number. */
export function meansForDecision(
  { scenarios, conversation_scores }: RunTally,
  name: string,
): { readonly means: ReadonlyMap<string, number>; readonly missing: number } {
  const means = new Map<string, number>();
  let missing = 0;
  for (const [scenario_id, turns] of scenarios) {
    const replies = [...turns.values()].map((turn) => scenarioReplies(turn, { name, kind: "even" }));
    const lost = replies.reduce((sum, side) => sum + side.missing, 0);
    const values = conversation_scores.has(name)
      ? replies.flatMap(({ sums }) => attemptAverage(sums.get(name), 0) ?? [])
      : replies.flatMap(({ sums, missing: zeros }) => attemptAverage(sums.get(name), zeros) ?? []);
    missing += lost;
    if (values.length > 0) means.set(scenario_id, values.reduce((sum, value) => sum + value, 0) / values.length);
    else if (lost > 0) means.set(scenario_id, 0);
  }
  return { means, missing };
}

interface PairOptions {
  readonly name: string;
  readonly kind: "strict" | "even";
  readonly ofConversation: boolean;
}

/** The means of both sides over the turns that both have the score of, or would have if a reply were not missing. */
function meansOf(
  turns: readonly { readonly left: TalliedInteraction; readonly right: TalliedInteraction }[],
  options: PairOptions,
) {
  const sums = { baseline: 0, candidate: 0 };
  const missing = { candidate: 0 };
  let interactions = 0;
  const sides = turns.map(({ left, right }) => ({
    baseline: scenarioReplies(left, options),
    candidate: scenarioReplies(right, options),
  }));
  const lost = (role: "baseline" | "candidate") => sides.reduce((sum, side) => sum + side[role].missing, 0);
  for (const { baseline, candidate } of sides) {
    const [before, after] = [baseline.sums.get(options.name), candidate.sums.get(options.name)];
    if (!before && !after) continue;
    // A verdict on a conversation is missing if any of its replies is, and only if the other side has more.
    const zerosOf = (role: "baseline" | "candidate", own?: ScoreSum, other?: ScoreSum): number => {
      if (!options.ofConversation) return (role === "baseline" ? baseline : candidate).missing;
      return Math.max(0, Math.min(lost(role), (other?.count ?? 0) - (own?.count ?? 0)));
    };
    const zeros = { baseline: zerosOf("baseline", before, after), candidate: zerosOf("candidate", after, before) };
    const means = {
      baseline: attemptAverage(before, zeros.baseline),
      candidate: attemptAverage(after, zeros.candidate),
    };
    if (means.baseline === null || means.candidate === null) continue;
    interactions++;
    sums.baseline += means.baseline;
    sums.candidate += means.candidate;
    missing.candidate += zeros.candidate;
  }
  const means = { baseline: sums.baseline / interactions, candidate: sums.candidate / interactions };
  return { means, missing, lost: lost("baseline"), interactions };
}

/** Null without a reply that has the score, or is missing. */
function attemptAverage(scored: ScoreSum | undefined, missing: number): number | null {
  const count = (scored?.count ?? 0) + missing;
  return count === 0 ? null : (scored?.sum ?? 0) / count;
}

function scenarioReplies(turn: TalliedInteraction, { name, kind }: Pick<PairOptions, "name" | "kind">): CountedReplies {
  // A missing reply has `success`, so that score has no missing values.
  if (name === "success" || !turn.decisive) return { sums: turn.sums, missing: 0 };
  return turn.decisive[kind];
}

/** Says what of both runs counted as 0 or not at all; begins with a space. Empty when nothing is missing. */
export function missingText({ candidate, baseline, unscored }: MissingReplies): string {
  const parts = [
    ...(candidate > 0
      ? [`${candidate} missing ${candidate === 1 ? "reply" : "replies"} of the candidate ${countsAs(candidate)} as 0.`]
      : []),
    ...(baseline > 0
      ? [`Left out: ${baseline} ${baseline === 1 ? "reply" : "replies"} that the baseline is missing.`]
      : []),
    ...(unscored > 0
      ? [`Left out: ${unscored} ${unscored === 1 ? "scenario" : "scenarios"} without the score on both sides.`]
      : []),
  ];
  return parts.map((part) => ` ${part}`).join("");
}

const countsAs = (count: number): string => (count === 1 ? "counts" : "count");
