import { compact } from "../../base/compact.ts";
import { truncateText } from "../../base/text.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { RunRanking } from "../../contract/schemas/comparison.ts";
import type {
  Experiment,
  ExperimentCell,
  ExperimentPair,
  ExperimentVariant,
} from "../../contract/schemas/experiment.ts";
import { passRateMeasure } from "../../contract/schemas/margins.ts";
import { passThreshold, storedOutcome } from "../../contract/schemas/outcome.ts";
import { finalStates } from "../../contract/schemas/run.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { mainEffects } from "../../evaluation/comparison/main-effects.ts";
import { sequenceSentence } from "../../evaluation/comparison/sequence.ts";
import { shareScore } from "../../evaluation/comparison/shared-score.ts";
import { createFailedReplies } from "../../evaluation/comparison/run-tally.ts";
import { mean } from "../../evaluation/statistics/descriptive.ts";
import { commonAttempts } from "../compare/compare-sides.ts";
import { defaultRankingScore, rankStoredRuns } from "../compare/rank-runs.ts";
import { readComparedRun, readFailedReplies } from "../compare/stored-side.ts";
import { readContest } from "./read-contest.ts";

export interface ExperimentOptions {
  readonly score?: string | undefined;
  /** Maximum number of rows. Default: all. */
  readonly limit?: number | undefined;
}

/** The experiment of this id, or that of one of its runs: the newest run of every variant, side by side. */
export async function readExperiment(
  store: Store,
  named: string,
  { owner, score: asked, limit = Infinity }: ExperimentOptions & { readonly owner: string | null | undefined },
): Promise<Experiment> {
  const runs = await newestRuns(store, named, owner);
  const [first] = runs;
  if (!first) throw new ServiceError("run_not_found", `There is no experiment ${named}.`);
  const { sequence } = first.settings;
  const score = asked ?? sequence?.score ?? (runs.every(isEnded) ? defaultRankingScore(runs) : "overall");
  const tables: VariantTable[] = [];
  for (const run of runs) tables.push(await readVariant(store, run, score));
  const names = runs.map(nameOf);
  const isWhole = runs.every(isEnded);
  const pairs = sequence ? await readPairs(store, runs, names) : undefined;
  const ranking =
    isWhole && runs.length > 1 && !pairs && score !== passRateMeasure
      ? await rank(store, { runs, names, score, owner })
      : null;
  const rows = toRows(tables);
  return compact({
    experiment_id: first.settings.experiment?.id ?? first.id,
    test_name: testName(first),
    state: stateOf(runs),
    score,
    sentence: sentenceOf({ runs, ranking, pairs }),
    best: bestOf({ names, runs, ranking, pairs }),
    variants: runs.map((run, index) => toVariant(run, tables[index] as VariantTable, pairs)),
    ranking,
    pairs,
    effects: isWhole && !sequence ? await readEffects(store, runs, score) : [],
    rows: rows.slice(0, limit),
    scenarios: rows.length,
  });
}

const isEnded = ({ state }: RunRecord): boolean => finalStates.has(state);
const nameOf = ({ settings }: RunRecord): string => settings.experiment?.variant ?? settings.test_name;

/** Of several runs of one variant, which joined one after the other, the newest. In the order in which the variants came. */
async function newestRuns(store: Store, named: string, owner: string | null | undefined): Promise<RunRecord[]> {
  const run = await store.runs.get(named);
  const isTheirs = run && (owner === null || owner === undefined || run.owner === owner);
  if (isTheirs && !run.settings.experiment)
    throw new ServiceError("not_found", `The run ${named} is not part of an experiment.`, {
      hint: "Only runs of a request with variants are. Compare other runs with GET /compare and GET /rank.",
    });
  const id = (isTheirs ? run.settings.experiment?.id : undefined) ?? named;
  const all: RunRecord[] = [];
  let cursor: string | undefined;
  do {
    const filter = { experiment: id, limit: 100, cursor };
    const page = await store.runs.list(typeof owner === "string" ? { ...filter, owner } : filter);
    all.push(...page.runs);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && all.length < mostRuns);
  const oldestFirst = all
    .toReversed()
    .toSorted((left, right) => left.created_at - right.created_at || placeOf(left) - placeOf(right));
  const byName = Map.groupBy(oldestFirst, nameOf);
  return [...byName.values()].flatMap((list) => list.at(-1) ?? []);
}

const mostRuns = 500;

const placeOf = ({ id, settings }: RunRecord): number => settings.experiment?.runs.indexOf(id) ?? 0;

function testName(run: RunRecord): string {
  const { test_name } = run.settings;
  const suffix = ` (${nameOf(run)})`;
  return test_name.endsWith(suffix) ? test_name.slice(0, -suffix.length) : test_name;
}

function stateOf(runs: readonly RunRecord[]): Experiment["state"] {
  if (!runs.every(isEnded)) return "running";
  return (["failed", "cancelled"] as const).find((state) => runs.some((run) => run.state === state)) ?? "completed";
}

