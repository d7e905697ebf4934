import type { WorldEntry } from "../../contract/ports/journal.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { actsInWorld } from "../../contract/schemas/acting/target.ts";
import type { World } from "../../contract/schemas/acting/world.ts";
import type { OutcomeInput } from "../../evaluation/outcomes/outcome.ts";
import type { Probes } from "../../evaluation/tools/probes.ts";
import { finalState, stateAfter } from "../../evaluation/world/final-state.ts";
import { WorldLimitError } from "../../evaluation/world/limits.ts";
import { prepareWorld, type PreparedWorld } from "../../evaluation/world/world.ts";
import { ModuleError, type WorldModuleContent, type WorldModules } from "../user-code/world-modules.ts";
import { firstHistory } from "../stored/passes.ts";

/** The world of a scenario; null without one. */
export type WorldOf = (scenario: Pick<Scenario, "world">) => PreparedWorld | null;

type WorldSettings = Pick<RunSettings, "world" | "protocol" | "target" | "world_address">;

/** The modules of a run's worlds, by path. */
interface RunModules extends Pick<WorldModules, "functions"> {
  readonly contents: ReadonlyMap<string, WorldModuleContent>;
}

/**
 * The worlds of a run, each prepared once. An agent has tools of its own and acts in none, unless it takes the address of one. Without the modules of a run, as when it
 * is rescored, its worlds with modules are unknown.
 */
export function createRunWorlds(
  { world: ofRun, ...settings }: WorldSettings,
  { probes, modules }: { probes: Probes; modules?: RunModules | undefined },
): WorldOf {
  const prepared = new Map<World, PreparedWorld>();

  function prepare(world: World): PreparedWorld | null {
    if (world.module === undefined) return prepareWorld(world, { probes });
    const content = modules?.contents.get(world.module);
    if (!modules || !content) return null;
    const state = world.state ?? content.state ?? {};
    return prepareWorld(
      { ...world, state: state as World["state"] },
      { probes, functions: modules.functions(world.module, state) },
    );
  }

  return ({ world = ofRun }) => {
    if (!world || !actsInWorld(settings)) return null;
    const known = prepared.get(world) ?? prepare(world);
    if (known) prepared.set(world, known);
    return known;
  };
}

/** The worlds with modules in which attempts of a run act. */
function moduleWorlds(
  { world: ofRun, ...settings }: WorldSettings,
  scenarios: readonly Pick<Scenario, "world">[],
): readonly (World & { readonly module: string })[] {
  if (!actsInWorld(settings)) return [];
  const worlds = new Set(scenarios.map(({ world = ofRun }) => world));
  return [...worlds].filter((world) => world !== undefined).filter(hasModule);
}

function hasModule(world: World): world is World & { module: string } {
  return world.module !== undefined;
}

/** Loads the modules of a run's worlds. Rejects with a `ModuleError` for one that is missing, broken or no longer the same. */
export async function loadRunModules(
  run: { readonly settings: WorldSettings; readonly scenarios: readonly Pick<Scenario, "world">[] },
  modules: WorldModules | undefined,
): Promise<RunModules | undefined> {
  const worlds = moduleWorlds(run.settings, run.scenarios);
  if (worlds.length === 0) return undefined;
  if (!modules)
    throw new ModuleError("This process runs no modules of worlds: resume the run with rehearsal eval --resume.");
  const contents = new Map<string, WorldModuleContent>();
  for (const { module: path, module_version: version } of worlds) {
    const content = contents.get(path) ?? (await modules.load(path));
    contents.set(path, content);
    if (version === undefined || version === content.version) continue;
    throw new ModuleError(
      `The world module ${path} has other tools or another initial state than when the run began: restore it, or start a new run.`,
    );
  }
  return { contents, functions: modules.functions };
}

interface OutcomeStatesOptions {
  readonly world: PreparedWorld | null;
  readonly scenario: Scenario;
  readonly settings: Pick<RunSettings, "history">;
  /** The journal of a turn of the first pass. */
  readonly entriesOf: (turn: number) => readonly WorldEntry[];
  readonly signal: AbortSignal;
}

/** The final state of an attempt, and the one that its scenario expects, as far as `expect` asks for them. */
export async function outcomeStates(
  options: OutcomeStatesOptions,
): Promise<Pick<OutcomeInput, "state" | "expectedState" | "unknownState">> {
  const { world, scenario, settings, entriesOf, signal } = options;
  const { state, state_after, code } = scenario.expect ?? {};
  if (!world || (!state && !state_after && !code)) return {};
  const states: { state?: unknown; expectedState?: unknown } = {};
  try {
    states.state = await finalState({ world, scenario, history: firstHistory(settings), entriesOf, signal });
    if (state_after) states.expectedState = await stateAfter(state_after, { world, signal });
    return states;
  } catch (error) {
    if (error instanceof WorldLimitError) return { ...states, unknownState: error.message };
    throw error;
  }
}
