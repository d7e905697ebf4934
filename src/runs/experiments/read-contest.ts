import { ServiceError } from "../../contract/errors/errors.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import { passRateMeasure } from "../../contract/schemas/margins.ts";
import type { SequencePlan } from "../../contract/schemas/evaluation-request.ts";
import { passThreshold } from "../../contract/schemas/outcome.ts";
import { finalStates } from "../../contract/schemas/run.ts";
import { compareSequence, type ComparedSequence } from "../../evaluation/comparison/sequence.ts";
import { commonAttempts } from "../compare/compare-sides.ts";
import { readComparedRun, readFailedReplies } from "../compare/stored-side.ts";
import { finishedScenarios } from "../stored/finished-scenarios.ts";

/** One comparison of a contest, as far as its scenarios are complete on both sides. */
export interface ContestPair {
  readonly baseline: RunRecord;
  readonly candidate: RunRecord;
  readonly compared: ComparedSequence;
  /** True when no further scenario can count: there are no more, or a run has ended before. */
  readonly isStuck: boolean;
}

/** More than two variants that are compared until it is decided. */
export interface Contest {
  readonly pairs: readonly ContestPair[];
  /** Those that exist. */
  readonly runs: number;
  /** Scenarios of the plan. */
  readonly planned: number;
  /** Ids of the runs that another variant was shown to beat. */
  readonly losers: ReadonlySet<string>;
  /** Ids of the runs that no comparison needs any more. */
  readonly over: ReadonlySet<string>;
  /** Scenarios that are complete in every run that goes on, from the first on in the order of this one. */
  completeFor(run: RunRecord["id"]): number;
}

/**
 * Compares the variants pair by pair. With a margin, each is compared with the baseline; otherwise all are compared with each other.
 * Every comparison has an equal part of the 5 %, so that all verdicts are right at once with 95 %, whenever a run stops: a variant that
 * is shown to be worse than another is dropped, and the others go on.
 */
export async function readContest(store: Store, of: RunRecord, { trace = false } = {}): Promise<Contest> {
  const { sequence } = of.settings;
  if (!sequence) throw new ServiceError("not_found", `The run ${of.id} has a fixed number of attempts.`);
  const runs: RunRecord[] = [];
  for (const id of sequence.rivals ?? []) {
    const run = await store.runs.get(id);
    if (run) runs.push(run);
  }
  const { most } = commonAttempts(runs.map(({ id, settings }) => [id, settings]));
  // Before the scores, so that those of a finished scenario are all read.
  const done = new Map<string, ReadonlySet<string>>();
  /** Runs in which no further scenario becomes complete. */
  const ended = new Set<string>();
  for (const run of runs) {
    const { ids, skipped } = await finishedScenarios(store, run);
    done.set(run.id, ids);
    if (skipped || finalStates.has(run.state) || run.state === "cancelling") ended.add(run.id);
  }
  const failed = await readFailedReplies(store, runs);
  const margins = sequence.score === passRateMeasure ? { [passRateMeasure]: 0.1 } : undefined;
  const sides = new Map<string, Awaited<ReturnType<typeof readComparedRun>>>();
  for (const run of runs) {
    const options = { attempts: most, failed, unanswered: failed, ...(margins && { margins }) };
    sides.set(run.id, await readComparedRun(store, run, options));
  }
  const couples = couplesOf(runs, sequence.margin !== undefined);
  const pairs = couples.map(([baseline, candidate]): ContestPair => {
    const [left, right] = [sides.get(baseline.id)!, sides.get(candidate.id)!];
    // One order for both ways of looking at a pair.
    const order = orderOf(sides.get(runs[0]!.id)!.scenarios);
    const complete = prefix(order, (id) => done.get(baseline.id)!.has(id) && done.get(candidate.id)!.has(id));
    const compared = compareSequence({
      candidate: right.tally,
      against: left.tally,
      score: sequence.score,
      passThreshold: passThreshold(candidate.settings),
      order,
      complete,
      margin: sequence.margin ?? null,
      comparisons: comparisonsOf(sequence),
      trace,
    });
    const next = order[complete];
    const isStuck =
      next === undefined || [baseline, candidate].some(({ id }) => ended.has(id) && !done.get(id)!.has(next));
    return { baseline, candidate, compared, isStuck };
  });
  const losers = new Set(pairs.flatMap((pair) => loserOf(pair) ?? []));
  const open = pairs.filter(
    ({ baseline, candidate, compared, isStuck }) =>
      !isStuck && compared.verdict === null && !losers.has(baseline.id) && !losers.has(candidate.id),
  );
  const needed = new Set(open.flatMap(({ baseline, candidate }) => [baseline.id, candidate.id]));
  const over = new Set(runs.filter(({ id }) => !needed.has(id)).map(({ id }) => id));
  const live = runs.filter(({ id }) => !over.has(id) && !ended.has(id));
  return {
    pairs,
    runs: runs.length,
    planned: sides.get(of.id)?.scenarios.length ?? 0,
    losers,
    over,
    completeFor: (id) =>
      prefix(orderOf(sides.get(id)?.scenarios ?? []), (scenario) =>
        live.every((run) => done.get(run.id)!.has(scenario)),
      ),
  };
}

/** Comparisons that must all be right at once: of all pairs, or with a margin of each variant with the baseline. */
export function comparisonsOf({ rivals = [], margin }: Pick<SequencePlan, "rivals" | "margin">): number {
  const count = rivals.length;
  return margin === undefined ? (count * (count - 1)) / 2 : count - 1;
}

/** The name of the variant that was shown to be better than this run. */
export async function rivalThatBeat(store: Store, run: RunRecord): Promise<string | undefined> {
  const { pairs } = await readContest(store, run);
  const lost = pairs.find((pair) => loserOf(pair) === run.id);
  const winner = lost?.baseline.id === run.id ? lost.candidate : lost?.baseline;
  return winner?.settings.experiment?.variant;
}

const orderOf = (scenarios: readonly { readonly id: string }[]): string[] => scenarios.map(({ id }) => id);

function prefix(order: readonly string[], isComplete: (id: string) => boolean): number {
  const missing = order.findIndex((id) => !isComplete(id));
  return missing === -1 ? order.length : missing;
}

/** With a margin: every candidate against the baseline. */
function couplesOf(runs: readonly RunRecord[], hasMargin: boolean): [RunRecord, RunRecord][] {
  const ordered = runs.toSorted((left, right) => sideNumber(left) - sideNumber(right));
  const all = ordered.flatMap((baseline, index) =>
    ordered.slice(index + 1).map((candidate): [RunRecord, RunRecord] => [baseline, candidate]),
  );
  return hasMargin ? all.filter(([baseline]) => sideNumber(baseline) === 0) : all;
}

const sideNumber = ({ settings }: RunRecord): number => (settings.sequence?.side === "baseline" ? 0 : 1);

function loserOf({ baseline, candidate, compared: { verdict } }: ContestPair): string | null {
  if (verdict === "worse" || verdict === "less_close") return candidate.id;
  return verdict === "better" || verdict === "closer" ? baseline.id : null;
}
