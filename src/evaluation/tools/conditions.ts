import { compact } from "../../base/compact.ts";
import type { JsonRecord } from "../../base/json.ts";
import { compileExpected, type MatchContext } from "./matchers.ts";
import type { ProbeSession } from "./probes.ts";

/** The `when` of each answer of a tool, and the arguments of a call. */
export interface ComparedConditions {
  readonly conditions: readonly (JsonRecord | undefined)[];
  readonly args: JsonRecord;
}

/** Whether the arguments match, and why that could not be found out. */
export interface ConditionResult {
  readonly matches: boolean;
  readonly failure?: string;
}

/** Compares the arguments of a call with the `when` of each answer. */
export function compareConditions(
  { conditions, args }: ComparedConditions,
  session: Pick<ProbeSession, "ask" | "count">,
): ConditionResult[] {
  return conditions.map((when) => {
    let failure: string | undefined;
    const context: MatchContext = { text: "exact", probes: session, onFailure: (reason) => (failure ??= reason) };
    const matches = Object.entries(when ?? {}).every(([name, expected]) => {
      const actual = Object.hasOwn(args, name) ? args[name] : undefined;
      return compileExpected(expected).test(actual, context);
    });
    return compact({ matches, failure });
  });
}
