/** Uses that one process asks for, to hand them to requests itself. */
export interface RateRequest {
  /** The API key and the scope that it uses. */
  readonly name: string;
  /** Uses per minute, by all processes together. */
  readonly limit: number;
  readonly wanted: number;
  /** The part of the last lease that no request needed. */
  readonly unused?: Pick<RateLease, "granted" | "window"> | undefined;
}

export interface RateLease {
  readonly granted: number;
  /** The window of time that they count in. */
  readonly window: number;
  /** When none were granted: when to ask again. */
  readonly waitMs: number;
}

/** Rate limits of API keys that hold for all processes on one database. */
export interface KeyRates {
  /** Grants as many uses as the limit has left, up to those that are wanted. */
  lease(request: RateRequest): Promise<RateLease>;
}
