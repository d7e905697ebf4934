import type { UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import type { PreparedText } from "../../text/prepare-text.ts";
import type { Judgement, ScorerInput } from "../scorer.ts";
import { contains, equals } from "./contains.ts";
import { length } from "./limits.ts";
import { numeric } from "./numeric.ts";
import { compileRegex } from "./regex.ts";
import { similarity } from "./similarity.ts";

/** A check of the text of a reply: settings and reply together can make it take years. */
export type TextSetting = Exclude<UserScorerSetting, { type: "latency" | "cost" }>;

/** A reply and what it is held against: plain data, so that another thread can do the work. */
export interface CheckQuestion {
  readonly setting: TextSetting;
  readonly reply: string;
  /** Where the check asks for them. */
  readonly references: readonly string[];
}

/** Does checks elsewhere, for as long as they may take. Null when one took longer. Rejects when `signal` aborts. */
export type CheckRunner = (question: CheckQuestion, signal: AbortSignal) => Promise<Judgement | null>;

/** A check that may be done elsewhere. */
export type AnyCheck = (input: ScorerInput, signal: AbortSignal) => Judgement | Promise<Judgement>;

const tooSlow: Judgement = { value: null, reason: "takes too long to check", failed: true };

/** Characters that are looked through in no time. */
const quickLength = 8_000;
/** Steps that take some milliseconds: finding one text in another takes, at its worst, their lengths multiplied. */
const quickSteps = 10_000_000;

/**
 * The check, done by `run` where it may take long, as it may for every reply when the checks of its list are not made ready
 * `quickly`. One reply at a time, and none any more once a reply took too long: what is meant
 * to hold everybody up does so once.
 */
export function checkElsewhere(
  setting: TextSetting,
  run: CheckRunner,
  { quickly = true }: { readonly quickly?: boolean } = {},
): AnyCheck {
  const judgeQuickly = quickCheck(setting, quickly);
  let last: Promise<unknown> = Promise.resolve();
  let gaveUp = false;

  async function judge(question: CheckQuestion, signal: AbortSignal): Promise<Judgement> {
    if (gaveUp) return tooSlow;
    const judgement = await run(question, signal);
    gaveUp = judgement === null;
    return judgement ?? tooSlow;
  }
  return (input, signal) => {
    const quick = judgeQuickly(input);
    if (quick) return quick;
    const judged = last.then(() => judge(toQuestion(setting, input), signal));
    last = judged.catch(() => {});
    return judged;
  };
}

function toQuestion(setting: TextSetting, { reply, references }: ScorerInput): CheckQuestion {
  const asksForReferences =
    (setting.type === "numeric" && setting.expected === undefined) ||
    (setting.type === "similarity" && setting.reference === undefined);
  return { setting, reply: reply.raw, references: asksForReferences ? references.map(({ raw }) => raw) : [] };
}

/** Does the check where that takes no time, else says null. */
function quickCheck(setting: TextSetting, quickly: boolean): (input: ScorerInput) => Judgement | null {
  switch (setting.type) {
    case "json_schema":
      return () => null;
    case "regex": {
      if (!quickly) return () => null;
      const { check, isQuick } = compileRegex(setting);
      return (input) => (isQuick(input.reply.raw) ? check(input) : null);
    }
    case "contains": {
      const check = contains(setting);
      const wanted = [setting.text].flat().reduce((sum, text) => sum + text.length, 0);
      return (input) => (isShort([input.reply]) && input.reply.raw.length * wanted <= quickSteps ? check(input) : null);
    }
    case "equals":
      return equals(setting);
    case "similarity": {
      const check = similarity(setting);
      const own = setting.reference?.length ?? 0;
      return (input) => (own <= quickLength && isShort([input.reply, ...input.references]) ? check(input) : null);
    }
    case "numeric": {
      const check = numeric(setting);
      return (input) => (isShort([input.reply, ...input.references]) ? check(input) : null);
    }
    case "length": {
      const check = length(setting);
      return (input) => (isShort([input.reply]) ? check(input) : null);
    }
  }
}

function isShort(texts: readonly PreparedText[]): boolean {
  return texts.reduce((sum, { raw }) => sum + raw.length, 0) <= quickLength;
}
