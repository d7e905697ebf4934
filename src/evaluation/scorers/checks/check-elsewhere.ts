import type { UserScorerSetting } from "../../../contract/scorer-setting.ts";
import type { Judgement, ScorerInput } from "../scorer.ts";
import { compileRegex } from "./regex.ts";

/** A check whose settings can make it take years, however small the reply is. */
export type SlowSetting = Extract<UserScorerSetting, { type: "regex" | "json_schema" }>;

/** A reply and what it is held against: plain data, so that another thread can do the work. */
export interface CheckQuestion {
  readonly setting: SlowSetting;
  readonly reply: string;
}

/** Holds replies against patterns and schemas elsewhere, for as long as that may take. Null when it took longer. */
export type CheckRunner = (question: CheckQuestion) => Promise<Judgement | null>;

/** A check that may be done elsewhere. */
export type AnyCheck = (input: ScorerInput) => Judgement | Promise<Judgement>;

const tooSlow: Judgement = { value: null, reason: "takes too long to check", failed: true };

/**
 * The check, done by `run`. One reply at a time, and none any more once a reply took too long: what is meant to hold everybody
 * up does so once.
 */
export function checkElsewhere(setting: SlowSetting, run: CheckRunner): AnyCheck {
  let last: Promise<unknown> = Promise.resolve();
  let gaveUp = false;

  async function judge(reply: string): Promise<Judgement> {
    if (gaveUp) return tooSlow;
    const judgement = await run({ setting, reply });
    gaveUp = judgement === null;
    return judgement ?? tooSlow;
  }
  const inTurn: AnyCheck = ({ reply }) => {
    const judged = last.then(() => judge(reply.raw));
    last = judged.catch(() => {});
    return judged;
  };
  if (setting.type === "json_schema") return inTurn;
  const { check, isQuick } = compileRegex(setting);
  return (input) => (isQuick(input.reply.raw) ? check(input) : inTurn(input));
}
