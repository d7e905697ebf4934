import type { UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import { isPartOf } from "../../text/is-part-of.ts";
import { normalize, unify } from "../../text/normalize.ts";
import { shorten, shortList } from "../short-list.ts";
import type { Check } from "./check.ts";

type Setting<Type> = Extract<UserScorerSetting, { type: Type }>;

/** 1 when the reply holds all (any, none) of the texts. White space, compatibility forms and curly quotes do not count, nor does case unless asked. */
export function contains({ text, mode, ignore_case }: Setting<"contains">): Check {
  const wanted = (typeof text === "string" ? [text] : text).map((part) => ({ part, form: toForm(part, ignore_case) }));

  return ({ reply }) => {
    const form = toForm(reply.raw, ignore_case);
    const found = wanted.filter((entry) => isPartOf(entry.form, form)).map(({ part }) => part);
    const missing = wanted.map(({ part }) => part).filter((part) => !found.includes(part));
    if (mode === "none") return toJudgement(found.length === 0, found, "none of the texts found", "found");
    if (mode === "any") return toJudgement(found.length > 0, missing, `found: ${shortList(found)}`, "none found of");
    return toJudgement(missing.length === 0, missing, `found: ${shortList(found)}`, "missing");
  };
}

/** 1 when the reply is the text (or, negated, is not). Nothing is evened out: white space and punctuation count. */
export function equals({ text, ignore_case, negate }: Setting<"equals">): Check {
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
  return ignoreCase ? normalize(text) : unify(text).replace(/\s+/gu, " ").trim();
}
