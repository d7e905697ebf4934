import { z } from "zod";
import { unseenCalls, type ScorerResult } from "../scorers/scorer.ts";
import { checkFields } from "./check-fields.ts";
import { defineCheck } from "./define-check.ts";

/** Compiled parameters of tools: the turns of a run have the same few. */
const mostKept = 50;

/** The turn has tool calls, each to a declared tool and with arguments that fit its parameters. */
export const validToolCalls = defineCheck({
  schema: z.object({ type: z.literal("valid_tool_calls"), ...checkFields }),
  id: "ToolArgumentsSetting",
  label: "Valid tool calls",
  help: "1 when the reply calls tools, each with arguments that fit the tool's declared parameters.",
  form: { fresh: {}, fields: {} },
  runs: "thread",
  needs: () => ["calls"],
  compile(_setting, compilers) {
    const kept = new Map<string, (value: unknown) => ScorerResult>();
    function fitsParameters(parameters: object, given: unknown): ScorerResult {
      const key = JSON.stringify(parameters);
      const fits = kept.get(key) ?? compilers.schema({ ...parameters });
      if (kept.size >= mostKept) kept.clear();
      kept.set(key, fits);
      return fits(given);
    }
    return {
      isQuick: ({ turn }) => (turn?.tool_calls ?? []).length === 0,
      check({ turn }) {
        const { tool_calls: calls = [], tools, callsSeen = true } = turn ?? {};
        if (calls.length === 0 && !callsSeen) return { value: null, reason: unseenCalls, undecided: true };
        if (calls.length === 0) return { value: 0, reason: "the reply calls no tool" };
        for (const { name, arguments: given, arguments_error: error, arguments_unknown: unknown } of calls) {
          if (unknown)
            return { value: null, reason: `undecided: the arguments of ${name} are not known`, undecided: true };
          if (error !== undefined) return { value: 0, reason: `the arguments of ${name} are not JSON: ${error}` };
          const tool = tools?.find((entry) => entry.name === name);
          if (tools && !tool) return { value: 0, reason: `${name} is not a declared tool` };
          if (!tool) continue;
          const result = fitsParameters(tool.parameters ?? {}, given ?? {});
          if (result.value !== 1) return { ...result, reason: `the arguments of ${name}: ${result.reason}` };
        }
        return { value: 1, reason: `${calls.length} valid ${calls.length === 1 ? "call" : "calls"}` };
      },
    };
  },
});
