import { z } from "zod";
import type { ReplyCheck } from "../scorers/scorer.ts";
import { checkWeight, scoreName } from "./check-fields.ts";
import { contains } from "./contains.ts";
import {
  defineCheck,
  isShort,
  negated,
  typeOf,
  type AskingCheck,
  type CheckEntry,
  type CheckParts,
  type CheckPlace,
  type CompiledCheck,
  type Compilers,
} from "./define-check.ts";
import { equals } from "./equals.ts";
import { jsonSchema } from "./json-schema.ts";
import { cost, editDistanceLimit, finishReason, latency, length } from "./limits.ts";
import { numeric } from "./numeric.ts";
import { regex } from "./regex.ts";
import { rubric } from "./rubric.ts";
import { similarity } from "./similarity.ts";
import { javascript, python } from "./user-code.ts";
import { validToolCalls } from "./valid-tool-calls.ts";
import { xml } from "./xml.ts";

/** The checks that a run and a turn may have. A new one is a file and a place in this list. */
const checks = [
  contains,
  equals,
  similarity,
  regex,
  jsonSchema,
  numeric,
  length,
  latency,
  cost,
  editDistanceLimit,
  xml,
  finishReason,
  validToolCalls,
  javascript,
  python,
] as const;

type Schemas<Entries extends readonly CheckEntry[]> = { [Index in keyof Entries]: Entries[Index]["schema"] };

/** The schemas of their settings, in the order of the list. */
export const checkSchemas = checks.map(({ schema }) => schema) as unknown as Schemas<typeof checks>;

/** The settings of a check. */
export const CheckSetting = z.union(checkSchemas);
export type CheckSetting = z.infer<typeof CheckSetting>;

/** The weighted mean of several checks of a turn; with a threshold, 1 from the threshold on and 0 below. */
const group = defineCheck({
  schema: z.object({
    type: z.literal("group"),
    name: scoreName,
    weight: checkWeight,
    checks: z
      .array(z.discriminatedUnion("type", [...checkSchemas, rubric.schema]))
      .min(1)
      .max(50),
    threshold: z.number().min(0).max(1).optional(),
  }),
  id: "GroupSetting",
  label: "Group of checks",
  help: "The weighted mean of several checks; with a threshold, 1 from the threshold on and 0 below.",
  form: {
    fresh: { checks: [{ type: "contains", text: "" }] },
    fields: { checks: "Checks (JSON)", threshold: { label: "Pass threshold", placeholder: "no threshold" } },
  },
  runs: "in place",
});

export const turnCheckSchemas = [...checkSchemas, rubric.schema, group.schema] as const;

/** Every type of check, with those that only turns may have. */
export const checkEntries: readonly CheckEntry[] = [...checks, rubric, group];

/** Settings of any check. */
type AnySetting = z.infer<(typeof turnCheckSchemas)[number]>;

const byType: ReadonlyMap<string, CheckEntry> = new Map(checkEntries.map((entry) => [typeOf(entry), entry]));

export function entryOf({ type }: AnySetting): CheckEntry {
  const entry = byType.get(type);
  if (!entry) throw new Error(`there is no check ${type}`);
  return entry;
}

/** Where the check runs. */
export function placeOf(setting: AnySetting): CheckPlace {
  const { runs } = entryOf(setting);
  return typeof runs === "function" ? runs(setting) : runs;
}

/** Compiles a check that runs in place or on a thread, with its negation. The compilers throw for settings they cannot use. */
export function compileCheck(setting: CheckSetting, compilers: Compilers): CompiledCheck {
  const entry = entryOf(setting);
  const compiled = entry.compile?.(setting, compilers) ?? notHere;
  const { check, isQuick } =
    typeof compiled === "function"
      ? { check: compiled, isQuick: ({ reply }: Parameters<ReplyCheck>[0]) => isShort([reply]) }
      : compiled;
  return { isQuick, check: setting.negate ? (input) => negated(check(input), entry) : check };
}

const notHere: ReplyCheck = () => ({ value: null, reason: "needs parts of the run", failed: true });

/** A check that asks a part of the run, with its negation. */
export function askingCheck(setting: CheckSetting, parts: CheckParts): AskingCheck {
  const entry = entryOf(setting);
  const check = entry.ask?.(setting, parts) ?? notHere;
  return setting.negate ? async (input, signal) => negated(await check(input, signal), entry) : check;
}
