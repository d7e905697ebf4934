import { compileCheck, entryOf, type CheckSetting } from "../../scoring/checks/checks.ts";
import type { AskingCheck, CheckNeed } from "../../scoring/checks/define-check.ts";
import type { ScorerInput, ScorerResult, TurnFacts } from "../../scoring/scorers/scorer.ts";
import type { ScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import { compilers } from "./compilers.ts";

/** A check and its input as plain data, for another thread. */
export interface OffloadedCheck {
  readonly setting: CheckSetting;
  readonly reply: string;
  /** Empty unless the check needs them. */
  readonly references: readonly string[];
  /** Absent unless the check needs the calls of the turn. */
  readonly turn?: TurnFacts | undefined;
}

/** Runs a check on another thread. Resolves to null after a time limit. Rejects when `signal` aborts. */
export type CheckRunner = (check: OffloadedCheck, signal: AbortSignal) => Promise<ScorerResult | null>;

const tooSlow: ScorerResult = { value: null, reason: "takes too long to check", failed: true };

/**
 * Runs a check in place when it takes milliseconds, else by `run`: always when its list of checks does not compile `quickly`.
 * Replies are checked one at a time. After one timeout the check is given up, so that a malicious check blocks others only once.
 */
export function offloadCheck(
  setting: CheckSetting,
  run: CheckRunner,
  { quickly = true }: { readonly quickly?: boolean } = {},
): AskingCheck {
  const entry = entryOf(setting);
  const inPlace = !entry.source || (quickly && compileQuickly([setting])) ? compileCheck(setting, compilers()) : null;
  const needs: readonly CheckNeed[] = entry.needs?.(setting) ?? [];
  let last: Promise<unknown> = Promise.resolve();
  let gaveUp = false;

  async function runOffloaded(check: OffloadedCheck, signal: AbortSignal): Promise<ScorerResult> {
    if (gaveUp) return tooSlow;
    const result = await run(check, signal);
    gaveUp = result === null;
    return result ?? tooSlow;
  }
  return (input, signal) => {
    if (inPlace?.isQuick(input)) return inPlace.check(input);
    const result = last.then(() => runOffloaded(toOffloaded(setting, input, needs), signal));
    last = result.catch(() => {});
    return result;
  };
}

function toOffloaded(
  setting: CheckSetting,
  { reply, references, turn }: ScorerInput,
  needs: readonly CheckNeed[],
): OffloadedCheck {
  return {
    setting,
    reply: reply.raw,
    references: needs.includes("reference") ? references.map(({ raw }) => raw) : [],
    // The messages of the turn may be long.
    turn: turn && needs.includes("calls") ? { ...turn, user_message: "", prompt: "" } : undefined,
  };
}

/** True when the checks of a list compile within milliseconds. Schemas, and repetitions in patterns, can take minutes. */
export function compileQuickly(settings: readonly ScorerSetting[]): boolean {
  const sizes = new Map<string, number>();
  for (const setting of settings) {
    if (typeof setting === "string") continue;
    const { source } = entryOf(setting);
    if (!source) continue;
    const size = (sizes.get(source.field) ?? 0) + source.size(setting);
    if (size > source.quick) return false;
    sizes.set(source.field, size);
  }
  return true;
}
