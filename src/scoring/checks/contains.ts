import { z } from "zod";
import { shortList } from "../../base/format.ts";
import { isSubstring } from "../text/is-substring.ts";
import { normalize, unifyCharacters } from "../text/tokenize.ts";
import { checkFields } from "./check-fields.ts";
import { defineCheck, isShort } from "./define-check.ts";

/** Some milliseconds: substring search takes the product of both lengths at worst. */
const quickSteps = 10_000_000;

/** The reply contains all (any, none) of the texts, ignoring white space, typographic variants and, by default, case. */
export const contains = defineCheck({
  schema: z.object({
    type: z.literal("contains"),
    ...checkFields,
    text: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(100)]),
    mode: z.enum(["all", "any", "none"]).default("all"),
    ignore_case: z.boolean().default(true),
  }),
  id: "ContainsSetting",
  label: "Contains text",
  help: "1 when the reply contains the texts.",
  form: {
    fresh: { text: "" },
    fields: {
      text: "Text (one per line)",
      mode: {
        label: "Several texts",
        choices: { all: "require all", any: "require any", none: "allow none" },
      },
      ignore_case: "ignore case",
    },
  },
  runs: "thread",
  problem({ text }) {
    if ([text].flat().every((part) => normalize(part) !== "")) return null;
    return { field: "text", code: "too_small", message: "must hold more than white space, which every reply contains" };
  },
  compile({ text, mode, ignore_case }) {
    const toForm = (part: string): string =>
      ignore_case ? normalize(part) : unifyCharacters(part).replace(/\s+/gu, " ").trim();
    const wanted = [text].flat().map((part) => ({ part, form: toForm(part) }));
    const length = wanted.reduce((sum, { part }) => sum + part.length, 0);
    return {
      isQuick: ({ reply }) => isShort([reply]) && reply.raw.length * length <= quickSteps,
      check({ reply }) {
        const form = toForm(reply.raw);
        const found = wanted.filter((entry) => isSubstring(entry.form, form)).map(({ part }) => part);
        const missing = wanted.map(({ part }) => part).filter((part) => !found.includes(part));
        const isGood = mode === "all" ? missing.length === 0 : mode === "any" ? found.length > 0 : found.length === 0;
        if (isGood)
          return { value: 1, reason: mode === "none" ? "none of the texts found" : `found: ${shortList(found)}` };
        const title = mode === "all" ? "missing" : mode === "any" ? "none found of" : "found";
        return { value: 0, reason: `${title}: ${shortList(mode === "none" ? found : missing)}` };
      },
    };
  },
});
