import { compact } from "../../base/compact.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { Warning } from "../../contract/errors/problem.ts";
import type { RunSettings, SequencePlan } from "../../contract/schemas/evaluation-request.ts";
import { passRateMeasure } from "../../contract/schemas/margins.ts";
import { passThreshold } from "../../contract/schemas/outcome.ts";
import { scoringVersion } from "../../contract/schemas/scores/score.ts";
import { finalStates, type RunSummary } from "../../contract/schemas/run.ts";
import type { RunSequence, SequenceDecision } from "../../contract/schemas/sequence.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { compareSequence, sequenceSentence } from "../../evaluation/comparison/sequence.ts";
import { createFailedReplies, createRunTally } from "../../evaluation/comparison/run-tally.ts";
import { fewestScenarios } from "../../evaluation/statistics/sequence.ts";
import { comparisonsOf, rivalThatBeat } from "../experiments/read-contest.ts";
import { creationMs, finishedScenarios } from "../stored/finished-scenarios.ts";
import { invalidFieldsError } from "../plan/fields-error.ts";
import { commonPairAttempts } from "../compare/compare-sides.ts";
import { readComparedRun, readFailedReplies } from "../compare/stored-side.ts";

/** A comparison as far as its scenarios are complete. */
interface SequenceProgress {
  readonly sequence: RunSequence;
  /** Scenarios that are complete on both sides, from the first on. */
  readonly complete: number;
  /** True when no further scenario can count: it is decided, or the other side has ended. */
  readonly over: boolean;
}

/** The run whose settings describe the comparison: the candidate. Null when it no longer exists. */
export async function candidateOf(store: Store, run: RunRecord): Promise<RunRecord | null> {
  const { sequence } = run.settings;
  if (!sequence)
    throw new ServiceError("not_found", `The run ${run.id} has a fixed number of attempts.`, {
      hint: 'Only runs with attempts {"until": "decided"} have a sequence. Compare two runs with GET /compare.',
    });
  if (sequence.side === "candidate") return run;
  return sequence.opponent === undefined ? null : store.runs.get(sequence.opponent);
}

/** Refuses a comparison with a run that does not exist, has not ended or cannot be compared, before the first call. */
export async function requireOpponent(
  store: Store,
  { settings, scenarios, owner }: { settings: RunSettings; scenarios: readonly Scenario[]; owner: string | null },
): Promise<readonly Warning[]> {
  const id = settings.sequence?.against.run;
  if (id === undefined) return [];
  const refuse = (message: string): never => {
    throw invalidFieldsError([{ pointer: "/attempts/against/run", code: "invalid", message }]);
  };
  const found = await store.runs.get(id);
  if (!found || (owner !== null && found.owner !== owner)) return refuse("must be the id of a stored run");
  if (!finalStates.has(found.state)) return refuse(`has not ended (${found.state})`);
  const finished = await finishedScenarios(store, found);
  const shared = scenarios.filter((scenario) => finished.ids.has(scenario.id)).length;
  const fewest = fewestScenarios({ planned: scenarios.length, margin: settings.sequence?.margin });
  if (shared < fewest) refuse(`has ${shared} of these scenarios: it takes at least ${fewest} to decide anything`);
  const saw = ({ history }: RunSettings): string => (history === "reference" ? "reference" : "generated");
  if (saw(found.settings) !== saw(settings)) refuse("has another history, so its replies cannot be compared");
  const { tally } = await readComparedRun(store, found, { attempts: 1, failed: createFailedReplies() });
  if ([...tally.scoring_versions].some((version) => version !== scoringVersion))
    refuse(`was scored by an earlier version: score it again with rehearsal runs rescore ${id}`);
  if (shared === scenarios.length) return [];
  const message = `has ${shared} of these ${scenarios.length} scenarios; the others run and do not count`;
  return [{ pointer: "/attempts/against/run", message }];
}

