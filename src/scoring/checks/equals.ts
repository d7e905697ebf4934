import { z } from "zod";
import { shorten } from "../../base/format.ts";
import { checkFields } from "./check-fields.ts";
import { defineCheck } from "./define-check.ts";

/** The reply is exactly the text, including white space and punctuation. */
export const equals = defineCheck({
  schema: z.object({
    type: z.literal("equals"),
    ...checkFields,
    text: z.string(),
    ignore_case: z.boolean().default(false),
    negate: z.boolean().default(false).describe("Scores 1 when the reply is any other text."),
  }),
  id: "EqualsSetting",
  label: "Equals text",
  help: "1 when the reply is exactly this text.",
  form: { fresh: { text: "" }, fields: { text: "Text", ignore_case: "ignore case", negate: "must differ" } },
  runs: "in place",
  reasonsOfBoth: true,
  compile({ text, ignore_case }) {
    const toCase = (value: string) => (ignore_case ? value.toLowerCase() : value);
    const wanted = toCase(text);
    return ({ reply }) =>
      toCase(reply.raw) === wanted
        ? { value: 1, reason: "the reply is the text" }
        : { value: 0, reason: `the reply is not "${shorten(text)}"` };
  },
});
