import { compact } from "../../base/compact.ts";
import { isRecord } from "../../base/json.ts";
import { truncateText } from "../../base/text.ts";
import type { ReceivedSpan } from "../../contract/ports/spans.ts";
import { maxPassages, type ContextPassage } from "../../contract/schemas/acting/context.ts";
import type { RecordedToolCall } from "../../contract/schemas/acting/tool-call.ts";
import type { TurnStep } from "../../contract/schemas/acting/turn-steps.ts";
import type { Usage } from "../../contract/schemas/shared/usage.ts";
import type { ImportedToolCall } from "../shared/tool-calls.ts";
import { readSpan, type ReadSpan } from "./read-span.ts";

/** What the spans of a turn say that the agent did. */
export interface SpannedTurn {
  readonly steps: readonly SpannedStep[];
  /** The tool calls in order. */
  readonly calls: readonly SpannedCall[];
  readonly passages: readonly ContextPassage[];
  /** Sums over the model calls; null when not all of them tell. */
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly cost: number | null;
  readonly modelCalls: number;
  /** True when a call of a tool would have shown: the agent's tools are traced, or its models tell what they asked for. */
  readonly tellsCalls: boolean;
  /** True when the spans have one of a tool. */
  readonly hasTools: boolean;
}

/** A step, not yet with the index of its call. */
export type SpannedStep = Omit<TurnStep, "call" | "arguments">;

/** A tool call, and the span that shows it. */
export interface SpannedCall {
  readonly call: RecordedToolCall;
  /** Absent when only a model's request shows it. */
  readonly step?: string;
}

const mostSteps = 1_000;
const longestAnswer = 2_000;
const longestName = 500;

/** Reads the spans of one turn, in the order of their begin. */
export function readTurn(
  spans: readonly ReceivedSpan[],
  { priceOf }: { priceOf?: ((call: { model: string | null; usage: Usage }) => number | null) | undefined } = {},
): SpannedTurn {
  const read = spans.map(readSpan).map((span) => (priceOf ? withPrice(span, priceOf) : span));
  const byId = new Map(read.map((span) => [span.id, span]));
  const tools = outermostTools(read, byId);
  const models = innermostModels(read, byId);
  const calls = callsOf(tools, models);
  const sums = models.map(({ model }) => model);
  return {
    steps: stepsOf(read, byId),
    calls,
    passages: read.flatMap(({ documents }) => documents ?? []).slice(0, maxPassages),
    tokens: sumOf(sums.map((model) => model?.tokens)),
    cost: costOf(sums.map((model) => model?.cost)),
    modelCalls: models.length,
    tellsCalls: tools.length > 0 || (models.length > 0 && models.every(tellsRequests)),
    hasTools: tools.length > 0,
  };
}

/** Instrumentations know tokens, and seldom what they cost. */
function withPrice(span: ReadSpan, priceOf: (call: { model: string | null; usage: Usage }) => number | null): ReadSpan {
  const { model } = span;
  if (!model?.tokens || model.cost !== undefined) return span;
  const { input, output } = model.tokens;
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  const cost = priceOf({ model: model.name ?? null, usage });
  return cost === null ? span : { ...span, model: { ...model, cost } };
}

function* ancestors(span: ReadSpan, byId: ReadonlyMap<string, ReadSpan>): Iterable<ReadSpan> {
  const seen = new Set([span.id]);
  for (let at = span.parent; at !== undefined && !seen.has(at); at = byId.get(at)?.parent) {
    seen.add(at);
    const found = byId.get(at);
    if (!found) return;
    yield found;
  }
}

/** A tool may be traced by its framework, by its client and by its server: the same call, one span within the other. */
function outermostTools(read: readonly ReadSpan[], byId: ReadonlyMap<string, ReadSpan>): ReadSpan[] {
  const inner = new Map<string, ImportedToolCall[]>();
  const tools = read.filter((span) => {
    if (span.kind !== "tool" || !span.call) return false;
    const outer = [...ancestors(span, byId)].findLast((above) => above.kind === "tool" && above.name === span.name);
    if (outer) inner.set(outer.id, [...(inner.get(outer.id) ?? []), span.call]);
    return !outer;
  });
  return tools.map((span) => {
    const calls = [...(inner.get(span.id) ?? []), ...(span.call ? [span.call] : [])];
    // The outer span says what counts, and the inner ones what it leaves out.
    const [first, ...others] = calls.map((call) => compact({ ...call }));
    return first ? { ...span, call: Object.assign({}, first, ...others) as ImportedToolCall } : span;
  });
}

/** A framework and the client library below it may both trace a model call: the inner one is counted. */
function innermostModels(read: readonly ReadSpan[], byId: ReadonlyMap<string, ReadSpan>): ReadSpan[] {
  const outer = new Set<string>();
  for (const span of read)
    if (span.kind === "model")
      for (const above of ancestors(span, byId)) if (above.kind === "model") outer.add(above.id);
  return read.filter(({ id, kind }) => kind === "model" && !outer.has(id));
}

