import type { UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import { isSubstring } from "../../../scoring/text/is-substring.ts";
import { normalize, unifyCharacters } from "../../../scoring/text/tokenize.ts";
import { shorten, shortList } from "../../../base/format.ts";
import type { ReplyCheck } from "../../../scoring/scorers/scorer.ts";

type Setting<Type> = Extract<UserScorerSetting, { type: Type }>;

/** 1 when the reply contains all (any, none) of the texts, ignoring white space, typographic variants and, by default, case. */
export function containsCheck({ text, mode, ignore_case }: Setting<"contains">): ReplyCheck {
  const wanted = (typeof text === "string" ? [text] : text).map((part) => ({ part, form: toForm(part, ignore_case) }));

  return ({ reply }) => {
    const form = toForm(reply.raw, ignore_case);
    const found = wanted.filter((entry) => isSubstring(entry.form, form)).map(({ part }) => part);
    const missing = wanted.map(({ part }) => part).filter((part) => !found.includes(part));
    if (mode === "none") return toJudgement(found.length === 0, found, "none of the texts found", "found");
    if (mode === "any") return toJudgement(found.length > 0, missing, `found: ${shortList(found)}`, "none found of");
    return toJudgement(missing.length === 0, missing, `found: ${shortList(found)}`, "missing");
  };
}

/** 1 when the reply is exactly the text (with `negate`: is not), including white space and punctuation. */
export function equalsCheck({ text, ignore_case, negate }: Setting<"equals">): ReplyCheck {
  const toCase = (value: string) => (ignore_case ? value.toLowerCase() : value);
  const wanted = toCase(text);

  return ({ reply }) => {
    const isSame = toCase(reply.raw) === wanted;
    const reason = isSame ? "the reply is the text" : `the reply is not "${shorten(text)}"`;
    return { value: isSame === negate ? 0 : 1, reason };
  };
}

function toJudgement(good: boolean, wrong: readonly string[], right: string, title: string) {
  return good ? { value: 1, reason: right } : { value: 0, reason: `${title}: ${shortList(wrong)}` };
}

function toForm(text: string, ignoreCase: boolean): string {
  return ignoreCase ? normalize(text) : unifyCharacters(text).replace(/\s+/gu, " ").trim();
}
