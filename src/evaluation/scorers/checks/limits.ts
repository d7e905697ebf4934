import type { UserScorerSetting } from "../../../contract/schemas/scorer-setting.ts";
import { moneyText } from "../../../base/format.ts";
import { toCodePoints } from "../../../scoring/text/prepare-text.ts";
import { editDistance } from "../../../scoring/text/sequence-distance.ts";
import { toCharacterPair } from "../../../scoring/text/symbols.ts";
import { replyTooLong, type ReplyCheck } from "../../../scoring/scorers/scorer.ts";

type Setting<Type> = Extract<UserScorerSetting, { type: Type }>;

/** 1 when the reply has at least `min` and at most `max` characters (code points) or words. */
export function lengthCheck({ min, max, unit }: Setting<"length">): ReplyCheck {
  return ({ reply }) => {
    const size = unit === "words" ? reply.tokens.length : Array.from(reply.raw).length;
    if (min !== undefined && size < min) return { value: 0, reason: `${size} ${unit}, at least ${min} expected` };
    if (max !== undefined && size > max) return { value: 0, reason: `${size} ${unit}, at most ${max} allowed` };
    return { value: 1, reason: `${size} ${unit}` };
  };
}

/** 1 when the reply (or its first token) arrived within `max_ms`. */
export function latencyCheck({ max_ms, of }: Setting<"latency">): ReplyCheck {
  return ({ call }) => {
    const took = of === "reply" ? call.latency_ms : call.first_token_ms;
    if (took === null) return { value: null, reason: "the time to the first token is not known" };
    const text = `${Math.round(took)} ms`;
    return took <= max_ms ? { value: 1, reason: text } : { value: 0, reason: `${text}, at most ${max_ms} ms allowed` };
  };
}

/** 1 when the call cost at most `max` US dollars. */
export function costCheck({ max }: Setting<"cost">): ReplyCheck {
  return ({ call }) => {
    if (call.cost === null) return { value: null, reason: "no price is known for this model" };
    const text = moneyText(call.cost, 3);
    return call.cost <= max ? { value: 1, reason: text } : { value: 0, reason: `${text}, at most $${max} allowed` };
  };
}

/** 1 when the Levenshtein distance of reply and reference, in code points of the texts as they are, is at most `max`. */
export function editDistanceCheck({ reference, max }: Setting<"edit_distance">): ReplyCheck {
  const wanted = toCodePoints(reference);
  return ({ reply }) => {
    const given = toCodePoints(reply.raw);
    const tooLong = replyTooLong({ reply: given.length, reference: wanted.length, references: 1 }, "characters");
    if (tooLong) return tooLong;
    const edits = editDistance(toCharacterPair(given, wanted));
    const text = `${edits} ${edits === 1 ? "edit" : "edits"}`;
    return edits <= max ? { value: 1, reason: text } : { value: 0, reason: `${text}, at most ${max} allowed` };
  };
}

/** 1 when the model ended for this reason, ignoring case. */
export function finishReasonCheck({ reason: wanted }: Setting<"finish_reason">): ReplyCheck {
  return ({ turn }) => {
    const given = turn?.finish_reason ?? null;
    if (given === null) return { value: null, reason: "the endpoint gave no finish reason" };
    const isSame = given.toLowerCase() === wanted.toLowerCase();
    return isSame ? { value: 1, reason: given } : { value: 0, reason: `${given}, expected ${wanted}` };
  };
}
