import type { JournalEntry } from "../../contract/ports/journal.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import type { World } from "../../contract/schemas/world.ts";
import type { OutcomeInput } from "../../evaluation/tools/outcome.ts";
import type { Probes } from "../../evaluation/tools/probes.ts";
import { finalState, stateAfter } from "../../evaluation/world/final-state.ts";
import { prepareWorld, type PreparedWorld } from "../../evaluation/world/world.ts";
import { firstHistory } from "../results/passes.ts";

/** The world of a scenario; null without one. */
export type WorldOf = (scenario: Pick<Scenario, "world">) => PreparedWorld | null;

/** The worlds of a run, each prepared once. An agent has tools of its own and acts in none. */
export function createRunWorlds(
  { world: ofRun, protocol }: Pick<RunSettings, "world" | "protocol">,
  probes: Probes,
): WorldOf {
  const prepared = new Map<World, PreparedWorld>();
  return ({ world = ofRun }) => {
    if (!world || protocol === "agent") return null;
    const known = prepared.get(world) ?? prepareWorld(world, { probes });
    prepared.set(world, known);
    return known;
  };
}

interface OutcomeStatesOptions {
  readonly world: PreparedWorld | null;
  readonly scenario: Scenario;
  readonly settings: Pick<RunSettings, "history">;
  /** The journal of a turn of the first pass. */
  readonly entriesOf: (turn: number) => readonly JournalEntry[];
  readonly signal: AbortSignal;
}

/** The final state of an attempt, and the one that its scenario expects, as far as `expect` asks for them. */
export async function outcomeStates(
  options: OutcomeStatesOptions,
): Promise<Pick<OutcomeInput, "state" | "expectedState">> {
  const { world, scenario, settings, entriesOf, signal } = options;
  const { state, state_after } = scenario.expect ?? {};
  if (!world || (!state && !state_after)) return {};
  return {
    state: await finalState({ world, scenario, history: firstHistory(settings), entriesOf, signal }),
    ...(state_after && { expectedState: await stateAfter(state_after, { world, signal }) }),
  };
}
