import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { RecordedToolCall, ReferenceToolCall, ToolMatching } from "../../contract/schemas/acting/tool-call.ts";
import { assign } from "./assignment.ts";
import { compileExpected, shown, type Expected, type MatchContext } from "./matchers.ts";

/** A tool call with its arguments, as far as comparing it needs. */
type ComparedCall = Pick<RecordedToolCall, "name" | "arguments" | "arguments_error" | "arguments_unknown">;

/** A reference call and the call that was assigned to it. */
export interface CallPair {
  /** The index of the call; null when the tool was not called (often enough). */
  readonly call: number | null;
  /** The share of right arguments, 0 without a call. */
  readonly value: number;
  readonly mismatches: readonly ArgumentMismatch[];
  /** Set when the arguments of the call are not known, and the reference names some. */
  readonly unknown?: true;
}

/** A wrong argument in words. Without a name, the arguments as a whole are wrong. */
interface ArgumentMismatch {
  readonly argument?: string;
  readonly reason: string;
}

/** The result of comparing the calls of a turn with its references. */
export interface CallMatches {
  /** One per reference, in their order. */
  readonly pairs: readonly CallPair[];
  /** Indexes of calls without a reference. */
  readonly extra: readonly number[];
  /** The most references that calls met in the order of the references. */
  readonly inOrder: number;
}

interface MatchCallsOptions {
  readonly extraArguments: NonNullable<ToolMatching["extra_arguments"]>;
  readonly context: MatchContext;
}

/**
 * Assigns calls to references of the same tool, one to one, so that the sum of their shares of right arguments is greatest. Among
 * equally good assignments, one in the order of the references is preferred.
 */
export function matchCalls(
  references: readonly ReferenceToolCall[],
  calls: readonly ComparedCall[],
  options: MatchCallsOptions,
): CallMatches {
  const shares = references.map((): readonly number[] | null => null);
  const assigned = references.map(() => -1);
  for (const [name, rows] of groupByName(references)) {
    const columns: number[] = [];
    for (const [index, call] of calls.entries()) if (call.name === name) columns.push(index);
    if (columns.length === 0) continue;
    for (const row of rows) {
      const reference = compileReference(references[row] as ReferenceToolCall);
      shares[row] = calls.map((call) => (call.name === name ? argumentShare(reference, call, options) : otherTool));
    }
    // Linear for one reference; the assignment takes the square of the smaller number times the larger one.
    const [fewer, more] = [rows.length, columns.length].toSorted((left, right) => left - right) as [number, number];
    options.context.probes.count(rows.length * calls.length + (fewer * fewer * more) / 8);
    const weights = (): number[][] => rows.map((row) => columns.map((column) => shares[row]?.[column] ?? otherTool));
    const best = rows.length === 1 && columns.length === 1 ? [0] : assign(withOrder(weights()));
    rows.forEach((row, index) => (assigned[row] = columns[best[index] as number] ?? -1));
  }
  const taken = new Set(assigned);
  function pairOf(index: number, call: number): CallPair {
    if (call === -1) return { call: null, value: 0, mismatches: [] };
    const value = shares[index]?.[call] ?? 0;
    if (value === 1) return { call, value, mismatches: [] };
    if (calls[call]?.arguments_unknown) return { call, value: 0, mismatches: [], unknown: true };
    const reference = compileReference(references[index] as ReferenceToolCall);
    return { call, value, mismatches: explainArguments(reference, calls[call] as ComparedCall, options) };
  }
  const extra: number[] = [];
  for (let index = 0; index < calls.length; index++) if (!taken.has(index)) extra.push(index);
  return {
    pairs: assigned.map((call, index) => pairOf(index, call)),
    extra,
    inOrder: longestInOrder(assigned, shares, calls.length),
  };
}

/**
 * True when a call is of this tool and, if the pattern names arguments, all of them are right. Where the arguments of the call are not
 * known, `unknown` decides.
 */
export function isCallOf(
  pattern: string | ReferenceToolCall,
  call: ComparedCall,
  { unknown = false, ...options }: MatchCallsOptions & { readonly unknown?: boolean },
): boolean {
  options.context.probes.count(1);
  if (typeof pattern === "string") return call.name === pattern;
  if (call.name !== pattern.name) return false;
  if (call.arguments_unknown && pattern.arguments !== undefined) return unknown;
  return pattern.arguments === undefined || argumentShare(compileReference(pattern), call, options) === 1;
}