interface VariantTable {
  readonly cells: ReadonlyMap<string, ExperimentCell>;
  readonly scenarios: readonly Scenario[];
  readonly replies: number;
  readonly reused: number;
  readonly oldest: string | null;
  readonly passed: number;
}

const shownCharacters = 600;

/** One column: what a variant did in every scenario. */
async function readVariant(store: Store, run: RunRecord, score: string): Promise<VariantTable> {
  const scenarios = await store.runs.scenarios(run.id);
  const threshold = passThreshold(run.settings);
  const tallied = { attempts: run.settings.attempts, failed: createFailedReplies() };
  const { tally } = await readComparedRun(store, run, tallied);
  const cells = new Map<string, ExperimentCell>();
  const figures = { replies: 0, reused: 0, oldest: null as string | null, passed: 0 };
  for await (const attempt of store.attempts.withInteractions(run.id)) {
    const scenario = scenarios[attempt.scenario_index];
    if (!scenario || attempt.interactions.length === 0) continue;
    const before = cells.get(scenario.id);
    const isPassed = attempt.state === "done" && storedOutcome(attempt.average_scores ?? {}, threshold) === "passed";
    const last = attempt.interactions.findLast(({ turn_index }) => turn_index < scenario.interactions.length)?.reply;
    const { reused } = last ?? {};
    for (const { reply } of attempt.interactions) {
      figures.replies += 1;
      if (!reply.reused) continue;
      figures.reused += 1;
      if (figures.oldest === null || reply.reused.at < figures.oldest) figures.oldest = reply.reused.at;
    }
    if (isPassed) figures.passed += 1;
    const passed = (before?.passed ?? 0) + (isPassed ? 1 : 0);
    const attempts = (before?.attempts ?? 0) + (attempt.state === "done" ? 1 : 0);
    const reply = before ? before.reply : last ? truncateText(last.agent_reply, shownCharacters) : null;
    const value = before ? before.score : scoreIn(tally.scenarios.get(scenario.id), score);
    cells.set(scenario.id, compact({ score: value, passed, attempts, reply, reused: before?.reused ?? reused?.at }));
  }
  return { cells, scenarios, ...figures };
}

type Tallied =
  Awaited<ReturnType<typeof readComparedRun>>["tally"]["scenarios"] extends ReadonlyMap<string, infer Turns>
    ? Turns
    : never;

function scoreIn(turns: Tallied | undefined, score: string): number | null {
  const means = [...(turns?.values() ?? [])].flatMap(({ sums }) => {
    const entry = sums.get(score);
    return entry ? [entry.sum / entry.count] : [];
  });
  return mean(means);
}

function toVariant(
  run: RunRecord,
  { cells, scenarios, replies, reused, oldest, passed }: VariantTable,
  pairs: readonly ExperimentPair[] = [],
): ExperimentVariant {
  const { summary, settings, state } = run;
  const cost = summary?.cost?.unpriced === 0 ? summary.cost.total : null;
  const scores = [...cells.values()].flatMap(({ score }) => score ?? []);
  const isDropped = isEnded(run) && cells.size < scenarios.length && pairs.some((pair) => isBeaten(pair, nameOf(run)));
  return compact({
    name: nameOf(run),
    run_id: run.id,
    model_id: settings.model_id,
    factors: settings.experiment?.factors,
    state,
    mean: mean(scores),
    passing: summary?.scenarios?.passing ?? null,
    cost,
    cost_per_solved: cost === null || passed === 0 ? null : cost / passed,
    replies,
    reused,
    oldest_reused: oldest,
    dropped: isDropped ? (true as const) : undefined,
  });
}

/** Scenarios on which the variants differ most come first. */
function toRows(tables: readonly VariantTable[]): Experiment["rows"] {
  const scenarios = new Map(
    tables.flatMap((table) => table.scenarios.map((scenario) => [scenario.id, scenario] as const)),
  );
  const rows = [...scenarios.values()].map(({ id, interactions }) => {
    const cells = tables.map((table) => table.cells.get(id) ?? null);
    const scores = cells.flatMap((cell) => cell?.score ?? []);
    const message = interactions.findLast(({ simulated }) => !simulated)?.user_message ?? "";
    return {
      scenario_id: id,
      message: truncateText(message, shownCharacters),
      spread: scores.length < 2 ? null : Math.max(...scores) - Math.min(...scores),
      cells,
    };
  });
  const byId = new Intl.Collator("en", { numeric: true });
  return rows.toSorted(
    (left, right) => (right.spread ?? -1) - (left.spread ?? -1) || byId.compare(left.scenario_id, right.scenario_id),
  );
}

interface Ranked {
  readonly runs: readonly RunRecord[];
  readonly names: readonly string[];
  readonly score: string;
  readonly owner: string | null | undefined;
}

async function rank(store: Store, { runs, names, score, owner }: Ranked): Promise<RunRanking> {
  const ids = runs.map(({ id }) => id);
  return rankStoredRuns(store, { ids, score, titles: names }, owner === undefined ? {} : { owner });
}

