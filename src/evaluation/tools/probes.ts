import { isRecord } from "../../base/json.ts";
import type { UserScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import { compilePattern } from "../checks/compile-pattern.ts";
import { settingKey } from "../checks/create-checks.ts";
import { compileSchema } from "../checks/compile-schema.ts";
import type { CheckRunner } from "../checks/offload-check.ts";
import type { ScorerResult } from "../../scoring/scorers/scorer.ts";

/** A pattern or schema that a matcher applies to a value. Requests bring them, so applying one may take arbitrarily long. */
export type ProbeSetting = Extract<UserScorerSetting, { type: "regex" | "json_schema" }>;

/** Applies patterns and schemas to values, and compares values, on another thread where that is slow. Created once per run. */
export interface Probes {
  open(): ProbeSession;
  /** Makes a comparison. Null when it takes too long. */
  compare<Input extends object, Result>(
    comparison: Comparison<Input, Result>,
    signal: AbortSignal,
  ): Promise<Result | null>;
}

/** A comparison with what a request expects. It may be made on another thread, so its input and result are plain data. */
export interface Comparison<Input extends object, Result> extends ComparisonTask {
  readonly input: Input;
  /** The part of the input that is sent to another thread. Default: all of it. */
  readonly sent?: () => object;
  /** The part of the request that says what is expected. After one timeout, further comparisons with it that are slow are given up. */
  readonly expected: object;
  readonly compare: (input: Input, session: ProbeSession) => Result;
}

/** The part of a comparison that another thread needs. */
export interface ComparisonTask {
  readonly kind: "calls" | "outcome" | "conditions";
  readonly input: object;
}

/** Makes a comparison on another thread. Resolves to null after a time limit. Rejects when `signal` aborts. */
export type ComparisonRunner = (
  task: ComparisonTask,
  signal: AbortSignal,
) => Promise<{ readonly result: unknown } | null>;

/** The answers collected while one turn or attempt is scored. */
export interface ProbeSession {
  /** Whether the value fits. Undefined while the answer is not known yet: `settle` gets it. */
  ask(setting: ProbeSetting, value: unknown): ScorerResult | undefined;
  /** Counts steps of work. Throws when there are more than take milliseconds, and they could be made elsewhere. */
  count(steps: number): void;
  /** True when `ask` had no answer. */
  readonly isPending: boolean;
  /** Gets the answers that `ask` did not have. */
  settle(signal: AbortSignal): Promise<void>;
}

/** `^` and `$` match only at the ends of a value, as in a schema. */
export function patternSetting(pattern: string): ProbeSetting {
  return { type: "regex", pattern: `(?-m:${pattern})`, ignore_case: false, negate: false };
}

const tooSlow: ScorerResult = { value: null, reason: "takes too long to check", failed: true };
const tooMany: ScorerResult = { value: null, reason: "takes too many checks", failed: true };

/** Values that are compared within milliseconds. */
const quickComparison = 300_000;

class TooManySteps extends Error {
  override readonly name = "TooManySteps";
}

/** Answers of the other thread in one session. Each takes about a tenth of a millisecond. */
const maximumAnswers = 2_000;

/**
 * With `run`, a pattern or schema that could take more than milliseconds is applied by it, as the checks of a run are. After one
 * timeout it is given up. Without `run`, everything is applied in place. `runComparison` does the same for comparisons.
 */
export function createProbes(run?: CheckRunner, runComparison?: ComparisonRunner): Probes {
  const quickChecks = new WeakMap<ProbeSetting, QuickCheck>();
  const givenUp = new Set<string>();
  const slow = new WeakSet<object>();

  function applyQuickly(setting: ProbeSetting, value: unknown): ScorerResult | null {
    const check = quickChecks.get(setting) ?? createQuickCheck(setting, run !== undefined);
    quickChecks.set(setting, check);
    return check(value);
  }

  async function offload(setting: ProbeSetting, reply: string, signal: AbortSignal): Promise<ScorerResult> {
    const key = settingKey(setting);
    if (!run || givenUp.has(key)) return tooSlow;
    const result = await run({ setting, reply, references: [] }, signal);
    if (result === null) givenUp.add(key);
    return result ?? tooSlow;
  }

  function openSession(mostSteps: number): ProbeSession {
    const known = new Map<ProbeSetting, Map<string, ScorerResult>>();
    let pending: { setting: ProbeSetting; text: string }[] = [];
    let answers = 0;
    let steps = 0;
    function count(more: number): void {
      steps += more;
      if (steps > mostSteps) throw new TooManySteps();
    }
    return {
      count,
      ask(setting, value) {
        count(stepsOf(setting, value));
        const quick = applyQuickly(setting, value);
        if (quick) return quick;
        const text = probedText(setting, value);
        const answer = known.get(setting)?.get(text);
        if (answer) return answer;
        if (answers + pending.length >= maximumAnswers) return tooMany;
        pending.push({ setting, text });
        return undefined;
      },
      get isPending() {
        return pending.length > 0;
      },
      async settle(signal) {
        const asked = pending;
        pending = [];
        steps = 0;
        for (const { setting, text } of asked) {
          const ofSetting = known.get(setting) ?? new Map<string, ScorerResult>();
          known.set(setting, ofSetting);
          if (ofSetting.has(text)) continue;
          answers++;
          ofSetting.set(text, await offload(setting, text, signal));
        }
      },
    };
  }

  return {
    open: () => openSession(Infinity),
    async compare<Input extends object, Result>(
      { kind, input, sent = () => input, expected, compare }: Comparison<Input, Result>,
      signal: AbortSignal,
    ): Promise<Result | null> {
      const session = openSession(runComparison ? quickComparison : Infinity);
      try {
        return await computeWithProbes(session, () => compare(input, session), signal);
      } catch (error) {
        if (!(error instanceof TooManySteps) || !runComparison) throw error;
      }
      const answer = slow.has(expected) ? null : await runComparison({ kind, input: sent() }, signal);
      if (!answer) slow.add(expected);
      return answer && (answer.result as Result);
    },
  };
}

/** About the milliseconds that a check in place takes, in steps of a comparison. */
function stepsOf(setting: ProbeSetting, value: unknown): number {
  if (setting.type === "json_schema") return 1 + probeSize(value) / 10;
  return 1 + (typeof value === "string" ? Math.min(value.length * setting.pattern.length, quickSteps) / 100 : 0);
}

/** Computes again until every answer it asks for is known. */
export async function computeWithProbes<Result>(
  session: ProbeSession,
  compute: () => Result,
  signal: AbortSignal,
): Promise<Result> {
  for (;;) {
    const result = compute();
    if (!session.isPending) return result;
    await session.settle(signal);
  }
}

/** Null when it could take more than milliseconds. */
type QuickCheck = (value: unknown) => ScorerResult | null;

/** A few milliseconds. */
const quickSteps = 1_000_000;
/** Longer patterns may take long to compile. */
const quickPattern = 500;
const quickSchema = 10_000;
const quickValue = 20_000;

function createQuickCheck(setting: ProbeSetting, mayOffload: boolean): QuickCheck {
  if (setting.type === "regex") {
    if (mayOffload && setting.pattern.length > quickPattern) return () => null;
    const { test, size } = compilePattern(setting.pattern);
    return (value) => {
      const text = String(value);
      if (mayOffload && text.length * size > quickSteps) return null;
      return test(text) ? { value: 1, reason: "matches" } : { value: 0, reason: "does not match the pattern" };
    };
  }
  const { schema } = setting;
  if (mayOffload && !(isPlainSchema(schema) && JSON.stringify(schema).length <= quickSchema)) return () => null;
  const check = compileSchema(schema);
  return (value) => (mayOffload && probeSize(value) > quickValue ? null : check(value));
}

/** About the length of a value as JSON. Counts no further than a value that is too large. */
function probeSize(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  const items = Array.isArray(value) ? value : Object.values(value);
  let size = 10 * items.length;
  for (let index = 0; index < items.length && size <= quickValue; index++) size += probeSize(items[index]);
  return size;
}

function probedText({ type }: ProbeSetting, value: unknown): string {
  return type === "regex" ? String(value) : JSON.stringify(value);
}

/** Keywords whose cost can exceed the product of schema and value: references repeat, patterns and unique items search. */
const costly = new Set([
  "$ref",
  "$dynamicRef",
  "$recursiveRef",
  "$schema",
  "$async",
  "pattern",
  "patternProperties",
  "uniqueItems",
  "dependencies",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** True when the schema has no costly keyword; a property of such a name counts as one too. */
export function isPlainSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isPlainSchema);
  if (!isRecord(schema)) return true;
  return Object.entries(schema).every(([key, value]) => !costly.has(key) && isPlainSchema(value));
}
