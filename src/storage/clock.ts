/** The two times the store needs. They are never mixed: one is shown to people, the other decides who holds what. */
export interface Clock {
  /** Milliseconds since 1970. May jump when someone sets the clock; only ever stored to be shown. */
  now(): number;
  /**
   * Milliseconds since this host started. Only goes forward and is the same for every process of the host,
   * so a lease lives as long as it should whatever happens to the wall clock.
   */
  steady(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => Number(process.hrtime.bigint() / 1_000_000n),
};
