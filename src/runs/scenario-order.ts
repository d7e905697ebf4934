import type { ScenarioStatus } from "../contract/schemas/run-scenarios.ts";
import { finalStates } from "../contract/schemas/run.ts";
import type { RunRecord, Store } from "../contract/ports/store.ts";
import { defaultThreshold } from "../contract/schemas/outcome.ts";
import { countAttempt, toAttemptOutline, toScenarioStatus, type AttemptTally } from "./scenario-outline.ts";

/** The scenarios of a run by status, each group with the lowest score first: what is listed, in its order. */
export type ScenarioOrder = Readonly<Record<ScenarioStatus, readonly number[]>>;

/** How long the order of an ended run is kept: as long as somebody scrolls through it. */
const keptMs = 30_000;

interface Tally extends AttemptTally {
  overall: number;
  scored: number;
}

interface KeptOrder {
  readonly id: string;
  readonly figures: string;
  readonly until: number;
  readonly order: Promise<ScenarioOrder>;
}

/** Orders the scenarios of a run by what its attempts came to. No turn is read, however many there are. */
export function createScenarioOrders({ store, now }: { store: Store; now: () => number }) {
  let kept: KeptOrder | undefined;

  return {
    of(run: RunRecord): Promise<ScenarioOrder> {
      // Another process may have scored the run again: then its figures have changed.
      const figures = JSON.stringify(run.summary);
      if (kept?.id === run.id && kept.figures === figures && kept.until > now()) return kept.order;
      const order = readOrder(run, store);
      if (finalStates.has(run.state)) {
        kept = { id: run.id, figures, until: now() + keptMs, order };
        order.catch(() => (kept = undefined));
      }
      return order;
    },
    /** Its scores have changed. */
    forget(runId: string): void {
      if (kept?.id === runId) kept = undefined;
    },
  };
}

async function readOrder(run: RunRecord, store: Store): Promise<ScenarioOrder> {
  const { threshold = defaultThreshold } = run.settings;
  const count = await store.runs.countScenarios(run.id);
  const tallies = Array.from({ length: count }, (): Tally => ({
    ended: 0,
    passed: 0,
    failed: 0,
    overall: 0,
    scored: 0,
  }));
  const turns = await turnCounts(run, store);
  for await (const page of store.attempts.averages(run.id)) {
    for (const averages of page) {
      const tally = tallies[averages.scenario_index];
      if (!tally) continue;
      const outline = toAttemptOutline(averages, { threshold, turns: turns?.[averages.scenario_index] ?? 0 });
      countAttempt(tally, outline);
      if (outline.overall === null) continue;
      tally.overall += outline.overall;
      tally.scored++;
    }
  }
  const mean = (index: number): number => (tallies[index]?.overall ?? 0) / Math.max(1, tallies[index]?.scored ?? 0);
  const order: Record<ScenarioStatus, number[]> = {
    failing: [],
    flaky: [],
    waiting: [],
    unscored: [],
    passing: [],
  };
  tallies.forEach((tally, index) => order[toScenarioStatus(tally)].push(index));
  for (const group of Object.values(order)) group.sort((left, right) => mean(left) - mean(right) || left - right);
  return order;
}

/** How many turns each scenario has. Only a budget ends attempts before their last turn: of other runs nothing need be read. */
async function turnCounts({ id, settings }: RunRecord, store: Store): Promise<readonly number[] | null> {
  if (!settings.budget) return null;
  return (await store.runs.scenarios(id)).map(({ interactions }) => interactions.length);
}
