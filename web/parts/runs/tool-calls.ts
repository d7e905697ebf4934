import { isRecord } from "../../../src/base/json.ts";
import type { InteractionResult } from "../../../src/contract/schemas/interaction-result.ts";
import type { RecordedToolCall, ReferenceToolCall } from "../../../src/contract/schemas/acting/tool-call.ts";

/** The fields of a turn that its tool calls are read from. */
export type CallingTurn = Pick<InteractionResult, "reference_tool_calls" | "tool_comparison"> &
  Partial<Pick<InteractionResult, "tool_calls">>;

/** A wrong call: of the wrong tool, with wrong arguments, or not made at all. */
export type CallFault = "wrong_arguments" | "not_called" | "unexpected" | "unknown_tool" | "invalid_arguments";

interface CallMark {
  readonly fault: CallFault;
  /** In words, with the values. */
  readonly reason: string;
  /** Names of the wrong arguments. */
  readonly wrong?: readonly string[];
}

/** A call, the reference that it was compared with, and its faults. */
export interface CallRow {
  readonly name: string;
  /** Null for an expected call that was not made. */
  readonly call: RecordedToolCall | null;
  /** Null for a call that no reference expects. */
  readonly reference: ReferenceToolCall | null;
  readonly marks: readonly CallMark[];
}

/** The calls of a turn in order, then the expected ones that were not made. */
export function callRows({ tool_calls: calls = [], reference_tool_calls, tool_comparison }: CallingTurn): CallRow[] {
  const { pairs = [], unexpected = [], problems = [] } = tool_comparison ?? {};
  const references = reference_tool_calls ?? [];
  const pairOf = new Map(
    pairs.map(({ call, wrong }, index) => [call, { reference: references[index] ?? null, wrong }]),
  );
  const isUnexpected = new Set(unexpected);
  const problemOf = new Map(problems.map((problem) => [problem.call, problem]));
  const made = calls.map((call, index): CallRow => {
    const pair = pairOf.get(index);
    const problem = problemOf.get(index);
    const marks: CallMark[] = [];
    if (call.arguments_error !== undefined) {
      marks.push({ fault: "invalid_arguments", reason: `not valid JSON: ${call.arguments_error}` });
    } else if (pair?.wrong) {
      marks.push({
        fault: "wrong_arguments",
        reason: pair.wrong.map(({ reason }) => reason).join("; "),
        wrong: pair.wrong.flatMap(({ argument }) => argument ?? []),
      });
    }
    if (problem) marks.push({ fault: problem.kind, reason: problem.reason });
    if (isUnexpected.has(index)) marks.push({ fault: "unexpected", reason: "no call of this tool is expected here" });
    return { name: call.name, call, reference: pair?.reference ?? null, marks };
  });
  const missing = pairs.flatMap(({ call }, index): CallRow[] => {
    const reference = references[index];
    if (call !== null || !reference) return [];
    const marks = [{ fault: "not_called" as const, reason: "expected, but not called" }];
    return [{ name: reference.name, call: null, reference, marks }];
  });
  return [...made, ...missing];
}

/** Calls of a turn that are wrong, and expected ones that were not made. */
export const countWrongCalls = (turn: CallingTurn): number =>
  turn.tool_comparison || (turn.tool_calls ?? []).length > 0
    ? callRows(turn).filter(({ marks }) => marks.length > 0).length
    : 0;

/** The fault of a call in a few words, without its values: equal faults of different turns have equal texts. */
export function faultText({ name, marks }: CallRow): string {
  const [first] = marks;
  switch (first?.fault) {
    case "wrong_arguments":
      return `${name}: wrong ${first.wrong && first.wrong.length > 0 ? first.wrong.join(", ") : "arguments"}`;
    case "invalid_arguments":
      return `${name}: invalid arguments`;
    case "not_called":
      return `${name}: not called`;
    case "unexpected":
      return `${name}: not expected`;
    case "unknown_tool":
      return `${name}: unknown tool`;
    case undefined:
      return name;
  }
}

/** One argument of a call beside the expected one. A side without the argument is undefined. */
export interface ArgumentRow {
  readonly name: string;
  readonly expected: unknown;
  readonly actual: unknown;
  readonly isWrong: boolean;
}

/** The arguments of a call beside those of its reference; null when either side has none to compare. */
export function argumentRows({ call, reference, marks }: CallRow): ArgumentRow[] | null {
  const expected = reference?.arguments;
  if (!expected || !call || call.arguments_error !== undefined) return null;
  const actual = call.arguments ?? {};
  if (!isRecord(actual)) return null;
  const wrong = new Set(marks.flatMap((mark) => mark.wrong ?? []));
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  const rows = names.map((name) => ({
    name,
    expected: Object.hasOwn(expected, name) ? expected[name] : undefined,
    actual: Object.hasOwn(actual, name) ? actual[name] : undefined,
    isWrong: wrong.has(name),
  }));
  return rows.toSorted((left, right) => Number(right.isWrong) - Number(left.isWrong));
}

/** An expected value in words: JSON, or the meaning of its matcher. */
export function expectedText(value: unknown, limit?: number): string {
  if (!isRecord(value)) return previewJson(value, limit);
  const [[key, inner] = ["", undefined]] = Object.entries(value);
  const json = previewJson(inner, limit);
  switch (key) {
    case "$any":
      return "any value";
    case "$absent":
      return "left out";
    case "$one_of":
      return Array.isArray(inner)
        ? `one of ${inner
            .slice(0, 20)
            .map((item) => expectedText(item, limit))
            .join(", ")}`
        : json;
    case "$text":
      return `${json}, ignoring case and spaces`;
    case "$regex":
      return `matches ${typeof inner === "string" ? inner : json}`;
    case "$contains":
      return `contains ${json}`;
    case "$schema":
      return `fits the schema ${json}`;
    case "$literal":
      return json;
    case "$number": {
      const { value: number, tolerance = 0 } = isRecord(inner) ? inner : {};
      return tolerance === 0 ? String(number) : `${String(number)} ± ${String(tolerance)}`;
    }
    default:
      return previewJson(value, limit);
  }
}

/** JSON on one line, cut after `limit` characters. Reads no more of a large value than it shows. */
export function previewJson(value: unknown, limit = 200): string {
  let text = "";
  const isFull = (): boolean => text.length > limit;
  function write(part: unknown): void {
    if (isFull()) return;
    if (typeof part === "string") text += JSON.stringify(part.length > limit ? part.slice(0, limit + 1) : part);
    else if (Array.isArray(part)) {
      text += "[";
      for (const [index, item] of part.entries()) {
        if (isFull()) return;
        if (index > 0) text += ", ";
        write(item);
      }
      text += "]";
    } else if (isRecord(part)) {
      text += "{";
      let isFirst = true;
      for (const key in part) {
        if (isFull()) return;
        text += `${isFirst ? "" : ", "}${JSON.stringify(key)}: `;
        isFirst = false;
        write(part[key]);
      }
      text += "}";
    } else text += JSON.stringify(part) ?? "nothing";
  }
  write(value);
  return isFull() ? `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}
