import type { ScorerSetting, UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import type { PreparedText } from "../../../scoring/text/prepare-text.ts";
import type { ScorerInput, ScorerResult } from "../../../scoring/scorers/scorer.ts";
import { containsCheck, equalsCheck } from "./contains.ts";
import { editDistanceCheck, lengthCheck } from "./limits.ts";
import { numericCheck } from "./numeric.ts";
import { compileRegex } from "./regex.ts";
import { similarityCheck } from "./similarity.ts";
import { xmlCheck } from "./xml.ts";

/** Checks of the reply's text, which can take arbitrarily long. */
export type TextSetting = Exclude<UserScorerSetting, { type: (typeof others)[number] }>;

/** Checks of the call, and those that run in processes of their own. */
const others = ["latency", "cost", "finish_reason", "valid_tool_calls", "javascript", "python"] as const;

export function isTextSetting(setting: UserScorerSetting): setting is TextSetting {
  return !(others as readonly string[]).includes(setting.type);
}

/** A check and its input as plain data, for another thread. */
export interface OffloadedCheck {
  readonly setting: TextSetting;
  readonly reply: string;
  /** Empty unless the check needs them. */
  readonly references: readonly string[];
}

/** Runs a check on another thread. Resolves to null after a time limit. Rejects when `signal` aborts. */
export type CheckRunner = (check: OffloadedCheck, signal: AbortSignal) => Promise<ScorerResult | null>;

/** A check that may run on another thread. */
export type OffloadableCheck = (input: ScorerInput, signal: AbortSignal) => ScorerResult | Promise<ScorerResult>;

const tooSlow: ScorerResult = { value: null, reason: "takes too long to check", failed: true };

/** Characters processed within milliseconds. */
const quickLength = 8_000;
/** Some milliseconds: substring search takes the product of both lengths at worst. */
const quickSteps = 10_000_000;

/**
 * Runs a check in place when it takes milliseconds, else by `run`: always when its list of checks does not compile `quickly`.
 * Replies are checked one at a time. After one timeout the check is given up, so that a malicious check blocks others only once.
 */
export function offloadCheck(
  setting: TextSetting,
  run: CheckRunner,
  { quickly = true }: { readonly quickly?: boolean } = {},
): OffloadableCheck {
  const tryQuickCheck = quickCheck(setting, quickly);
  let last: Promise<unknown> = Promise.resolve();
  let gaveUp = false;

  async function runOffloaded(check: OffloadedCheck, signal: AbortSignal): Promise<ScorerResult> {
    if (gaveUp) return tooSlow;
    const result = await run(check, signal);
    gaveUp = result === null;
    return result ?? tooSlow;
  }
  return (input, signal) => {
    const quick = tryQuickCheck(input);
    if (quick) return quick;
    const result = last.then(() => runOffloaded(toOffloaded(setting, input), signal));
    last = result.catch(() => {});
    return result;
  };
}

function toOffloaded(setting: TextSetting, { reply, references }: ScorerInput): OffloadedCheck {
  const needsReferences =
    (setting.type === "numeric" && setting.expected === undefined) ||
    (setting.type === "similarity" && setting.reference === undefined);
  return { setting, reply: reply.raw, references: needsReferences ? references.map(({ raw }) => raw) : [] };
}

/** Runs the check if that takes milliseconds, else returns null. */
function quickCheck(setting: TextSetting, quickly: boolean): (input: ScorerInput) => ScorerResult | null {
  switch (setting.type) {
    case "json_schema":
      return () => null;
    case "regex": {
      if (!quickly) return () => null;
      const { check, isQuick } = compileRegex(setting);
      return (input) => (isQuick(input.reply.raw) ? check(input) : null);
    }
    case "contains": {
      const check = containsCheck(setting);
      const wanted = [setting.text].flat().reduce((sum, text) => sum + text.length, 0);
      return (input) => (isShort([input.reply]) && input.reply.raw.length * wanted <= quickSteps ? check(input) : null);
    }
    case "equals":
      return equalsCheck(setting);
    case "edit_distance": {
      const check = editDistanceCheck(setting);
      const { length } = setting.reference;
      return (input) => (length <= quickLength && isShort([input.reply]) ? check(input) : null);
    }
    case "xml": {
      const check = xmlCheck(setting);
      return (input) => (isShort([input.reply]) ? check(input) : null);
    }
    case "similarity": {
      const check = similarityCheck(setting);
      const own = [setting.reference ?? ""].flat().reduce((sum, text) => sum + text.length, 0);
      return (input) => (own <= quickLength && isShort([input.reply, ...input.references]) ? check(input) : null);
    }
    case "numeric": {
      const check = numericCheck(setting);
      return (input) => (isShort([input.reply, ...input.references]) ? check(input) : null);
    }
    case "length": {
      const check = lengthCheck(setting);
      return (input) => (isShort([input.reply]) ? check(input) : null);
    }
  }
}

function isShort(texts: readonly PreparedText[]): boolean {
  return texts.reduce((sum, { raw }) => sum + raw.length, 0) <= quickLength;
}

/** Patterns of this total length always compile within milliseconds. */
const quickCharacters = 500;

/** True when the checks of a list compile within milliseconds. Schemas, and repetitions in patterns, can take minutes. */
export function compileQuickly(settings: readonly ScorerSetting[]): boolean {
  let characters = 0;
  for (const setting of settings) {
    if (typeof setting === "string") continue;
    if (setting.type === "json_schema") return false;
    if (setting.type === "regex") characters += setting.pattern.length;
  }
  return characters <= quickCharacters;
}
