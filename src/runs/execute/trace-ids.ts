import { createHmac } from "node:crypto";
import type { TraceContext } from "../../contract/ports/chat-model.ts";
import type { TraceKey } from "../../contract/ports/spans.ts";

/** A pass through the turns of an attempt: one conversation with the agent, and so one trace. */
export interface TracedPass {
  readonly scenario_index: number;
  /** Counted from 1. */
  readonly attempt: number;
  /** The second pass of an attempt is another conversation. */
  readonly pass: "first" | "second";
}

/** Half of a trace id, and a span id, in hexadecimal: 8 bytes. */
const idLength = 16;

/**
 * The trace of a pass. Its first half tells the run, and the second cannot be guessed without the secret of the run: whoever knows the
 * id may add spans to it.
 */
export function traceIdOf(key: TraceKey, { scenario_index, attempt, pass }: TracedPass): string {
  return key.prefix + digest(key, ["trace", scenario_index, attempt, pass]);
}

/** The traces that an attempt may have. */
export function passTraces(key: TraceKey, attempt: Omit<TracedPass, "pass">): readonly string[] {
  return (["first", "second"] as const).map((pass) => traceIdOf(key, { ...attempt, pass }));
}

/**
 * The span of a turn, which the spans of the agent have as their parent. A turn that a dead worker had begun gets another one, so that
 * what the agent did for it then is not taken for what it does now.
 */
export function turnSpanId(
  key: TraceKey,
  { scenario_index, attempt, pass }: TracedPass,
  { turn, tries }: { turn: number; tries: number },
): string {
  return digest(key, ["turn", scenario_index, attempt, pass, turn, tries]);
}

/** The names of a turn for the agent. */
interface TurnNames {
  readonly run: string;
  readonly scenario: string;
  readonly attempt: number;
  /** Counted from 1. */
  readonly turn: number;
}

export function traceContext(ids: { traceId: string; spanId: string }, names: TurnNames): TraceContext {
  const members = Object.entries(names).map(([name, value]) => `rehearsal.${name}=${baggageValue(String(value))}`);
  return { traceparent: `00-${ids.traceId}-${ids.spanId}-01`, baggage: members.join(",") };
}

/** Receivers may drop baggage of more than 8,192 bytes; a character takes up to 9. */
const longestName = 256;

const baggageValue = (text: string): string => encodeURIComponent(text.slice(0, longestName).toWellFormed());

function digest({ secret }: TraceKey, of: readonly (string | number)[]): string {
  return createHmac("sha256", Buffer.from(secret, "hex")).update(JSON.stringify(of)).digest("hex").slice(0, idLength);
}
