import { compact } from "../../base/compact.ts";
import { createHash } from "node:crypto";
import type { World } from "../../contract/schemas/acting/world.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import type { Reader, Writer } from "../tables/database.ts";
import { fromJsonText, toJsonText } from "../tables/text-columns.ts";

/**
 * A state is stored once per run when copies of it would take more than this. No request of the default size brings as
 * much, so runs over HTTP are stored whole, and the version before, which cannot run such scenarios, may take part.
 */
const shareFrom = 8 * 1024 * 1024;

/** Instead of the world's own module: the version before finds no such module and refuses to run the scenario. */
const moduleForOlder = "(the state of this world is stored apart: continue with version 0.3.0 or later)";

/** A scenario as it is stored. `shared_state` stands for the state of its world, which `run_state` has. */
interface StoredScenario extends Scenario {
  readonly shared_state?: { readonly hash: string; readonly module?: string | undefined };
}

type State = NonNullable<World["state"]> & object;

/** States in memory, so that everything that reads scenarios shares one object per content. They are frozen. */
const inMemory = new Map<string, WeakRef<State>>();

/** Writes scenarios as JSON texts, without the states in `hashes`. */
export function createScenarioWriter(hashOf: HashOf, hashes: ReadonlySet<string>): (scenario: Scenario) => string {
  return (scenario) => {
    const state = scenarioState(scenario);
    const hash = state && hashes.size > 0 ? hashOf(state).hash : "";
    if (!hashes.has(hash)) return toJsonText(scenario);
    const { state: _state, module, ...world } = scenario.world!;
    const stored: StoredScenario = {
      ...scenario,
      world: { ...world, module: moduleForOlder },
      shared_state: { hash, module },
    };
    return toJsonText(stored);
  };
}

type HashOf = (state: State) => { readonly hash: string; readonly length: number };

/** Hashes the JSON text of a state, of each object once. */
export function createStateHash(): HashOf {
  const known = new Map<State, ReturnType<HashOf>>();
  return (state) => {
    const earlier = known.get(state);
    if (earlier) return earlier;
    const text = toJsonText(state);
    const hashed = { hash: createHash("sha256").update(text).digest("hex"), length: text.length };
    known.set(state, hashed);
    return hashed;
  };
}

/** The states that several scenarios have and that are large enough to be stored once, by hash. */
export function findSharedStates(scenarios: readonly Scenario[], hashOf: HashOf): ReadonlyMap<string, State> {
  const copies = new Map<string, number>();
  const shared = new Map<string, State>();
  for (const scenario of scenarios) {
    const state = scenarioState(scenario);
    if (!state) continue;
    const { hash, length } = hashOf(state);
    const before = copies.get(hash);
    copies.set(hash, before === undefined ? 0 : before + length);
    if (copies.get(hash)! > shareFrom) shared.set(hash, state);
  }
  return shared;
}

export async function storeStates(writer: Writer, runId: string, states: ReadonlyMap<string, State>): Promise<void> {
  for (const [hash, state] of states) {
    await writer
      .insertInto("run_state")
      .values({ run_id: runId, hash, state: toJsonText(state) })
      .execute();
  }
}

/** The states that a run has stored once. */
export async function hashesOfStates(reader: Reader | Writer, runId: string): Promise<ReadonlySet<string>> {
  const rows = await reader.selectFrom("run_state").where("run_id", "=", runId).select("hash").execute();
  return new Set(rows.map(({ hash }) => hash));
}

/** Scenarios from their JSON texts, with the states that are stored apart. */
export async function parseScenarios(
  reader: Reader,
  runId: string,
  definitions: readonly string[],
): Promise<Scenario[]> {
  const stored = definitions.map((text) => fromJsonText<StoredScenario>(text));
  const states = new Map<string, State>();
  const scenarios: Scenario[] = [];
  for (const scenario of stored) {
    if (!scenario.shared_state) {
      scenarios.push(scenario);
      continue;
    }
    const { shared_state, world, ...rest } = scenario;
    const { hash, module } = shared_state;
    const state = states.get(hash) ?? (await readState(reader, runId, hash));
    states.set(hash, state);
    const { module: _forOlder, tools = [], ...own } = world!;
    scenarios.push({ ...rest, world: compact({ ...own, tools, state, module }) });
  }
  return scenarios;
}

async function readState(reader: Reader, runId: string, hash: string): Promise<State> {
  const known = inMemory.get(hash)?.deref();
  if (known) return known;
  const row = await reader
    .selectFrom("run_state")
    .where("run_id", "=", runId)
    .where("hash", "=", hash)
    .select("state")
    .executeTakeFirstOrThrow();
  const state = fromJsonText<State>(row.state);
  freezeState(state);
  for (const [other, reference] of inMemory) if (!reference.deref()) inMemory.delete(other);
  inMemory.set(hash, new WeakRef(state));
  return state;
}

function freezeState(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const item of Object.values(value)) freezeState(item);
}

function scenarioState({ world }: Scenario): State | null {
  const state = world?.state;
  return typeof state === "object" && state !== null ? (state as State) : null;
}
