import { z } from "zod";
import { moneyText } from "../../base/format.ts";
import { replyTooLong } from "../scorers/scorer.ts";
import { toCodePoints } from "../text/prepare-text.ts";
import { editDistance } from "../text/sequence-distance.ts";
import { toCharacterPair } from "../text/symbols.ts";
import { checkFields } from "./check-fields.ts";
import { defineCheck, isShort, quickLength } from "./define-check.ts";

/** The reply has at least `min` and at most `max` characters (code points) or words. */
export const length = defineCheck({
  schema: z.object({
    type: z.literal("length"),
    ...checkFields,
    min: z.int().min(0).optional(),
    max: z.int().min(0).optional(),
    unit: z.enum(["characters", "words"]).default("characters"),
  }),
  id: "LengthSetting",
  label: "Length",
  help: "1 when the reply's length is within the bounds.",
  form: {
    fresh: { max: 500 },
    fields: { min: "At least", max: "At most", unit: "Unit" },
  },
  runs: "thread",
  problem({ min, max }) {
    if (min === undefined && max === undefined)
      return { field: "max", code: "required", message: "is required without min: otherwise every length passes" };
    if (min === undefined || max === undefined || max >= min) return null;
    return { field: "max", code: "too_small", message: "must be at least min" };
  },
  compile:
    ({ min, max, unit }) =>
    ({ reply }) => {
      const size = unit === "words" ? reply.tokens.length : Array.from(reply.raw).length;
      if (min !== undefined && size < min) return { value: 0, reason: `${size} ${unit}, at least ${min} expected` };
      if (max !== undefined && size > max) return { value: 0, reason: `${size} ${unit}, at most ${max} allowed` };
      return { value: 1, reason: `${size} ${unit}` };
    },
});

/** The reply (or its first token) arrived within `max_ms`. */
export const latency = defineCheck({
  schema: z.object({
    type: z.literal("latency"),
    ...checkFields,
    max_ms: z.number().min(0),
    of: z.enum(["reply", "first_token"]).default("reply"),
  }),
  id: "LatencySetting",
  label: "Latency",
  help: "1 when the reply took at most `max_ms`.",
  form: {
    fresh: { max_ms: 2000 },
    fields: {
      max_ms: "At most (ms)",
      of: { label: "Time to", choices: { reply: "the whole reply", first_token: "the first token" } },
    },
  },
  runs: "in place",
  inOverall: false,
  compile:
    ({ max_ms, of }) =>
    ({ call }) => {
      const took = of === "reply" ? call.latency_ms : call.first_token_ms;
      if (took === null) return { value: null, reason: "the time to the first token is not known" };
      const text = `${Math.round(took)} ms`;
      return took <= max_ms
        ? { value: 1, reason: text }
        : { value: 0, reason: `${text}, at most ${max_ms} ms allowed` };
    },
});

/** The call cost at most `max` US dollars. */
export const cost = defineCheck({
  schema: z.object({
    type: z.literal("cost"),
    ...checkFields,
    max: z.number().min(0).describe("US dollars per call."),
  }),
  id: "CostSetting",
  label: "Cost of a call",
  help: "1 when the call cost at most `max`. Absent when the price is unknown.",
  form: { fresh: { max: 0.01 }, fields: { max: "At most (USD)" } },
  runs: "in place",
  inOverall: false,
  compile:
    ({ max }) =>
    ({ call }) => {
      if (call.cost === null) return { value: null, reason: "no price is known for this model" };
      const text = moneyText(call.cost, 3);
      return call.cost <= max ? { value: 1, reason: text } : { value: 0, reason: `${text}, at most $${max} allowed` };
    },
});

/** The Levenshtein distance of reply and reference, in code points of the texts as they are, is at most `max`. */
export const editDistanceLimit = defineCheck({
  schema: z.object({
    type: z.literal("edit_distance"),
    ...checkFields,
    reference: z.string(),
    max: z.int().min(0),
  }),
  id: "EditDistanceSetting",
  label: "Edit distance",
  help: "1 when at most `max` insertions, deletions and replacements of characters turn the reply into the text.",
  form: {
    fresh: { reference: "", max: 5 },
    fields: { reference: "Text to compare with", max: "At most (characters)" },
  },
  runs: "thread",
  compile({ reference, max }) {
    const wanted = toCodePoints(reference);
    return {
      isQuick: ({ reply }) => reference.length <= quickLength && isShort([reply]),
      check({ reply }) {
        const given = toCodePoints(reply.raw);
        const lengths = { reply: given.length, reference: wanted.length, references: 1 };
        const tooLong = replyTooLong(lengths, "characters");
        if (tooLong) return tooLong;
        const edits = editDistance(toCharacterPair(given, wanted));
        const text = `${edits} ${edits === 1 ? "edit" : "edits"}`;
        return edits <= max ? { value: 1, reason: text } : { value: 0, reason: `${text}, at most ${max} allowed` };
      },
    };
  },
});

/** The model ended for this reason, ignoring case. */
export const finishReason = defineCheck({
  schema: z.object({
    type: z.literal("finish_reason"),
    ...checkFields,
    reason: z.string().min(1).max(100),
  }),
  id: "FinishReasonSetting",
  label: "Finish reason",
  help: "1 when the model ended its reply for this reason. Absent when the endpoint gave none.",
  form: { fresh: { reason: "stop" }, fields: { reason: { label: "Reason", placeholder: "stop" } } },
  runs: "in place",
  compile:
    ({ reason: wanted }) =>
    ({ turn }) => {
      const given = turn?.finish_reason ?? null;
      if (given === null) return { value: null, reason: "the endpoint gave no finish reason" };
      const isSame = given.toLowerCase() === wanted.toLowerCase();
      return isSame ? { value: 1, reason: given } : { value: 0, reason: `${given}, expected ${wanted}` };
    },
});
