import { z } from "zod";
import { shorten } from "../../base/format.ts";
import { checkFields } from "./check-fields.ts";
import { defineCheck } from "./define-check.ts";

/** Even in linear time, a longer reply would block the event loop. */
const maximumLength = 200_000;
/** A few milliseconds. */
const quickSteps = 1_000_000;

/** The pattern is found. `^` and `$` match at line ends. */
export const regex = defineCheck({
  schema: z.object({
    type: z.literal("regex"),
    ...checkFields,
    pattern: z.string().min(1).max(2_000),
    ignore_case: z.boolean().default(false),
    negate: z.boolean().default(false).describe("Scores 1 when the pattern is not found."),
  }),
  id: "RegexSetting",
  label: "Matches a pattern",
  help: "1 when the pattern (RE2 syntax) is found in the reply.",
  form: {
    fresh: { pattern: "" },
    fields: {
      pattern: { label: "Pattern (RE2)", placeholder: "\\b\\d{5}\\b" },
      ignore_case: "ignore case",
      negate: "must not match",
    },
  },
  runs: "thread",
  reasonsOfBoth: true,
  // Most patterns of this length compile within two seconds.
  source: { field: "pattern", size: ({ pattern }) => pattern.length, most: 20_000, quick: 500 },
  compile({ pattern, ignore_case }, compilers) {
    const compiled = compilers.pattern(pattern, { ignoreCase: ignore_case });
    return {
      // Repetitions make a short pattern large.
      isQuick: ({ reply: { raw } }) => raw.length > maximumLength || raw.length * compiled.size <= quickSteps,
      check({ reply: { raw } }) {
        if (raw.length > maximumLength)
          return { value: null, reason: `longer than ${maximumLength} characters`, failed: true };
        const found = compiled.find(raw);
        return found === null
          ? { value: 0, reason: `the pattern ${shorten(pattern)} was not found` }
          : { value: 1, reason: `found "${shorten(found)}"` };
      },
    };
  },
});
