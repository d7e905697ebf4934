import type { AttemptAverages, RunRecord, Store } from "../../contract/ports/store.ts";
import { passThreshold, storedOutcome } from "../../contract/schemas/outcome.ts";
import type {
  AttemptOutline,
  RunScenario,
  RunScenarioList,
  RunScenariosQuery,
  ScenarioStatus,
  ScenarioTotals,
} from "../../contract/schemas/run-scenarios.ts";
import { finalStates } from "../../contract/schemas/run.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { simulatedUserScore } from "../../contract/schemas/scores/score-names.ts";
import type { ScoreStats } from "../../contract/schemas/scores/score.ts";
import { mean, standardDeviation } from "../../evaluation/statistics/descriptive.ts";
import { scoreStats } from "../../evaluation/statistics/score-stats.ts";

/** One page of a run's scenarios, failures first. */
export async function listRunScenarios(
  run: RunRecord,
  { status, search, sort, limit, offset, around }: RunScenariosQuery,
  { store, order }: { store: Store; order: ScenarioOrder },
): Promise<RunScenarioList> {
  const listed = [order.failing, order.flaky, order.waiting, order.unscored, order.passing];
  const wanted = status ? order[status] : listed.flat();
  // Only a search and the order by id need the definitions of all scenarios.
  const byId = sort === "scenario" || sort === "-scenario";
  const all = search || byId || around !== undefined ? await store.runs.scenarios(run.id) : null;
  const found = search ? wanted.filter((index) => matches(all?.[index], search)) : wanted;
  const matching = sort ? sortScenarios(found, sort, (index) => orderKey(index, sort, { order, all })) : found;
  const start =
    around === undefined ? offset : Math.max(0, matching.findIndex((index) => all?.[index]?.id === around) - 1);
  const page = matching.slice(start, start + limit);
  const [scenarios, averages] = await Promise.all([
    all ? page.map((index) => all[index]) : store.runs.scenariosAt(run.id, page),
    store.attempts.averagesOf(run.id, page),
  ]);
  const byScenario = Map.groupBy(averages, ({ scenario_index }) => scenario_index);
  const threshold = passThreshold(run.settings);
  return {
    scenarios: page.map((index, place) => toRunScenario(scenarios[place], byScenario.get(index) ?? [], threshold)),
    offset: start,
    total: matching.length,
    counts: {
      failing: order.failing.length,
      flaky: order.flaky.length,
      waiting: order.waiting.length,
      unscored: order.unscored.length,
      passing: order.passing.length,
    },
    overall: order.overall,
  };
}

type SortKey = string | number | null;

function orderKey(
  index: number,
  sort: NonNullable<RunScenariosQuery["sort"]>,
  { order, all }: { order: ScenarioOrder; all: readonly Scenario[] | null },
): SortKey {
  if (sort.endsWith("scenario")) return all?.[index]?.id ?? "";
  const { overall, passed } = order.figures[index] ?? { overall: null, passed: null };
  return sort.endsWith("overall") ? overall : passed;
}

/** Stable, so that equal scenarios keep the order of the list. Those without a key come last in both directions. */
function sortScenarios(indexes: readonly number[], sort: string, keyOfIndex: (index: number) => SortKey): number[] {
  const direction = sort.startsWith("-") ? -1 : 1;
  const keyed = indexes.map((index) => ({ index, key: keyOfIndex(index) }));
  const sorted = keyed.toSorted(({ key: left }, { key: right }) => {
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return left === right ? 0 : direction * (left < right ? -1 : 1);
  });
  return sorted.map(({ index }) => index);
}

function toRunScenario(
  scenario: Scenario | undefined,
  averages: readonly AttemptAverages[],
  threshold: number | undefined,
): RunScenario {
  const turns = scenario?.interactions.length ?? 0;
  const attempts = averages.map((attempt) => toAttemptOutline(attempt, { threshold, turns }));
  const tally = { ended: 0, passed: 0, failed: 0 };
  for (const outline of attempts) countAttempt(tally, outline);
  const values = attempts.flatMap(({ overall }) => (overall === null ? [] : [overall]));
  return {
    scenario_id: scenario?.id ?? "",
    description: scenario?.description ?? "",
    status: toScenarioStatus(tally),
    attempts,
    overall: mean(values),
    sd: standardDeviation(values),
  };
}

function matches(scenario: Scenario | undefined, search: string): boolean {
  return `${scenario?.id} ${scenario?.description}`.toLowerCase().includes(search.toLowerCase());
}

/** Indexes of a run's scenarios by status, each group with the lowest score first. */
interface ScenarioOrder extends Readonly<Record<ScenarioStatus, readonly number[]>> {
  /** By index: mean score and share of passed attempts, null without any. */
  readonly figures: readonly { readonly overall: number | null; readonly passed: number | null }[];
  readonly overall: ScoreStats;
}