/** Every comparison that is made until it is decided. */
async function readPairs(
  store: Store,
  runs: readonly RunRecord[],
  names: readonly string[],
): Promise<ExperimentPair[]> {
  const [first] = runs;
  const { sequence } = first?.settings ?? {};
  if (!first || !sequence) return [];
  const rivals = sequence.rivals ?? first.settings.experiment?.runs ?? [];
  const whole = { ...first, settings: { ...first.settings, sequence: { ...sequence, rivals } } };
  const { pairs, planned } = await readContest(store, whole);
  const nameBy = new Map(runs.map(({ id }, index) => [id, names[index] ?? ""]));
  return pairs.map(({ baseline, candidate, compared }) => {
    const isOver = isEnded(baseline) || isEnded(candidate);
    const figures = compared.scenarios === 0 ? { effect: null, lower: null, upper: null } : compared;
    const { effect, lower, upper } = figures;
    const stopped_by = compared.verdict ? ("decided" as const) : isOver ? ("scenarios" as const) : null;
    const said = compact({
      score: sequence.score,
      margin: sequence.margin ?? null,
      verdict: compared.verdict ?? ("undecided" as const),
      stopped_by,
      scenarios: compared.scenarios,
      planned,
      effect,
      lower,
      upper,
      threshold: null,
      bound: compared.bound ?? undefined,
    });
    const [left, right] = [nameBy.get(baseline.id) ?? nameOf(baseline), nameBy.get(candidate.id) ?? nameOf(candidate)];
    return {
      baseline: left,
      candidate: right,
      verdict: said.verdict,
      scenarios: compared.scenarios,
      effect,
      lower,
      upper,
      sentence: `${right} against ${left}: ${sequenceSentence(said)}`,
    };
  });
}

async function readEffects(store: Store, runs: readonly RunRecord[], score: string): Promise<Experiment["effects"]> {
  const factors = runs.map(({ settings }) => settings.experiment?.factors ?? {});
  const settings = Object.keys(factors[0] ?? {});
  const levels = settings.map((setting) => new Set(factors.map((of) => of[setting])).size);
  const combinations = new Set(factors.map((of) => JSON.stringify(settings.map((setting) => of[setting]))));
  // A part of a grid would compare different mixtures of the other settings.
  if (settings.length === 0 || combinations.size !== levels.reduce((product, count) => product * count, 1)) return [];
  if (factors.some((of) => settings.some((setting) => of[setting] === undefined))) return [];
  const { most } = commonAttempts(runs.map(({ id, settings: ofRun }) => [id, ofRun]));
  const failed = await readFailedReplies(store, runs);
  const shared = shareScore(score);
  for (const run of runs) shared.add((await readComparedRun(store, run, { attempts: most, failed })).tally);
  return mainEffects(score, shared.scenarios(), factors);
}

function sentenceOf({
  runs,
  ranking,
  pairs,
}: {
  readonly runs: readonly RunRecord[];
  readonly ranking: RunRanking | null;
  readonly pairs: readonly ExperimentPair[] | undefined;
}): string {
  if (pairs && pairs.length > 0) {
    const decided = pairs.filter(({ verdict }) => verdict !== "undecided").length;
    if (pairs.length === 1) return pairs[0]?.sentence ?? "";
    const sure = `All ${pairs.length} comparisons are right at once with 95 %.`;
    const winner = runs.filter((run) => pairs.every((pair) => !isBeaten(pair, nameOf(run))));
    const [only] = winner;
    const head =
      winner.length === 1 && only
        ? `${nameOf(only)} is the only one that no other is shown to beat.`
        : `No single best: ${winner.map(nameOf).join(", ")} are not shown to be worse than another.`;
    return `${head} ${decided} of ${pairs.length} comparisons are decided. ${sure}`;
  }
  if (ranking) return ranking.sentence;
  const done = runs.filter(isEnded).length;
  return done < runs.length
    ? `${done} of ${runs.length} variants have ended.`
    : "One variant has nothing to be compared with.";
}

/** The one variant that is left, or that ranks first. A single pair without a difference has none. */
function bestOf({
  names,
  runs,
  ranking,
  pairs,
}: {
  readonly names: readonly string[];
  readonly runs: readonly RunRecord[];
  readonly ranking: RunRanking | null;
  readonly pairs: readonly ExperimentPair[] | undefined;
}): string | null {
  if (pairs) {
    const left = names.filter((name) => !pairs.some((pair) => isBeaten(pair, name)));
    return left.length === 1 ? (left[0] ?? null) : null;
  }
  const first = ranking?.runs.find(({ place }) => place === "best");
  return first ? (names[runs.findIndex(({ id }) => id === first.run_id)] ?? null) : null;
}

function isBeaten({ baseline, candidate, verdict }: ExperimentPair, name: string): boolean {
  if (verdict === "worse" || verdict === "less_close") return candidate === name;
  return (verdict === "better" || verdict === "closer") && baseline === name;
}
