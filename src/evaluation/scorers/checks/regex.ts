import type { UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import { shorten } from "../short-list.ts";
import type { Check } from "./check.ts";
import { compilePattern } from "./compile-pattern.ts";
import type { PatternSizes } from "./pattern-sizes.ts";

type Setting = Extract<UserScorerSetting, { type: "regex" }>;

/** Linear time is still time: a longer reply would hold up everything else. */
const maximumLength = 200_000;
/** Steps that take some milliseconds: nobody notices them. */
const quickSteps = 1_000_000;

/** 1 when the pattern is found (or, negated, is not). `^` and `$` match at lines. Throws `PatternError` for a pattern RE2 cannot run. */
export function regex(setting: Setting, sizes?: PatternSizes): Check {
  return compileRegex(setting, sizes).check;
}

/** The same, and whether a reply is looked through in no time: a repetition makes a short pattern a large one. */
export function compileRegex(
  { pattern, ignore_case, negate }: Setting,
  sizes?: PatternSizes,
): {
  readonly check: Check;
  readonly isQuick: (reply: string) => boolean;
} {
  const compiled = compilePattern(pattern, { ignoreCase: ignore_case, sizes });

  const check: Check = ({ reply }) => {
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
