import type { Slice } from "./slices.ts";

/** A slice that this process holds. */
export interface HeldSlice extends Slice {
  /** Attempts that may still be claimed from it. */
  left: number;
  /** None of them may be claimed as long as other runs wait. */
  turnOver: boolean;
  /** Attempts claimed from it and still in progress. */
  readonly attempts: Set<string>;
  /** Slices that are sent with the first claim: until then, none of the run is before the first of another. */
  more: number;
  /** When pg-boss last knew that it is held, by `performance.now()`. */
  renewedAt: number;
}

/** The slices of this process, and which attempts were claimed from which. */
export class HeldSlices {
  readonly #slices = new Map<string, HeldSlice>();
  readonly #ofAttempt = new Map<string, HeldSlice>();

  get all(): readonly HeldSlice[] {
    return [...this.#slices.values()];
  }

  /** Those with no attempt in progress. */
  get idle(): readonly HeldSlice[] {
    return this.all.filter(({ attempts }) => attempts.size === 0);
  }

  get runIds(): readonly string[] {
    return [...new Set(this.all.map(({ runId }) => runId))];
  }

  /** A slice of each run that could get its first attempt in this process. */
  get idleRuns(): readonly HeldSlice[] {
    const busy = new Set(this.all.filter(({ attempts }) => attempts.size > 0).map(({ runId }) => runId));
    return this.runIds.flatMap((runId) => (busy.has(runId) ? [] : (this.next(runId) ?? [])));
  }

  /** How many attempts of a run may be claimed. */
  left(runId: string): number {
    return this.#of(runId).reduce((sum, { left, turnOver }) => sum + (turnOver ? 0 : left), 0);
  }

  /** The slice that the next attempt of a run is claimed from. */
  next(runId: string): HeldSlice | undefined {
    return this.#of(runId).find(({ left, turnOver }) => left > 0 && !turnOver);
  }

  add(slices: readonly Slice[], at: number): void {
    for (const slice of slices) {
      // After a first worker died, the others have been sent.
      const more = slice.retryCount === 0 ? slice.more : 0;
      this.#slices.set(slice.id, {
        ...slice,
        more,
        left: slice.size,
        turnOver: false,
        attempts: new Set(),
        renewedAt: at,
      });
    }
  }

  /** An attempt was claimed. True when its slice has none left. */
  claimed(runId: string, attemptId: string): boolean {
    // It may have been taken back from this process and claimed again.
    this.released(attemptId);
    const slice = this.next(runId);
    if (!slice) return false;
    slice.left -= 1;
    slice.attempts.add(attemptId);
    this.#ofAttempt.set(attemptId, slice);
    return slice.left === 0;
  }

  /**
   * Claims no more from slices that so many attempts were claimed from: when those have ended, the rest is left to a
   * successor, behind the slices of all other runs. True if there is such a slice.
   */
  endTurns(attempts: number): boolean {
    const over = this.all.filter(({ size, left, turnOver }) => left > 0 && !turnOver && size - left >= attempts);
    for (const slice of over) slice.turnOver = true;
    return over.length > 0;
  }

  /** Continues all slices that have attempts left. */
  continueTurns(): void {
    for (const slice of this.all) slice.turnOver = false;
  }

  /** An attempt is no longer in progress here. */
  ended(attemptId: string): void {
    this.#ofAttempt.get(attemptId)?.attempts.delete(attemptId);
    this.#ofAttempt.delete(attemptId);
  }

  /** Frees the attempt's place in its slice without ending it. */
  released(attemptId: string): void {
    const slice = this.#ofAttempt.get(attemptId);
    if (slice) slice.left += 1;
    this.ended(attemptId);
  }

  /** The slices that these attempts were claimed from. */
  of(attemptIds: readonly string[]): readonly HeldSlice[] {
    return [...new Set(attemptIds.flatMap((id) => this.#ofAttempt.get(id) ?? []))];
  }

  /** Marks slices as renewed, and drops those that were lost. */
  renewed(slices: readonly HeldSlice[], kept: ReadonlySet<string>, at: number): void {
    for (const slice of slices) if (kept.has(slice.id)) slice.renewedAt = at;
    this.drop(slices.filter(({ id }) => !kept.has(id)));
  }

  /** Drops slices that pg-boss must have given to another worker by now. */
  dropExpired(before: number): void {
    this.drop(this.all.filter(({ renewedAt }) => renewedAt < before));
  }

  drop(slices: readonly HeldSlice[]): void {
    for (const { id, attempts } of slices) {
      this.#slices.delete(id);
      for (const attempt of attempts) this.#ofAttempt.delete(attempt);
    }
  }

  #of(runId: string): readonly HeldSlice[] {
    return this.all.filter((slice) => slice.runId === runId);
  }
}
