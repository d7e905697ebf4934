import { hashText } from "../../base/hash.ts";
import { isRecord } from "../../base/json.ts";
import type { WorldFault } from "../../contract/schemas/acting/world.ts";
import type { ToolOutcome } from "./answers.ts";

interface DisturbedCall {
  readonly name: string;
  /** The number of the call among those of its tool, from 1. */
  readonly number: number;
  /** Of the attempt. The same call of the same attempt is disturbed in every run. */
  readonly seed: string;
}

/** The faults that happen to a call. */
export function faultsOf(faults: readonly WorldFault[], { name, number, seed }: DisturbedCall): readonly WorldFault[] {
  return faults.filter(({ tool, probability, on_call }, index) => {
    if (tool !== "*" && tool !== name) return false;
    if (on_call !== undefined) return [on_call].flat().includes(number);
    return share(JSON.stringify([seed, index, name, number])) < (probability ?? 0);
  });
}

/** A number from 0 to 1 that follows from a text. */
function share(text: string): number {
  // The end of a text changes only the high bits of its hash, so a fixed end follows.
  return hashText(`${text} is it disturbed?`) / 0x1_0000_0000;
}

/** The outcome of a call with its faults. `stale` gives the outcome of the call in the initial state. */
export async function disturbed(
  outcome: ToolOutcome,
  faults: readonly WorldFault[],
  stale: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  let given = outcome;
  for (const fault of faults) {
    if (fault.error !== undefined) given = { error: fault.error };
    if (fault.delay_ms !== undefined) given = { ...given, delayMs: (given.delayMs ?? 0) + fault.delay_ms };
    if (given.error !== undefined) continue;
    if (fault.stale) {
      const old = await stale();
      if (old.error === undefined) given = { ...given, result: old.result ?? null };
    }
    if (fault.truncate !== undefined) given = { ...given, result: textOf(given.result).slice(0, fault.truncate) };
    if (fault.inject !== undefined) given = { ...given, result: injected(given.result, fault.inject) };
  }
  return given;
}

const textOf = (result: unknown): string => (typeof result === "string" ? result : JSON.stringify(result ?? null));

/** An instruction stands where a tool would have a text of others: in a field of an object, else behind the text. */
function injected(result: unknown, text: string): unknown {
  return isRecord(result) ? { ...result, note: text } : `${textOf(result)}\n\n${text}`;
}
