import { createWaitEstimator } from "./wait-estimator.ts";

/** Memory for work under way, in bytes, shared fairly between owners. */
export interface ByteBudget {
  readonly size: number;
  readonly used: number;
  /** True if an owner that holds nothing yet could take this many bytes. */
  fits(bytes: number): boolean;
  /** Opens an empty hold. Holds without an owner have no fair share to keep. */
  open(owner?: string | null): ByteHold;
  /** Counts a refusal and estimates when there will be room for these bytes, in milliseconds. */
  refuse(bytes: number): number;
  /** Resolves when half the budget is free, or no admitted work is left to free any. Call before loading data of unknown size. */
  room(signal: AbortSignal): Promise<void>;
}

/** The bytes that one piece of work holds. */
export interface ByteHold {
  /** Returns false, and changes nothing, when there is no room for these bytes. */
  add(bytes: number): boolean;
  /** Adds bytes that are in memory already, also beyond the budget. */
  addAnyway(bytes: number): void;
  /** Waits for room. One of the waiting holds can always proceed, even if it needs more than the whole budget. */
  wait(bytes: number, signal: AbortSignal): Promise<void>;
  /** Releases all bytes. */
  release(): void;
}

/** Fair share: `held ≤ 2 × free`. One owner can use 2/3, two owners 2/5 each, so another owner always finds room. */
const ownShare = 2;

export function createByteBudget(size: number, now?: () => number): ByteBudget {
  const estimator = createWaitEstimator(now);
  const owned = new Map<string, number>();
  /** Holds that waited for their bytes, oldest first. */
  const admitted = new Set<Hold>();
  const queue = new Set<WaitingHold>();
  let used = 0;

  function mayAdd(owner: string | null, bytes: number): boolean {
    const left = size - used - bytes;
    const own = owner === null ? 0 : (owned.get(owner) ?? 0);
    return left >= 0 && (own === 0 || own + bytes <= ownShare * left);
  }

  /** Serves each owner's waiters in order: if small ones could overtake, a large one would starve. */
  function serveQueue(): void {
    const blocked = new Set<WaitingHold["lane"]>();
    for (const waiter of queue) {
      if (blocked.has(waiter.lane)) continue;
      if (waiter.mayStart()) waiter.start();
      else blocked.add(waiter.lane);
    }
  }

  function enqueue({ lane, mayStart, onStart, signal }: QueueOptions): Promise<void> {
    signal.throwIfAborted();
    if (queue.size === 0 && mayStart()) {
      onStart();
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        queue.delete(waiter);
        reject(signal.reason);
        serveQueue();
      };
      const waiter: WaitingHold = {
        lane,
        mayStart,
        start() {
          queue.delete(waiter);
          signal.removeEventListener("abort", leave);
          onStart();
          resolve();
        },
      };
      queue.add(waiter);
      signal.addEventListener("abort", leave, { once: true });
      serveQueue();
    });
  }

  class Hold implements ByteHold {
    readonly #owner: string | null;
    #held = 0;
    /** The average start time of the bytes held. */
    #begunAt = 0;

    constructor(owner: string | null) {
      this.#owner = owner;
    }

    add(bytes: number): boolean {
      const isOldest = admitted.values().next().value === this;
      if (!isOldest && !mayAdd(this.#owner, bytes)) return false;
      this.addAnyway(bytes);
      return true;
    }

    addAnyway(bytes: number): void {
      const begunAt = estimator.begin(bytes);
      const held = this.#held + bytes;
      this.#begunAt = held > 0 ? (this.#begunAt * this.#held + begunAt * bytes) / held : begunAt;
      this.#held = held;
      used += bytes;
      if (this.#owner !== null) owned.set(this.#owner, (owned.get(this.#owner) ?? 0) + bytes);
    }

    wait(bytes: number, signal: AbortSignal): Promise<void> {
      return enqueue({
        lane: this.#owner,
        mayStart: () => admitted.size === 0 || mayAdd(this.#owner, bytes),
        onStart: () => {
          admitted.add(this);
          this.addAnyway(bytes);
        },
        signal,
      });
    }

    release(): void {
      const bytes = this.#held;
      const wasAdmitted = admitted.delete(this);
      if (bytes === 0 && !wasAdmitted) return;
      this.#held = 0;
      used -= bytes;
      estimator.end(this.#begunAt, bytes);
      if (this.#owner !== null) {
        const left = (owned.get(this.#owner) ?? 0) - bytes;
        if (left > 0) owned.set(this.#owner, left);
        else owned.delete(this.#owner);
      }
      serveQueue();
    }
  }

  return {
    size,
    get used() {
      return used;
    },
    fits: (bytes) => used + bytes <= size,
    open: (owner = null) => new Hold(owner),
    refuse: (bytes) => estimator.refuse(bytes),
    room: (signal) =>
      enqueue({ lane: anyRoom, mayStart: () => used < size / 2 || admitted.size === 0, onStart() {}, signal }),
  };
}

const anyRoom = Symbol("any room");

interface WaitingHold {
  /** Waiters of one lane are served in order: those of one owner, or those that call `room`. */
  readonly lane: string | null | typeof anyRoom;
  readonly mayStart: () => boolean;
  readonly start: () => void;
}

interface QueueOptions extends Pick<WaitingHold, "lane" | "mayStart"> {
  readonly onStart: () => void;
  readonly signal: AbortSignal;
}

/**
 * The most memory that one byte of a body, or of a model's reply, takes while it is processed. Text with any character beyond Latin-1
 * takes two bytes per character, once as parsed and once as serialised for the store, the model or the client; and it is sent as bytes.
 */
export const memoryPerByte = 5;

/** Replies up to this size are always admitted: they are paid for, and fit beside the budget. */
const ordinaryReply = 64 * 1024;

/** Counts one model reply as it arrives: for `admitBytes` of `ChatOptions`. */
export function admitReply(hold: Pick<ByteHold, "add" | "addAnyway">): (bytes: number) => boolean {
  let received = 0;
  return (bytes) => {
    received += bytes;
    if (received > ordinaryReply) return hold.add(bytes * memoryPerByte);
    hold.addAnyway(bytes * memoryPerByte);
    return true;
  };
}

/** Estimates the memory of a JSON value: two bytes per character, as for any text beyond Latin-1, and some per value. */
export function estimateMemory(value: unknown): number {
  if (typeof value === "string") return valueBytes + 2 * value.length;
  if (typeof value !== "object" || value === null) return valueBytes;
  let bytes = valueBytes;
  for (const item of Object.values(value)) bytes += valueBytes + estimateMemory(item);
  return bytes;
}

const valueBytes = 16;
