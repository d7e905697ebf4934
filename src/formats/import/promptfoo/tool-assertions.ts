import { compact } from "../../../base/compact.ts";
import { isRecord } from "../../../base/json.ts";
import type { ReferenceToolCall } from "../../../contract/schemas/acting/tool-call.ts";
import { anyField, isTextList, listField, scalarText, textField } from "../../documents/records.ts";
import type { UnmappedCheckDraft } from "../../shared/imported-scenario.ts";
import { toReferenceCalls } from "../../shared/tool-calls.ts";

type AssertedPattern = string | ReferenceToolCall;

/** The tool calls that assertions of a test require. */
export interface ToolExpectation {
  /** Expected calls of the turn. */
  readonly expected?: readonly ReferenceToolCall[];
  readonly must_call?: readonly AssertedPattern[];
  readonly must_not_call?: readonly AssertedPattern[];
  readonly before?: readonly { readonly first: string; readonly later: string }[];
  /** The most calls in all, or of a tool. */
  readonly max_calls?: number | Readonly<Record<string, number>>;
  /** A question about the conversation for the judge. */
  readonly rubric?: string;
  /** True if the expected calls are all of the turn, in this order. */
  readonly isExact?: boolean;
  /** True if arguments beside the named ones are right. */
  readonly allowsMore?: boolean;
}

/** Converts an assertion about tools; undefined if there is no equivalent. */
export function toToolExpectation({ type, value, negated }: UnmappedCheckDraft): ToolExpectation | undefined {
  if (type === "tool-call-f1") {
    const names = assertedNames(value);
    return negated || names.length === 0 ? undefined : { expected: names.map((name) => ({ name })) };
  }
  if (type === "trajectory:tool-used") {
    if (isRecord(value) && !negated) return countedUse(value);
    const names = isRecord(value) ? plainName(value) : assertedNames(value);
    if (names === undefined || names.length === 0) return undefined;
    return negated ? { must_not_call: names } : { must_call: names };
  }
  if (type === "trajectory:step-count") return negated ? undefined : countedSteps(value);
  if (type === "trajectory:goal-success") {
    const goal = scalarText(value) ?? textField(value, "goal");
    return negated || goal === undefined ? undefined : { rubric: `Did the assistant reach this goal? ${goal}` };
  }
  if (type === "trajectory:tool-args-match") return argumentsOf(value, negated);
  return type === "trajectory:tool-sequence" && !negated ? sequenceOf(value) : undefined;
}

function assertedNames(value: unknown): string[] {
  if (isTextList(value)) return [...value];
  return (scalarText(value) ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** A tool that is used at least once, and at most `max` times. More than one use cannot be required. */
function countedUse(value: unknown): ToolExpectation | undefined {
  const name = textField(value, "name");
  const [min = 1, max] = [anyField(value, "min"), anyField(value, "max")];
  if (name === undefined || anyField(value, "pattern") !== undefined || (min !== 0 && min !== 1)) return undefined;
  if (anyField(value, "type") !== undefined && textField(value, "type") !== "tool") return undefined;
  return compact({
    must_call: min === 1 ? [name] : undefined,
    max_calls: typeof max === "number" ? { [name]: max } : undefined,
  });
}

/** Steps are tool calls here; only their largest number can be required. */
function countedSteps(value: unknown): ToolExpectation | undefined {
  const [min = 0, max, name] = [anyField(value, "min"), anyField(value, "max"), textField(value, "name")];
  const isOfTools = textField(value, "type") === "tool" && anyField(value, "pattern") === undefined;
  if (!isOfTools || min !== 0 || typeof max !== "number") return undefined;
  return { max_calls: name === undefined ? max : { [name]: max } };
}

/** A matcher with a glob pattern or a count has no equivalent. */
function plainName(value: unknown): string[] | undefined {
  const name = textField(value, "name");
  const isPlain = ["pattern", "min", "max", "type"].every((part) => anyField(value, part) === undefined);
  return name !== undefined && isPlain ? [name] : undefined;
}

function argumentsOf(value: unknown, negated: boolean): ToolExpectation | undefined {
  const name = textField(value, "name");
  const given = anyField(value, "args", "arguments");
  if (name === undefined || !isRecord(given) || anyField(value, "defaults", "ignore") !== undefined) return undefined;
  const calls = toReferenceCalls([{ name, arguments: given }], { place: {}, note: () => undefined });
  const allowsMore = textField(value, "mode") !== "exact";
  return { ...(negated ? { must_not_call: calls } : { must_call: calls }), allowsMore };
}

function sequenceOf(value: unknown): ToolExpectation | undefined {
  const steps = (Array.isArray(value) ? value : (listField(value, "steps") ?? [])).map(
    (step: unknown) => scalarText(step) ?? plainName(step)?.[0],
  );
  const names = steps.filter((step) => step !== undefined);
  if (textField(value, "mode") === "exact") {
    const isPlain = names.length > 0 && names.length === steps.length;
    return isPlain ? { expected: names.map((name) => ({ name })), isExact: true } : undefined;
  }
  // The order of repeated tools cannot be required by name.
  if (names.length === 0 || new Set(names).size < steps.length) return undefined;
  const before = names.slice(1).map((later, index) => ({ first: names[index] ?? "", later }));
  return compact({ must_call: names, before: before.length > 0 ? before : undefined });
}
