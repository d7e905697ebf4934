import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { StateChange } from "../../contract/ports/journal.ts";
import type { WorldAnswer } from "../../contract/schemas/acting/world.ts";
import {
  forbiddenKeys,
  missing,
  parsePointer,
  readPath,
  removeChange,
  setChange,
  unescapeSegment,
  type CountSteps,
  type Missing,
  type StateView,
} from "./state.ts";

/** The answer of a world's tool. `result` and `error` exclude each other. */
export interface ToolOutcome {
  readonly result?: unknown;
  readonly error?: string;
  readonly changes?: readonly StateChange[];
  /** The state with the changes, where the call was answered from it. */
  readonly state?: StateView;
  readonly delayMs?: number;
}

/** A call that cannot be answered. The message is written for the model. */
export class CallError extends Error {
  override readonly name = "CallError";
}

/** An answer of a declared tool whose `when` matches, ready to be given. */
export type CompiledAnswer = (call: AnsweredCall) => ToolOutcome | null;

export interface AnsweredCall {
  readonly args: JsonRecord;
  readonly state: StateView;
  /** Counts the work of answering. */
  readonly count: CountSteps;
}

/** Given when an answer has neither a result nor an error. */
const done = { ok: true };

/**
 * Prepares an answer. It returns null when the answer does not apply: something that it reads, writes to or removes does not exist.
 * `result` is read after the changes.
 */
export function compileAnswer({ result, error, set = {}, remove = [], delay_ms }: WorldAnswer): CompiledAnswer {
  const writes = Object.entries(set).map(([pointer, value]) => [compilePointer(pointer), compileValue(value)] as const);
  const removals = remove.map(compilePointer);
  const reads = error === undefined ? compileValue(result === undefined ? done : result) : null;
  const delay = delay_ms ? { delayMs: delay_ms } : {};

  return ({ args, state: before, count }) => {
    const edit = before.edit(count);
    const changes: StateChange[] = [];
    for (const [pointer, value] of writes) {
      const path = pointer(args);
      const written = value({ args, state: before, count });
      if (path === missing || written === missing || !edit.set(path, written)) return null;
      changes.push(setChange(path, written));
    }
    for (const pointer of removals) {
      const path = pointer(args);
      if (path === missing || !edit.remove(path)) return null;
      changes.push(removeChange(path));
    }
    const state = edit.finish();
    const changed = changes.length > 0 ? { changes, state } : {};
    if (!reads) return { error: error ?? "", ...changed, ...delay };
    const answer = reads({ args, state, count });
    return answer === missing ? null : { result: answer, ...changed, ...delay };
  };
}

function ownAnswer(args: JsonRecord, name: string): unknown {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

/** `{name}` in a pointer. */
const placeholder = /\{([^{}]+)\}/;

/** The names of the arguments that a pointer refers to. */
export function placeholders(pointer: string): string[] {
  return pointer.match(new RegExp(placeholder, "g"))?.map((part) => part.slice(1, -1)) ?? [];
}

type CompiledPointer = (args: JsonRecord) => readonly string[] | Missing;

/** A pointer may name an argument hundreds of times. */
const longestKey = 10_000;

/** An argument fills in a part of one segment, whatever signs it has. One that is no text, number or boolean makes it `missing`. */
function compilePointer(pointer: string): CompiledPointer {
  const segments = pointer
    .split("/")
    .slice(1)
    // Every second part is the name of an argument.
    .map((segment) => segment.split(placeholder).map((part, index) => (index % 2 ? part : unescapeSegment(part))));
  return (args) => {
    const path: string[] = [];
    for (const parts of segments) {
      let key = "";
      for (const [index, part] of parts.entries()) {
        const text = index % 2 ? toText(ownAnswer(args, part)) : part;
        if (text === null) return missing;
        key += text;
        if (key.length > longestKey)
          throw new CallError(`The arguments must not make a key of more than ${longestKey} characters.`);
      }
      if (forbiddenKeys.has(key)) throw new CallError(`The arguments must not name the key ${key}.`);
      path.push(key);
    }
    return path;
  };
}

function toText(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

type CompiledValue = (call: AnsweredCall) => unknown;

/** The expressions in results and written values: an object with one of these keys and no other. */
export const expressions = ["$state", "$argument", "$literal"] as const;
type Expression = (typeof expressions)[number];

/** The key of the expression that an object is, else null. */
export function expressionKey(value: JsonRecord): Expression | null {
  return expressions.find((key) => Object.hasOwn(value, key)) ?? null;
}

function compileValue(template: unknown): CompiledValue {
  if (!hasExpressions(template)) return () => template;
  if (Array.isArray(template)) {
    const items = template.map(compileValue);
    return (call) => {
      call.count(items.length);
      const values = items.map((item) => item(call));
      return values.includes(missing) ? missing : values;
    };
  }
  const record = template as JsonRecord;
  const key = expressionKey(record);
  if (key !== null) return compileExpression(key, record[key]);
  const fields = Object.entries(record).map(([name, value]) => [name, compileValue(value)] as const);
  return (call) => {
    call.count(fields.length);
    const entries = fields.map(([name, value]) => [name, value(call)] as const);
    return entries.some(([, value]) => value === missing) ? missing : Object.fromEntries(entries);
  };
}

function compileExpression(key: Expression, value: unknown): CompiledValue {
  if (key === "$literal") return () => value;
  if (key === "$state") {
    const pointer = compilePointer(String(value));
    return ({ args, state, count }) => {
      const path = pointer(args);
      return path === missing ? missing : state.read(path, count);
    };
  }
  const path = argumentPath(String(value));
  return ({ args }) => (path ? readPath(args, path) : missing);
}

/** The path of `$argument`: the name of an argument, or a pointer into the arguments. */
export function argumentPath(name: string): readonly string[] | null {
  return name.startsWith("/") ? parsePointer(name) : [name];
}

function hasExpressions(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasExpressions);
  if (!isRecord(value)) return false;
  return expressionKey(value) !== null || Object.values(value).some(hasExpressions);
}
