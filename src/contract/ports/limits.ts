/** What is allowed at one model endpoint. */
export interface EndpointLimits {
  /** Most calls at once. Fewer while the endpoint refuses calls, for ten minutes at most after the last refusal. */
  readonly concurrency: number;
  /**
   * Whether `concurrency` limits all workers together: the lowest number counts where theirs differ. False: it is this worker's own,
   * like `-j`, and calls of others do not count. Default true.
   */
  readonly shared?: boolean | undefined;
  /** All workers together. Undefined or 0: any number. */
  readonly requests_per_minute?: number | undefined;
  readonly tokens_per_minute?: number | undefined;
}

/** How a call ended, as far as limits are concerned. `refused`: the endpoint limits its rate, is overloaded or timed out. */
export interface CallEnd {
  readonly outcome: "ok" | "failed" | "refused";
  /** Tokens the call used, input and output together, if known. */
  readonly tokens?: number | undefined;
  /** Nobody may call this endpoint for so long, from Retry-After. A shorter time does not end a longer one. */
  readonly retry_after_ms?: number | undefined;
}

export interface CallRequest {
  readonly endpoint: string;
  readonly run_id: string;
  /** Whose run it is. Default: nobody's. */
  readonly owner?: string | null | undefined;
  /** Of the run: calls of a higher one go first. Default 0. */
  readonly priority?: number | undefined;
  readonly signal: AbortSignal;
}

/** Leave to make one call. Must be released, whatever happens to the call. */
export interface CallSlot {
  /** The endpoint refused the call, which keeps its place and is made again later. Nobody else may call it for so long. */
  refused(retry_after_ms?: number): void;
  /** A second release changes nothing. */
  release(end: CallEnd): void;
}

/**
 * Limits that hold across all workers of one store. Of the same priority, the owners of runs that wait for the same endpoint take
 * turns, and so do the runs of each: neither many runs nor a large one keep a small one waiting.
 */
export interface Limits {
  /** Resolves when the call may start. Rejects only when `signal` aborts, after `stopWaiting`, or when the limits are closed. */
  acquire(request: CallRequest): Promise<CallSlot>;
  /**
   * From here on whoever would have to wait for a time that an endpoint or a rate prescribes is rejected with `shutting_down`.
   * Calls that wait only for others to end still get their turn.
   */
  stopWaiting(): void;
  /** Gives everything back. Those who wait are rejected. */
  close(): Promise<void>;
}
