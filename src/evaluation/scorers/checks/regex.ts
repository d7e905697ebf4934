import type { UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import { shorten } from "../../../base/format.ts";
import type { ReplyCheck } from "../../../scoring/scorers/scorer.ts";
import { compilePattern, type PatternBudget } from "./compile-pattern.ts";

type Setting = Extract<UserScorerSetting, { type: "regex" }>;

/** Even in linear time, a longer reply would block the event loop. */
const maximumLength = 200_000;
/** A few milliseconds. */
const quickSteps = 1_000_000;

/** 1 when the pattern is found (with `negate`: not found). `^` and `$` match at line ends. Throws `PatternError` for patterns RE2 cannot run. */
export function regexCheck(setting: Setting, budget?: PatternBudget): ReplyCheck {
  return compileRegex(setting, budget).check;
}

/** The check, and whether it takes only milliseconds for a reply: repetitions make a short pattern large. */
export function compileRegex(
  { pattern, ignore_case, negate }: Setting,
  budget?: PatternBudget,
): {
  readonly check: ReplyCheck;
  readonly isQuick: (reply: string) => boolean;
} {
  const compiled = compilePattern(pattern, { ignoreCase: ignore_case, budget });

  const check: ReplyCheck = ({ reply }) => {
    if (reply.raw.length > maximumLength)
      return { value: null, reason: `longer than ${maximumLength} characters`, failed: true };
    const found = compiled.find(reply.raw);
    const value = (found !== null) === negate ? 0 : 1;
    return {
      value,
      reason: found === null ? `the pattern ${shorten(pattern)} was not found` : `found "${shorten(found)}"`,
    };
  };
  const isQuick = (reply: string) => reply.length > maximumLength || reply.length * compiled.size <= quickSteps;
  return { check, isQuick };
}