/** How long the order of an ended run is cached, for scrolling through its pages. */
const keptMs = 30_000;

interface KeptOrder {
  readonly id: string;
  readonly figures: string;
  readonly until: number;
  readonly order: Promise<ScenarioOrder>;
}

/** Orders the scenarios of a run by their totals, without reading turns. */
export function createScenarioOrders({ store, now }: { store: Store; now: () => number }) {
  let kept: KeptOrder | undefined;

  return {
    of(run: RunRecord): Promise<ScenarioOrder> {
      // Rescoring changes the summary.
      const figures = JSON.stringify(run.summary);
      if (kept?.id === run.id && kept.figures === figures && kept.until > now()) return kept.order;
      const order = readOrder(run, store);
      if (finalStates.has(run.state)) {
        kept = { id: run.id, figures, until: now() + keptMs, order };
        order.catch(() => (kept = undefined));
      }
      return order;
    },
  };
}

async function readOrder(run: RunRecord, store: Store): Promise<ScenarioOrder> {
  const totals = (await storedTotals(run, store)) ?? (await countAttempts(run, store));
  const mean = (index: number): number => totals[index]?.overall ?? 0;
  const order: Record<ScenarioStatus, number[]> = {
    failing: [],
    flaky: [],
    waiting: [],
    unscored: [],
    passing: [],
  };
  totals.forEach((scenario, index) => order[toScenarioStatus(scenario)].push(index));
  for (const group of Object.values(order)) group.sort((left, right) => mean(left) - mean(right) || left - right);
  const figures = totals.map(({ overall, passed, failed }) => ({
    overall,
    passed: passed + failed === 0 ? null : passed / (passed + failed),
  }));
  const values = figures.flatMap(({ overall }) => (overall === null ? [] : [overall]));
  const overall = scoreStats(values, { unit: "scenario", binary: false, n_missing: totals.length - values.length });
  return { ...order, figures, overall };
}

/** Only in a completed run have all attempts ended: the summary of another one also has the scores of partial attempts. */
async function storedTotals(run: RunRecord, store: Store): Promise<readonly ScenarioTotals[] | null> {
  return run.state === "completed" ? store.runs.scenarioTotals(run) : null;
}

async function countAttempts(run: RunRecord, store: Store): Promise<readonly ScenarioTotals[]> {
  const threshold = passThreshold(run.settings);
  const count = await store.runs.countScenarios(run.id);
  const tallies = Array.from({ length: count }, () => ({ ended: 0, passed: 0, failed: 0, sum: 0, scored: 0 }));
  const turns = await turnCounts(run, store);
  for await (const page of store.attempts.averages(run.id)) {
    for (const averages of page) {
      const tally = tallies[averages.scenario_index];
      if (!tally) continue;
      const outline = toAttemptOutline(averages, { threshold, turns: turns?.[averages.scenario_index] ?? 0 });
      countAttempt(tally, outline);
      if (outline.overall === null) continue;
      tally.sum += outline.overall;
      tally.scored++;
    }
  }
  return tallies.map(({ sum, scored, ...counts }) => ({ ...counts, overall: scored === 0 ? null : sum / scored }));
}

/** The number of turns per scenario. Only a budget ends attempts early, so other runs need not be read. */
async function turnCounts({ id, settings }: RunRecord, store: Store): Promise<readonly number[] | null> {
  if (!settings.budget) return null;
  return (await store.runs.scenarios(id)).map(({ interactions }) => interactions.length);
}

/** The outcome of an attempt from its averages. A spent budget can end an attempt before the last of the scenario's `turns`. */
function toAttemptOutline(
  { attempt, state, average_scores, interactions_done }: AttemptAverages,
  { threshold, turns }: { threshold: number | undefined; turns: number },
): AttemptOutline {
  const isOver = average_scores?.[simulatedUserScore] !== undefined;
  const whole = state === "done" && (interactions_done >= turns || isOver);
  const outcome = whole ? storedOutcome(average_scores ?? {}, threshold) : "unfinished";
  return { attempt, outcome, overall: average_scores?.["overall"] ?? null };
}

type AttemptCounts = Record<"ended" | "passed" | "failed", number>;

function countAttempt(tally: AttemptCounts, { outcome }: Pick<AttemptOutline, "outcome">): void {
  if (outcome !== "unfinished") tally.ended++;
  if (outcome === "passed") tally.passed++;
  if (outcome === "failed" || outcome === "errored") tally.failed++;
}

function toScenarioStatus({ ended, passed, failed }: Readonly<AttemptCounts>): ScenarioStatus {
  if (ended === 0) return "waiting";
  if (passed > 0) return failed > 0 ? "flaky" : "passing";
  return failed > 0 ? "failing" : "unscored";
}
