import { canonicalJson } from "../../base/json.ts";
import { hashText } from "../../base/hash.ts";
import type { JournalPart } from "../../contract/ports/journal.ts";
import type { AttemptWithInteractions, RunRecord, Store } from "../../contract/ports/store.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import { isLocalTarget } from "../../contract/schemas/acting/target.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import { finalStates } from "../../contract/schemas/run.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { testedEndpoint, testsOwnAgent } from "../plan/endpoints.ts";

/** The newest runs that are searched for replies. */
const mostSearched = 1_000;
/** Runs whose replies are used again. */
const mostSources = 50;

interface Asked {
  readonly settings: RunSettings;
  readonly tied: boolean;
}

/**
 * The ended runs that were asked with the same settings, newest first. `experiment` limits them to one experiment. Replies are the same
 * only where the scenario is the same too, which {@link createReuse} compares.
 */
export async function findSources(
  store: Store,
  asked: Asked,
  { owner, experiment }: { owner: string | null; experiment: string | undefined },
): Promise<string[]> {
  const { target } = asked.settings;
  // The code of a module or a command changes under the same name.
  if (target && isLocalTarget(target)) return [];
  const wanted = settingsKey(asked);
  const found: string[] = [];
  let cursor: string | undefined;
  for (let searched = 0; searched < mostSearched && found.length < mostSources;) {
    const filter = { model_id: asked.settings.model_id, limit: 100, cursor, experiment };
    const page = await store.runs.list(owner === null ? filter : { ...filter, owner });
    searched += Math.max(1, page.runs.length);
    for (const run of page.runs) if (finalStates.has(run.state) && settingsKey(run) === wanted) found.push(run.id);
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  return found.slice(0, mostSources);
}

/** Everything but the scenario that decides what a model or agent is asked. */
function settingsKey({ settings, tied }: Asked): string {
  const { model_id, endpoint, protocol, target, parameters, history, tool_support, world_address, on_failure } =
    settings;
  const address = testedEndpoint(endpoint, testsOwnAgent({ settings, tied }));
  const { simulator, replay_first_bad_turn } = settings;
  return hashed({
    model_id,
    address,
    protocol,
    target,
    parameters: parameters ?? {},
    history: history ?? "generated",
    tool_support: tool_support ?? "native",
    world_address,
    on_failure,
    simulator,
    replay_first_bad_turn: replay_first_bad_turn ?? false,
  });
}

/** What is asked in a scenario. What is expected of the replies does not matter: they are scored again. */
function scenarioKey(scenario: Scenario, { system_prompt, world, history }: RunSettings): string {
  const { interactions, user } = scenario;
  const shown = history !== undefined && history !== "generated";
  return hashed({
    system_prompt: scenario.system_prompt ?? system_prompt ?? null,
    world: scenario.world ?? world ?? null,
    user: user ?? null,
    turns: interactions.map(({ user_message, prompt, reference_reply, simulated }) => [
      user_message,
      prompt ?? null,
      simulated ?? false,
      shown ? reference_reply : null,
    ]),
  });
}

const hashed = (value: unknown): string => {
  const text = canonicalJson(value);
  // Two hashes and the length: a collision would give one scenario the replies of another.
  return `${text.length}:${hashText(text)}:${hashText(`rehearsal ${text}`)}`;
};

/** The replies of an earlier attempt at the same scenario. */
export interface ReusedAttempt {
  readonly turns: readonly { readonly turn_index: number; readonly reply: StoredReply }[];
  readonly journal: readonly JournalPart[];
}

/** Finds stored replies for the attempts of one run. */
export interface Reuse {
  find(scenarioIndex: number, attempt: number): Promise<ReusedAttempt | null>;
}

interface Source {
  readonly run: RunRecord;
  /** The index of a scenario by what is asked in it. */
  readonly scenarios: ReadonlyMap<string, number>;
}

/** Null for a run that asks for every reply. Attempt 2 of a scenario gets the replies of attempt 2. */
export function createReuse(
  store: Store,
  { settings, scenarios }: { settings: RunSettings; scenarios: readonly Scenario[] },
): Reuse | null {
  const ids = settings.reuse ?? [];
  if (ids.length === 0 || settings.history === "both") return null;
  let reading: Promise<Source[]> | undefined;
  return {
    async find(scenarioIndex, attempt) {
      const scenario = scenarios[scenarioIndex];
      if (!scenario) return null;
      const key = scenarioKey(scenario, settings);
      for (const { run, scenarios: stored } of await (reading ??= readSources(store, ids))) {
        const index = stored.get(key);
        const found = index === undefined ? null : await readAttempt(store, run, { index, attempt });
        if (found) return found;
      }
      return null;
    },
  };
}

async function readSources(store: Store, ids: readonly string[]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const id of ids) {
    const run = await store.runs.get(id);
    // It may have been deleted since the run was planned.
    if (!run) continue;
    const scenarios = await store.runs.scenarios(id);
    sources.push({
      run,
      scenarios: new Map(scenarios.map((scenario, index) => [scenarioKey(scenario, run.settings), index])),
    });
  }
  return sources;
}

/** The attempt of a stored run, if it has ended with a reply to every turn. */
async function readAttempt(
  store: Store,
  run: RunRecord,
  { index, attempt }: { index: number; attempt: number },
): Promise<ReusedAttempt | null> {
  for await (const stored of store.attempts.withInteractions(run.id, index)) {
    if (stored.attempt !== attempt || !isWhole(stored, (await store.runs.scenariosAt(run.id, [index]))[0])) continue;
    const at = new Date(run.started_at ?? run.created_at).toISOString();
    return {
      turns: stored.interactions.map(({ turn_index, reply }) => ({
        turn_index,
        reply: { ...reply, cost: 0, reused: reply.reused ?? { run_id: run.id, at } },
      })),
      journal: await store.journal.ofAttempt(stored.id),
    };
  }
  return null;
}

function isWhole({ state, interactions }: AttemptWithInteractions, scenario: Scenario | undefined): boolean {
  if (state !== "done" || !scenario || interactions.length === 0) return false;
  if (interactions.some(({ reply }) => reply.error !== null)) return false;
  // A simulated user decides itself when the conversation ends.
  return scenario.user !== undefined || interactions.length >= scenario.interactions.length;
}
