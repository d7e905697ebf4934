import { compact } from "../../base/compact.ts";
import { pause } from "../../base/deadline.ts";
import type { WorldEntry } from "../../contract/ports/journal.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import type { RecordedToolCall, ReferenceToolCall } from "../../contract/schemas/acting/tool-call.ts";
import type { AttemptHistory } from "../conversation/conversation.ts";
import { hasMatchers } from "../tools/matchers.ts";
import type { StateView } from "./state.ts";
import type { PreparedWorld, WorldSession } from "./world.ts";

interface FinalStateOptions {
  readonly world: PreparedWorld;
  readonly scenario: Pick<Scenario, "interactions">;
  /** The history of the pass whose end is wanted. */
  readonly history: AttemptHistory;
  /** The journal of each turn. */
  readonly entriesOf: (turn: number) => readonly WorldEntry[];
  readonly signal: AbortSignal;
}

/** The state at the end of an attempt, from its journal. With reference history that is the end of its last turn. */
export async function finalState({
  world,
  scenario,
  history,
  entriesOf,
  signal,
}: FinalStateOptions): Promise<StateView> {
  const last = scenario.interactions.length - 1;
  const isReference = history === "reference";
  const session = isReference ? await openAt(last, { world, scenario, signal }) : world.open();
  const turns = scenario.interactions.keys().filter((turn) => turn >= (isReference ? last : 0));
  session.restore([...turns].flatMap(entriesOf));
  return session.state;
}

/** A fresh world in which the reference calls of all turns before this one were carried out. */
export async function openAt(
  turn: number,
  { world, scenario, signal }: Pick<FinalStateOptions, "world" | "scenario" | "signal">,
): Promise<WorldSession> {
  const session = world.open();
  const references = scenario.interactions.slice(0, turn).flatMap((earlier) => earlier.reference_tool_calls ?? []);
  // A function of a module may have effects outside the world.
  await carryOut(references, { session, signal, skip: (call) => session.isSlow(call) });
  return session;
}

/** The state of a fresh world after these calls. */
export async function stateAfter(
  calls: readonly ReferenceToolCall[],
  { world, signal }: Pick<FinalStateOptions, "world" | "signal">,
): Promise<StateView> {
  const session = world.open();
  await carryOut(calls, { session, signal });
  return session.state;
}

interface CarryOutOptions {
  readonly session: WorldSession;
  readonly signal: AbortSignal;
  readonly skip?: (call: RecordedToolCall) => boolean;
}

/** Calls are carried out this long before other work gets its turn. */
const longestBlockMs = 10;

/**
 * Carries out reference calls in a world. Those whose arguments are matchers stand for no single call and are left out. Rejects with a
 * `WorldLimitError` for a call that passes a limit: the state that the calls lead to is then not known.
 */
async function carryOut(
  references: readonly ReferenceToolCall[],
  { session, signal, skip = () => false }: CarryOutOptions,
): Promise<void> {
  let begun = performance.now();
  for (const { name, arguments: args = {} } of references) {
    if (performance.now() - begun >= longestBlockMs) {
      await pause(0, signal);
      begun = performance.now();
    }
    const call: RecordedToolCall = { id: "", name, arguments: args };
    if (hasMatchers(args) || skip(call)) continue;
    const { changes } = await session.answer(call, signal);
    session.apply(compact({ type: "call", call, changes }));
  }
}
