/** Limits of one model endpoint. */
export interface EndpointLimits {
  /** Maximum concurrent calls. Lowered while the endpoint refuses calls, until ten minutes after the last refusal at most. */
  readonly concurrency: number;
  /**
   * True (default): `concurrency` limits all workers together; the lowest value wins when theirs differ. False: it limits this
   * worker alone, like `-j`, and calls of other workers do not count.
   */
  readonly shared?: boolean | undefined;
  /** Of all workers together. Undefined or 0: unlimited. */
  readonly requests_per_minute?: number | undefined;
  readonly tokens_per_minute?: number | undefined;
}

/** The result of a call as far as limits are concerned. `refused`: the endpoint limits its rate, is overloaded or timed out. */
export interface CallEnd {
  readonly outcome: "ok" | "failed" | "refused";
  /** Input and output tokens of the call, if known. */
  readonly tokens?: number | undefined;
  /** No call may start at this endpoint for this long (Retry-After). A shorter time does not end a longer one. */
  readonly retry_after_ms?: number | undefined;
}

export interface CallRequest {
  readonly endpoint: string;
  readonly run_id: string;
  /** The owner of the run. Default: none. */
  readonly owner?: string | null | undefined;
  /** The priority of the run: calls with a higher one go first. Default 0. */
  readonly priority?: number | undefined;
  readonly signal: AbortSignal;
}

/** Permission to make one call. Must be released however the call ends. */
export interface CallSlot {
  /** Reports that the endpoint refused the call, which keeps its slot and is retried later. No other call may start until then. */
  refused(retry_after_ms?: number): void;
  /** A second release changes nothing. */
  release(end: CallEnd): void;
}

/**
 * Limits shared by all workers of one store. Within a priority, the owners that wait for an endpoint take turns, and so do the runs
 * of each owner, so that neither many runs nor a large one starve a small one.
 */
export interface Limits {
  /** Resolves when the call may start. Rejects only when `signal` aborts, after `stopWaiting`, or when the limits are closed. */
  acquire(request: CallRequest): Promise<CallSlot>;
  /**
   * From now on, calls that would have to wait for a retry time or a rate limit are rejected with `shutting_down`. Calls that only
   * wait for other calls to end still get their turn.
   */
  stopWaiting(): void;
  /** Releases everything and rejects waiting calls. */
  close(): Promise<void>;
}
