/** The ids of a run's traces are made from it, in hexadecimal: `prefix` is their first half, `secret` the key of the second. */
export interface TraceKey {
  readonly prefix: string;
  readonly secret: string;
}

/** A span as an agent sent it, whatever its conventions. Times are milliseconds since 1970, attributes plain JSON. */
export interface ReceivedSpan {
  /** In hexadecimal, like `parent`. */
  readonly id: string;
  /** Absent for the root of a trace. */
  readonly parent?: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** The message of a status that is an error; "" when it has none. */
  readonly failed?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events?: readonly SpanEvent[];
  /** The name of the instrumentation. */
  readonly scope?: string;
  readonly service?: string;
}

export interface SpanEvent {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The body of an event that came as a log record. */
  readonly body?: unknown;
}

/** A span, or an event of one that came by itself, with a name of its own among the events of the span. */
export type SpanPart =
  | { readonly part: ""; readonly span: ReceivedSpan }
  | { readonly part: string; readonly of: string; readonly event: SpanEvent };

/** The run of a trace that is not known to be one of an attempt. */
export interface TracedRun {
  readonly run_id: string;
  readonly key: TraceKey;
  /** The attempts that have begun and not ended: only their traces are accepted. */
  readonly underWay: readonly { readonly id: string; readonly scenario_index: number; readonly attempt: number }[];
}

/** The spans of attempts under way. They are kept and deleted with their run. */
export interface SpanStore {
  /** The run with this first half of its trace ids, in any state. Null when there is none. */
  runOf(prefix: string): Promise<TracedRun | null>;
  /** True while the attempt has begun and not ended. */
  isUnderWay(attemptId: string): Promise<boolean>;
  /** Adds spans to a trace, each once, as far as its limits allow. Returns the number that was refused. */
  add(trace: { readonly run_id: string; readonly trace_id: string }, parts: readonly SpanPart[]): Promise<number>;
  /** Adds to `late_spans` of a run. */
  addLate(runId: string, count: number): Promise<void>;
  /** True once spans of the run were stored. */
  areSeen(runId: string): Promise<boolean>;
  /** The number of spans and events of a trace. */
  count(runId: string, traceId: string): Promise<number>;
  /** The spans of a trace in the order of their begin, with their events. */
  ofTrace(runId: string, traceId: string): Promise<readonly ReceivedSpan[]>;
}

/** Limits of one trace, which is one attempt. */
export const spanLimits = { spans: 10_000, characters: 32 * 1024 * 1024 } as const;