function groupByName(references: readonly ReferenceToolCall[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [index, { name }] of references.entries()) {
    const group = groups.get(name);
    if (group) group.push(index);
    else groups.set(name, [index]);
  }
  return groups;
}

/** The share of a call of another tool. */
const otherTool = -1;

/** Far below any difference between two shares of right arguments. */
const orderWeight = 1e-7;

/** Convex in the distance, so that of equally good assignments the one without crossings is best. */
function withOrder(weights: readonly (readonly number[])[]): number[][] {
  const size = Math.max(weights.length, weights[0]?.length ?? 0);
  return weights.map((row, index) =>
    row.map((weight, column) => weight - orderWeight * ((index - column) / size) ** 2),
  );
}

/** Longest common subsequence of references and calls, where a call counts if it is as good as the assigned one. */
function longestInOrder(
  assigned: readonly number[],
  shares: readonly (readonly number[] | null)[],
  calls: number,
): number {
  const lengths = Array.from({ length: calls + 1 }, () => 0);
  for (const [index, call] of assigned.entries()) {
    const ofRow = shares[index];
    if (call === -1 || !ofRow) continue;
    const least = ofRow[call] as number;
    // The length that the row above had one column to the left.
    let diagonal = 0;
    for (let column = 1; column <= calls; column++) {
      const above = lengths[column] as number;
      const longer = (ofRow[column - 1] as number) >= least ? diagonal + 1 : 0;
      lengths[column] = Math.max(longer, above, lengths[column - 1] as number);
      diagonal = above;
    }
  }
  return lengths[calls] ?? 0;
}

interface CompiledReference {
  /** Null: any arguments are right. */
  readonly fields: ReadonlyMap<string, Expected> | null;
}

const compiledReferences = new WeakMap<ReferenceToolCall, CompiledReference>();

function compileReference(reference: ReferenceToolCall): CompiledReference {
  const known = compiledReferences.get(reference);
  if (known) return known;
  const expected = reference.arguments;
  const compiled = {
    fields: expected ? new Map(Object.entries(expected).map(([name, value]) => [name, compileExpected(value)])) : null,
  };
  compiledReferences.set(reference, compiled);
  return compiled;
}

/** Calls without arguments come as null from some providers. */
function expectedArguments({ arguments: given, arguments_error }: ComparedCall): JsonRecord | null {
  if (arguments_error !== undefined) return null;
  if (given === null || given === undefined) return {};
  return isRecord(given) ? given : null;
}

/**
 * The right ones among the arguments that the reference names, that the call lacks or (unless allowed) has in addition. Arguments
 * that may be left out, and are, do not count.
 */
function argumentShare(
  { fields }: CompiledReference,
  call: ComparedCall,
  { extraArguments, context }: MatchCallsOptions,
): number {
  if (call.arguments_unknown) return fields ? 0 : 1;
  const given = expectedArguments(call);
  context.probes.count(1);
  if (!given) return 0;
  if (!fields) return 1;
  let right = 0;
  let total = 0;
  for (const [name, field] of fields) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined && field.optional) continue;
    total++;
    if (field.test(value, context)) right++;
  }
  if (extraArguments === "forbid") {
    for (const name in given) {
      if (!Object.hasOwn(given, name) || fields.has(name)) continue;
      context.probes.count(1);
      total++;
    }
  }
  return total === 0 ? 1 : right / total;
}

function explainArguments(
  { fields }: CompiledReference,
  call: ComparedCall,
  { extraArguments, context }: MatchCallsOptions,
): ArgumentMismatch[] {
  const given = expectedArguments(call);
  if (!given) {
    return call.arguments_error === undefined
      ? [{ reason: `its arguments are ${shown(call.arguments)}, not an object` }]
      : [{ reason: `its arguments are not valid JSON: ${call.arguments_error}` }];
  }
  if (!fields) return [];
  const wrong = [...fields].flatMap(([name, field]) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    return field.test(value, context) ? [] : [{ argument: name, reason: field.explain(value, name, context) }];
  });
  if (extraArguments === "allow") return wrong;
  const extra = Object.keys(given).filter((name) => !fields.has(name));
  context.probes.count(extra.length);
  return [
    ...wrong,
    ...extra.map((name) => ({
      argument: name,
      reason: `${name} is ${shown(given[name])}, but the reference does not name it`,
    })),
  ];
}
