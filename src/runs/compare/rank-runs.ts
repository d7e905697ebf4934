import { ServiceError } from "../../contract/errors/errors.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { ComparedRun, RankedRun, RunRanking } from "../../contract/schemas/comparison.ts";
import type { RunSummary } from "../../contract/schemas/run.ts";
import { basisOf, scoreNamesOf } from "../../evaluation/comparison/closeness.ts";
import { allRunsText, rankScore, rankingSentence } from "../../evaluation/comparison/rank-score.ts";
import { shareScore } from "../../evaluation/comparison/shared-score.ts";
import { isProportionMethod } from "../../evaluation/statistics/score-stats.ts";
import { getOwnedRun } from "../stored/find-run.ts";
import { commonAttempts, failedReplyNotes, incomparableReason, type ComparedSide } from "./compare-sides.ts";
import { incomparableScores } from "../stored/score-definitions.ts";
import { toComparedRun, readFailedReplies, readComparedRun } from "./stored-side.ts";

/** One of several runs to rank. */
interface RankedSide extends ComparedRun {
  readonly summary: Pick<
    RunSummary,
    "average_scores" | "score_stats" | "interactions" | "failed" | "cost" | "latency_ms"
  > | null;
}

/** Ranks runs by one score. Runs are added in the requested order; apart from the first only their means are kept. */
interface SideRanking {
  add(side: ComparedSide): void;
  finish(notes: readonly string[]): RunRanking;
}

export function createRanking(
  score: string,
  runs: readonly RankedSide[],
  titles: readonly string[] = runTitles(runs),
): SideRanking {
  const shared = shareScore(score);
  let first: ComparedSide | null = null;
  let added = 0;
  let reason: string | null = null;
  const names = new Set<string>();
  let audited = true;

  return {
    add(side) {
      first ??= side;
      const run = runs[added];
      const [title = "", other = ""] = [titles[0], titles[added]].map((name) => `the run ${name}`);
      reason ??=
        incomparableReason([first, side], [title, other]) ??
        whyNotScored(score, run, other) ??
        whyNotSame(score, first, side);
      added++;
      audited &&= !side.unaudited.has(score);
      if (reason !== null) return;
      shared.add(side.tally);
      for (const name of scoreNamesOf(side.tally)) names.add(name);
    },
    finish(notes) {
      const ranking = reason === null ? rankScore(score, shared, { binary: isShare(score, runs) }) : null;
      if (!ranking || ranking.scenarios === 0) {
        const why =
          reason ??
          `There is no turn that ${allRunsText(runs.length)} were asked and that has ${score} in all of them.`;
        return refusedRanking(score, why, notes);
      }
      const closeness = basisOf(score, names) === "closeness";
      return {
        comparable: true,
        reason: null,
        score,
        ...(closeness && { closeness }),
        sentence: rankingSentence(score, ranking, { titles, closeness, audited }),
        runs: ranking.runs.map(({ run, worse_than, ...figures }) => ({
          ...aboutSide(runs[run] as RankedSide),
          ...figures,
          worse_than: worse_than.map((better) => runs[better]?.run_id ?? ""),
        })),
        scenarios: ranking.scenarios,
        interactions: ranking.interactions,
        scenarios_needed: ranking.scenarios_needed,
        notes: [...notes],
      };
    },
  };
}

/** `overall` if every run has it, else `success`. */
export function defaultRankingScore(runs: readonly Pick<RankedSide, "summary">[]): string {
  return runs.every(({ summary }) => summary && "overall" in summary.average_scores) ? "overall" : "success";
}

/** True when the runs treat the score as a proportion, as they do for checks. */
function isShare(score: string, runs: readonly RankedSide[]): boolean {
  return runs.some(({ summary }) => isProportionMethod(summary?.score_stats[score]?.method ?? ""));
}

function whyNotScored(score: string, run: RankedSide | undefined, title: string): string | null {
  const names = Object.keys(run?.summary?.average_scores ?? {});
  if (names.includes(score)) return null;
  return `No turn of ${title} has ${score}; ${names.length === 0 ? "it has no scores" : `it has ${names.join(", ")}`}.`;
}

function whyNotSame(score: string, first: ComparedSide, side: ComparedSide): string | null {
  const versions = new Set([...first.tally.scoring_versions, ...side.tally.scoring_versions]);
  if (versions.size > 1)
    return `The runs have different scoring versions (${[...versions].join(", ")}); rescore the older ones.`;
  const { leaveOut, notes } = incomparableScores(first, side);
  return leaveOut.has(score)
    ? `They measured ${score} in different ways. ${notes.join(" ")} Choose another score, or score them again with the same settings.`
    : null;
}

/** A title per run: its model, with more detail where several runs share a model. */
export function runTitles(runs: readonly ComparedRun[]): string[] {
  const isUnique = (title: string, of: (run: ComparedRun) => string): boolean =>
    runs.filter((run) => of(run) === title).length === 1;
  const model = ({ model_id }: ComparedRun): string => model_id;
  const test = ({ model_id, test_name }: ComparedRun): string => `${test_name} on ${model_id}`;
  return runs.map((run) => {
    if (isUnique(model(run), model)) return model(run);
    return isUnique(test(run), test) ? test(run) : `${model(run)} (${run.run_id})`;
  });
}

type Costs = Pick<RankedRun, "failed" | "cost_per_1000_turns" | "latency_ms">;

function aboutSide({ summary, ...run }: RankedSide): ComparedRun & Costs {
  const { failed = 0, interactions = 0, cost, latency_ms } = summary ?? {};
  const isPriced = cost?.unpriced === 0 && interactions > 0;
  return {
    ...run,
    failed,
    cost_per_1000_turns: isPriced ? (1_000 * cost.total) / interactions : null,
    latency_ms: latency_ms?.p50 ?? null,
  };
}

function refusedRanking(score: string, reason: string, notes: readonly string[]): RunRanking {
  return {
    comparable: false,
    reason,
    score,
    sentence: `Can't rank these runs by ${score}. ${reason}`,
    runs: [],
    scenarios: 0,
    interactions: 0,
    scenarios_needed: null,
    notes: [...notes],
  };
}

/** Ranks stored runs by one score, `overall` by default. Runs that cannot be ranked are refused with a reason in the result. */
export async function rankStoredRuns(
  store: Store,
  {
    ids,
    score,
    titles: named,
  }: { ids: readonly string[]; score?: string | undefined; titles?: readonly string[] | undefined },
  { owner }: { owner?: string | null } = {},
): Promise<RunRanking> {
  const runs: RunRecord[] = [];
  for (const id of new Set(ids)) runs.push(await getOwnedRun(store, id, owner));
  if (runs.length < 2) throw new ServiceError("validation_failed", "Name at least two runs.");
  const sides = runs.map((run) => ({ ...toComparedRun(run), summary: run.summary }));
  const chosen = score ?? defaultRankingScore(sides);
  const titles = named ?? runTitles(sides);
  const attempts = commonAttempts(runs.map(({ settings }, index) => [`the run ${titles[index]}`, settings]));
  const failed = await readFailedReplies(store, runs);
  const ranking = createRanking(chosen, sides, titles);
  // Runs are read one at a time, so that only the first is held completely.
  for (const run of runs) ranking.add(await readComparedRun(store, run, { attempts: attempts.most, failed }));
  return ranking.finish([...attempts.notes, ...failedReplyNotes(failed, { ...attempts, score: chosen })]);
}
