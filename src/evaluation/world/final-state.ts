import type { JournalEntry } from "../../contract/ports/journal.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import type { ReferenceToolCall } from "../../contract/schemas/tool-call.ts";
import type { AttemptHistory } from "../conversation.ts";
import { hasMatchers } from "../tools/matchers.ts";
import type { PreparedWorld, WorldSession } from "./world.ts";

interface FinalStateOptions {
  readonly world: PreparedWorld;
  readonly scenario: Pick<Scenario, "interactions">;
  /** The history of the pass whose end is wanted. */
  readonly history: AttemptHistory;
  /** The journal of each turn. */
  readonly entriesOf: (turn: number) => readonly JournalEntry[];
  readonly signal: AbortSignal;
}

/** The state at the end of an attempt, from its journal. With reference history that is the end of its last turn. */
export async function finalState({ world, scenario, history, entriesOf, signal }: FinalStateOptions): Promise<unknown> {
  const last = scenario.interactions.length - 1;
  const isReference = history === "reference";
  const session = isReference ? await openAt(last, { world, scenario, signal }) : world.open();
  for (let turn = isReference ? last : 0; turn <= last; turn += 1) {
    for (const entry of entriesOf(turn)) if (entry.type === "call") session.apply(entry);
  }
  return session.state;
}

/** A fresh world in which the reference calls of all turns before this one were carried out. */
export async function openAt(
  turn: number,
  { world, scenario, signal }: Pick<FinalStateOptions, "world" | "scenario" | "signal">,
): Promise<WorldSession> {
  const session = world.open();
  const references = scenario.interactions.slice(0, turn).flatMap((earlier) => earlier.reference_tool_calls ?? []);
  await carryOut(references, session, signal);
  return session;
}

/**
 * Carries out reference calls in a world. Those whose arguments are matchers stand for no single call and are left out, and so are
 * functions of a module, which may have effects outside the world.
 */
export async function carryOut(
  references: readonly ReferenceToolCall[],
  session: WorldSession,
  signal: AbortSignal,
): Promise<void> {
  for (const { name, arguments: args = {} } of references) {
    const call = { id: "", name, arguments: args };
    if (hasMatchers(args) || session.isSlow(call)) continue;
    const { result, error, changes } = await session.answer(call, signal);
    const outcome = error === undefined ? { result: (result ?? null) as typeof args } : { error };
    session.apply({ type: "call", call: { ...call, ...outcome }, ...(changes && { changes }) });
  }
}
