import type { UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import { findNumbers } from "../../../scoring/text/find-numbers.ts";
import { isWithin } from "../../../scoring/scorers/match-value.ts";
import { shortList } from "../../../base/format.ts";
import type { ReplyCheck } from "../../../scoring/scorers/scorer.ts";

type Setting = Extract<UserScorerSetting, { type: "numeric" }>;

/** 1 when a number of the reply is within the tolerance of the expected one: the given number, or the first of a reference. */
export function numericCheck({ expected, tolerance, relative }: Setting): ReplyCheck {
  return ({ reply, references }) => {
    const wanted = expected === undefined ? references.flatMap(({ raw }) => findNumbers(raw).slice(0, 1)) : [expected];
    if (wanted.length === 0) return { value: null, reason: "no expected number: the reference has none" };

    const found = findNumbers(reply.raw);
    if (found.length === 0)
      return { value: 0, reason: `no number in the reply, expected ${shortList(wanted.map(String))}` };
    const fits = (number: number, target: number) =>
      isWithin(relative ? tolerance * Math.abs(target) : tolerance, number, target);
    const match = found.find((number) => wanted.some((target) => fits(number, target)));
    if (match !== undefined) return { value: 1, reason: `found ${match}` };
    return { value: 0, reason: `found ${shortList(found.map(String))}, expected ${shortList(wanted.map(String))}` };
  };
}
