import { z } from "zod";
import { shortList } from "../../base/format.ts";
import { isWithin } from "../scorers/match-value.ts";
import { findNumbers } from "../text/find-numbers.ts";
import { checkFields } from "./check-fields.ts";
import { defineCheck, isShort } from "./define-check.ts";

/** A number of the reply is within the tolerance of the expected one: the given number, or the first of a reference. */
export const numeric = defineCheck({
  schema: z.object({
    type: z.literal("numeric"),
    ...checkFields,
    expected: z.number().optional().describe("Default: the first number in the reference reply."),
    tolerance: z.number().min(0).default(0),
    relative: z.boolean().default(false).describe("Makes the tolerance a share of the expected number."),
  }),
  id: "NumericSetting",
  label: "Contains number",
  help: "1 when a number in the reply is within the tolerance of the expected one.",
  form: {
    fresh: {},
    fields: {
      expected: { label: "Number", placeholder: "from the reference" },
      tolerance: { label: "Tolerance", placeholder: "0" },
      relative: "relative tolerance",
    },
  },
  runs: "thread",
  needs: ({ expected }) => (expected === undefined ? ["reference"] : []),
  compile: ({ expected, tolerance, relative }) => ({
    isQuick: ({ reply, references }) => isShort([reply, ...references]),
    check({ reply, references }) {
      const wanted =
        expected === undefined ? references.flatMap(({ raw }) => findNumbers(raw).slice(0, 1)) : [expected];
      if (wanted.length === 0) return { value: null, reason: "no expected number: the reference has none" };

      const found = findNumbers(reply.raw);
      const expects = `expected ${shortList(wanted.map(String))}`;
      if (found.length === 0) return { value: 0, reason: `no number in the reply, ${expects}` };
      const match = found.find((number) =>
        wanted.some((target) => isWithin(relative ? tolerance * Math.abs(target) : tolerance, number, target)),
      );
      return match === undefined
        ? { value: 0, reason: `found ${shortList(found.map(String))}, ${expects}` }
        : { value: 1, reason: `found ${match}` };
    },
  }),
});