/** The calls of tools; those that only a model's answer shows stand where the model asked for them. */
function callsOf(tools: readonly ReadSpan[], models: readonly ReadSpan[]): SpannedCall[] {
  const found = tools.map((span) => ({ at: span.start, step: span.id, call: toRecorded(span) }));
  const free = new Set(found);
  const results = new Map(
    models.flatMap(({ model }) => (model?.results ?? []).flatMap((result) => (result.id ? [[result.id, result]] : []))),
  );
  const asked: { at: number; step?: string; call: RecordedToolCall }[] = [];
  const known = new Set<string>();
  for (const { end, model } of models) {
    for (const request of model?.asked ?? []) {
      if (request.id !== undefined && known.has(request.id)) continue;
      if (request.id !== undefined) known.add(request.id);
      const result = request.id === undefined ? undefined : results.get(request.id);
      const call = fromImported({ ...request, ...(result && { result: result.result, error: result.error }) });
      const own = [...free].find((tool) => isSameCall(tool.call, call));
      if (!own) {
        asked.push({ at: end, call });
        continue;
      }
      free.delete(own);
      own.call = fillCall(own.call, call);
    }
  }
  return [...found, ...asked]
    .toSorted((left, right) => left.at - right.at)
    .map(({ call, step }) => compact({ call, step }));
}

function toRecorded({ call, start, end }: ReadSpan): RecordedToolCall {
  return { ...fromImported(call ?? { name: "", arguments: undefined }), ms: duration(start, end) };
}

function fromImported({
  id,
  name,
  arguments: given,
  argumentsError,
  result,
  error,
}: ImportedToolCall): RecordedToolCall {
  return compact({
    id: id ?? "",
    name,
    arguments: (given ?? null) as RecordedToolCall["arguments"],
    arguments_unknown: given === undefined || given === null ? (true as const) : undefined,
    arguments_error: argumentsError ?? (typeof given === "string" ? "not an object" : undefined),
    result: error === undefined ? (result as RecordedToolCall["result"] & {}) : undefined,
    error,
    source: "spans" as const,
  });
}

/** True when two reports can be of one call: by their ids, else by name and arguments. */
export function isSameCall(left: RecordedToolCall, right: RecordedToolCall): boolean {
  if (left.id !== "" && right.id !== "" && left.id === right.id) return true;
  if (plainName(left.name) !== plainName(right.name)) return false;
  if (left.arguments_unknown || right.arguments_unknown) return true;
  return sameJson(left.arguments, right.arguments);
}

/** Agents put the name of their MCP server before that of the tool. */
const plainName = (name: string): string => name.replace(/^(?:mcp__)?(?:[\w-]+__)(?=\w)/, "");

function sameJson(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  if (!isRecord(left) || !isRecord(right)) return left === right;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]))
  );
}

/** The first report, with what only the second one says. */
export function fillCall(call: RecordedToolCall, other: RecordedToolCall): RecordedToolCall {
  const isOpen = call.result === undefined && call.error === undefined;
  const { arguments_unknown: isUnknown, arguments_error: _, ...rest } = call;
  const given = isUnknown && !other.arguments_unknown;
  return compact({
    ...(given ? rest : call),
    ...(given && { arguments: other.arguments, arguments_error: other.arguments_error }),
    id: call.id || other.id,
    result: isOpen ? other.result : call.result,
    error: isOpen ? other.error : call.error,
    ms: call.ms ?? other.ms,
  });
}

/** True when a model call shows whether it asked for tools: by its answer, or by the reason for which it ended. */
function tellsRequests({ model, error }: ReadSpan): boolean {
  if (error !== undefined || model?.asked !== undefined) return true;
  return model?.finish !== undefined && !/tool|function/i.test(model.finish);
}

function sumOf(counts: readonly ({ input: number; output: number } | undefined)[]): SpannedTurn["tokens"] {
  const known = counts.filter((count) => count !== undefined);
  if (known.length === 0 || known.length < counts.length) return null;
  return known.reduce((sum, { input, output }) => ({ input: sum.input + input, output: sum.output + output }));
}

function costOf(costs: readonly (number | undefined)[]): number | null {
  const known = costs.filter((cost) => cost !== undefined);
  return known.length === 0 || known.length < costs.length ? null : known.reduce((sum, cost) => sum + cost, 0);
}

const duration = (start: number, end: number): number => Math.max(0, Math.round((end - start) * 1000) / 1000);

function stepsOf(read: readonly ReadSpan[], byId: ReadonlyMap<string, ReadSpan>): SpannedStep[] {
  const begin = Math.min(...read.map(({ start }) => start));
  // Where there are too many, those of no known kind are left out first.
  const kept = read.length <= mostSteps ? read : chosen(read);
  return kept.map(({ id, parent, kind, name, start, end, error, model, documents }) =>
    compact({
      id,
      parent: parent !== undefined && byId.has(parent) ? parent : undefined,
      kind,
      name: truncateText(name, longestName),
      start_ms: duration(begin, start),
      ms: duration(start, end),
      error,
      model: model?.name,
      input_tokens: model?.tokens?.input,
      output_tokens: model?.tokens?.output,
      cost: model?.cost,
      text: model?.text === undefined ? undefined : truncateText(model.text, longestAnswer),
      passages: documents?.length,
    }),
  );
}

function chosen(read: readonly ReadSpan[]): readonly ReadSpan[] {
  const known = read.filter(({ kind }) => kind !== "other").slice(0, mostSteps);
  const others = read.filter(({ kind }) => kind === "other").slice(0, mostSteps - known.length);
  return [...known, ...others].toSorted((left, right) => left.start - right.start);
}