/** Reads both sides and follows the differences. `concluding` is set while the end of the candidate is being stored. */
export async function readSequence(
  store: Store,
  candidate: RunRecord,
  {
    concluding = false,
    trace = true,
    unaudited = candidate.summary?.unaudited_scores ?? [],
  }: { concluding?: boolean; trace?: boolean; unaudited?: readonly string[] | undefined } = {},
): Promise<SequenceProgress> {
  const plan = candidate.settings.sequence as SequencePlan;
  const baselineId = plan.opponent ?? plan.against.run ?? null;
  const baseline = baselineId === null ? null : await store.runs.get(baselineId);
  const { most } = commonPairAttempts(baseline?.settings ?? candidate.settings, candidate.settings);
  // Before the scores, so that those of a finished scenario are all read.
  const done = await finishedScenarios(store, candidate);
  const doneThere = baseline && (await finishedScenarios(store, baseline));
  const tallied = compact({
    attempts: most,
    failed: await readFailedReplies(store, [candidate, ...(baseline ? [baseline] : [])]),
    unanswered: await readFailedReplies(store, baseline ? [baseline] : []),
    margins: plan.score === passRateMeasure ? { [passRateMeasure]: 0.1 } : undefined,
  });
  const ours = await readComparedRun(store, candidate, tallied);
  const theirs = baseline && (await readComparedRun(store, baseline, tallied));
  const order = ours.scenarios.map(({ id }) => id);
  // A scenario that an ended run does not have is left out, and holds up no other.
  const isThere = (id: string): boolean => plan.opponent === undefined || (doneThere?.ids.has(id) ?? false);
  const isComplete = (id: string): boolean => done.ids.has(id) && isThere(id);
  const missing = order.findIndex((id) => !isComplete(id));
  const complete = missing === -1 ? order.length : missing;
  const threshold = plan.against.threshold ?? null;
  const audited = !unaudited.includes(plan.score) && !theirs?.unaudited.has(plan.score);
  const compared = compareSequence({
    candidate: ours.tally,
    // Nothing can be compared with a run that was deleted.
    against: theirs?.tally ?? threshold ?? createRunTally(),
    score: plan.score,
    passThreshold: passThreshold(candidate.settings),
    order,
    complete,
    margin: plan.margin ?? null,
    comparisons: plan.rivals && comparisonsOf(plan),
    trace,
  });
  const beaten_by = plan.rivals ? await rivalThatBeat(store, candidate) : undefined;
  const stopped_by =
    compared.verdict || beaten_by !== undefined
      ? ("decided" as const)
      : stopReason({
          candidate,
          baseline,
          baselineId,
          concluding,
          isWhole: complete === order.length,
          isSkipping: done.skipped || (plan.opponent !== undefined && (doneThere?.skipped ?? false)),
        });
  const told = compact({
    score: plan.score,
    margin: plan.margin ?? null,
    verdict: compared.verdict ?? ("undecided" as const),
    stopped_by,
    scenarios: compared.scenarios,
    planned: order.length,
    left_out: compared.left_out,
    bound: compared.bound ?? undefined,
    undetected_failures: compared.undetected ?? undefined,
    missing_as_zero: compared.missing.candidate || undefined,
    effect: compared.scenarios === 0 ? null : compared.effect,
    lower: compared.scenarios === 0 ? null : compared.lower,
    upper: compared.scenarios === 0 ? null : compared.upper,
    beaten_by,
  });
  return {
    sequence: {
      ...told,
      sentence: sequenceSentence({ ...told, threshold, audited }),
      candidate: candidate.id,
      baseline: baselineId,
      threshold,
      estimand: estimandOf(plan, most),
      points: [...compared.points],
    },
    complete,
    over: stopped_by !== null,
  };
}

/** The mean over scenarios like these: the suite is a sample, in random order. */
function estimandOf({ score, against }: SequencePlan, attempts: number): string {
  const times = attempts === 1 ? "one attempt" : `${attempts} attempts`;
  const minus = against.threshold === undefined ? "candidate minus baseline" : `minus ${against.threshold}`;
  return `Mean of ${score}, ${minus}, over scenarios like these with ${times} each.`;
}

interface StopFacts {
  readonly candidate: RunRecord;
  readonly baseline: RunRecord | null;
  readonly baselineId: string | null;
  readonly concluding: boolean;
  /** True when every scenario is complete. */
  readonly isWhole: boolean;
  /** True when a side has begun to skip attempts. */
  readonly isSkipping: boolean;
}

/** Null while more scenarios can become complete. */
function stopReason(facts: StopFacts): RunSequence["stopped_by"] {
  const { candidate, baseline, baselineId, concluding, isWhole, isSkipping } = facts;
  if (isWhole) return "scenarios";
  const isLive = candidate.settings.sequence?.opponent !== undefined;
  // The two runs are created one after the other.
  const isGone = baselineId !== null && !baseline && Date.now() - candidate.created_at > creationMs;
  const live = [candidate, ...(isLive && baseline ? [baseline] : [])];
  if (isGone || live.some(({ state }) => ["cancelling", "cancelled", "failed"].includes(state))) return "cancelled";
  const ended = live.filter(({ state }) => finalStates.has(state));
  if (ended.length === 0 && !concluding && !isSkipping) return null;
  return live.some(({ settings }) => settings.budget) ? "budget" : "scenarios";
}

/** Adds the decision to the summary of an ended run that stops when it is decided. */
export async function withDecision(summary: RunSummary, run: RunRecord, store: Store): Promise<RunSummary> {
  if (run.settings.sequence?.side !== "candidate") return summary;
  const { sequence } = await readSequence(store, run, { concluding: true, unaudited: summary.unaudited_scores });
  const {
    candidate: _run,
    baseline: _other,
    threshold: _value,
    estimand: _text,
    points: _points,
    ...decision
  } = sequence;
  return {
    ...summary,
    ...(decision.stopped_by === "decided" && decision.scenarios < decision.planned && { stopped_by: "decided" }),
    decision: decision satisfies SequenceDecision,
  };
}
