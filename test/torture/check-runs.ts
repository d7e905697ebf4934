import { worldEntries, type JournalPart } from "../../src/contract/ports/journal.ts";
import type { Store } from "../../src/contract/ports/store.ts";
import { finalStates } from "../../src/contract/schemas/run.ts";
import type { StoredReply } from "../../src/contract/schemas/interaction-result.ts";
import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { createProbes } from "../../src/evaluation/tools/probes.ts";
import { finalState } from "../../src/evaluation/world/final-state.ts";
import { prepareWorld } from "../../src/evaluation/world/world.ts";
import type { CountingProvider } from "./counting-provider.ts";
import { nameOf, stepsOf } from "./foreign-agent.ts";
import { callsAtOnce } from "./tortured-storage.ts";

/** The outcome of tortured runs. All fields after `recoveries` must be empty. */
export interface Findings {
  readonly turns: number;
  /** Turns in worlds, turns of simulated users, and turns of an agent with a tool loop of its own. */
  readonly acted: number;
  readonly simulated: number;
  readonly foreign: number;
  /** Turns of such an agent that broke off and began again. */
  readonly discarded: number;
  readonly stored: number;
  readonly calls: number;
  readonly mostAtOnce: number;
  /** How long turns whose answer was lost had to wait until someone asked for them again, in milliseconds. */
  readonly recoveries: readonly number[];
  /** Turns that were never stored. */
  readonly missing: readonly string[];
  readonly doubled: readonly string[];
  /** Turns the endpoint was asked for again after their answer had been stored. */
  readonly rerun: readonly string[];
  readonly wrong: readonly string[];
  /** Worlds and turns with other effects than those of each call, once and in order. */
  readonly wrongEffects: readonly string[];
  /** Turns for which the model saw different messages of the simulated user. */
  readonly changedMessages: readonly string[];
  /** Conversations that a simulated user did not end. */
  readonly unended: readonly string[];
  readonly unfinished: readonly string[];
  readonly overLimit: number;
}

export interface CheckedRun {
  readonly id: string;
  /** The user message of every turn, which names it. */
  readonly turns: readonly string[];
}

/** Reads everything back and compares it with what the endpoint saw. */
export async function checkRuns(
  runs: readonly CheckedRun[],
  { store, provider, storedAt }: { store: Store; provider: CountingProvider; storedAt: ReadonlyMap<string, number> },
): Promise<Findings> {
  const stored: string[] = [];
  const wrong: string[] = [];
  const wrongEffects: string[] = [];
  const unfinished: string[] = [];
  const unended: string[] = [];
  const counts = { acted: 0, simulated: 0, foreign: 0, discarded: 0 };
  for (const { id } of runs) {
    const run = await store.runs.get(id);
    if (!run || !finalStates.has(run.state)) unfinished.push(`${id} ${run?.state}`);
    const scenarios = await store.runs.scenarios(id);
    for await (const attempt of store.attempts.withInteractions(id)) {
      for (const { turn_index, reply } of attempt.interactions) {
        const scripted = scenarios[attempt.scenario_index]?.interactions[turn_index]?.user_message ?? "unknown";
        const turn = nameOf(reply.user_turn?.message ?? scripted);
        stored.push(turn);
        const isForeign = run?.settings.world_address !== undefined;
        if (scenarios[attempt.scenario_index]?.world) counts.acted += 1;
        if (reply.user_turn) counts.simulated += 1;
        if (isForeign) counts.foreign += 1;
        if (scenarios[attempt.scenario_index]?.world && !isActed(reply, { turn, isForeign })) {
          wrongEffects.push(`${turn}: ${JSON.stringify(reply.tool_calls)}`);
        }
        if (reply.agent_reply !== turn) wrong.push(`${turn}: ${reply.agent_reply} ${reply.error?.code ?? ""}`);
      }
      const scenario = scenarios[attempt.scenario_index];
      const end = attempt.interactions.at(-1)?.scores?.conversation?.user;
      if (scenario?.user && end?.ended !== "done") unended.push(`${id}: ${JSON.stringify(end)}`);
      const parts = scenario?.world ? await store.journal.ofAttempt(attempt.id) : [];
      counts.discarded += parts.flatMap(({ entries }) => entries).filter(({ type }) => type === "discard").length;
      const log = scenario?.world && (await logOf(parts, scenario));
      const asked = attempt.interactions.map(({ reply }, turn) =>
        nameOf(reply.user_turn?.message ?? scenario?.interactions[turn]?.user_message ?? ""),
      );
      const expected = asked.flatMap(stepsOf);
      if (log && JSON.stringify(log) !== JSON.stringify(expected)) wrongEffects.push(`${id}: ${JSON.stringify(log)}`);
    }
  }
  const turns = runs.flatMap((run) => run.turns);
  const known = new Set(stored);
  return {
    ...counts,
    turns: turns.length,
    stored: stored.length,
    calls: provider.calls.length,
    mostAtOnce: provider.mostAtOnce,
    recoveries: provider.recoveries.toSorted((one, other) => one - other),
    missing: turns.filter((turn) => !known.has(turn)),
    doubled: repeated(stored),
    rerun: provider.calls.flatMap(({ turn, at }) => {
      const late = at - (storedAt.get(turn) ?? Number.POSITIVE_INFINITY);
      return late > 0 ? `${turn}, ${late} ms later` : [];
    }),
    wrong,
    wrongEffects,
    changedMessages: provider.changedMessages,
    unended,
    unfinished,
    overLimit: Math.max(0, provider.mostAtOnce - callsAtOnce),
  };
}

/** True when the turn has each of its calls once, in order, with the result of its place. */
function isActed(
  { tool_calls = [], model_calls }: StoredReply,
  { turn, isForeign }: { turn: string; isForeign: boolean },
): boolean {
  const steps = stepsOf(turn);
  const written = tool_calls.map(({ arguments: args }) => (args as { step: string }).step);
  const results = tool_calls.map(({ result }) => (Array.isArray(result) ? result.at(-1) : null));
  return (
    [written, results].every((list) => JSON.stringify(list) === JSON.stringify(steps)) &&
    (isForeign || model_calls === 3)
  );
}

/** The final state of an attempt's world, from its journal. */
async function logOf(parts: readonly JournalPart[], scenario: Scenario): Promise<unknown> {
  const world = prepareWorld(scenario.world!, { probes: createProbes() });
  const entriesOf = (turn: number) =>
    worldEntries(parts.flatMap((part) => (part.turn_index === turn ? part.entries : [])));
  const { signal } = new AbortController();
  const state = await finalState({ world, scenario, history: "generated", entriesOf, signal });
  return state.read(["log"]);
}

function repeated(turns: readonly string[]): string[] {
  const seen = new Set<string>();
  return turns.filter((turn) => seen.has(turn) || !seen.add(turn));
}

/** The findings of a run without any loss. */
export const nothingLost = {
  missing: [],
  doubled: [],
  rerun: [],
  wrong: [],
  wrongEffects: [],
  changedMessages: [],
  unended: [],
  unfinished: [],
  overLimit: 0,
} as const satisfies Partial<Findings>;
