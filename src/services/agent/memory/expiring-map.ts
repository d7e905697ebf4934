export interface ExpiringMapOptions<Value> {
  readonly ttlMs: number;
  readonly maxEntries: number;
  /** What an entry counts, roughly, and what all of them may count together. */
  readonly sizeOf?: (value: Value) => number;
  readonly maxSize?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A bounded map whose entries end by age, counted from when they were last set; the oldest make room for new ones. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly expires: number; readonly size: number }>();
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #sizeOf: (value: Value) => number;
  readonly #maxSize: number;
  readonly #now: () => number;
  #size = 0;

  constructor({
    ttlMs,
    maxEntries,
    sizeOf = () => 0,
    maxSize = Number.POSITIVE_INFINITY,
    now = Date.now,
  }: ExpiringMapOptions<Value>) {
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
    this.#sizeOf = sizeOf;
    this.#maxSize = maxSize;
    this.#now = now;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expires > this.#now()) return entry.value;
    this.#drop(key);
    return undefined;
  }

  set(key: string, value: Value): void {
    // Set anew, the entry becomes the youngest: the map stays in order of expiry.
    this.#drop(key);
    const size = this.#sizeOf(value);
    this.#entries.set(key, { value, expires: this.#now() + this.#ttlMs, size });
    this.#size += size;
    this.#makeRoom();
  }

  delete(key: string): boolean {
    const known = this.get(key) !== undefined;
    this.#drop(key);
    return known;
  }

  /** Oldest first. */
  *values(): Iterable<Value> {
    const now = this.#now();
    for (const { value, expires } of this.#entries.values()) if (expires > now) yield value;
  }

  #drop(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }

  #makeRoom(): void {
    const now = this.#now();
    for (const [key, { expires }] of this.#entries) {
      if (expires > now && this.#entries.size <= this.#maxEntries && this.#size <= this.#maxSize) return;
      this.#drop(key);
    }
  }
}
