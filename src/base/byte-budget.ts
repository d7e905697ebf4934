/** Memory for what is under way, in bytes, shared among those it is under way for. */
export interface ByteBudget {
  readonly size: number;
  readonly used: number;
  /** Whether there is room for so many more, for an owner that holds nothing yet. */
  fits(bytes: number): boolean;
  /** A hold with nothing in it. Owner null: nobody to share with. */
  open(owner?: string | null): ByteHold;
  /** Counts somebody as turned away who wanted so many, and estimates when there will be room, in milliseconds. */
  turnAway(bytes: number): number;
  /** Resolves when half of it is free, or nothing that waited for its bytes is under way: for what is counted afterwards. */
  room(signal: AbortSignal): Promise<void>;
}

/** The bytes that one piece of work holds. */
export interface ByteHold {
  /** False, and nothing has changed, when there is no room for so many more. */
  add(bytes: number): boolean;
  /** The same whether or not there is room: for what is in memory already. */
  addAnyway(bytes: number): void;
  /** Waits in line for room. Of those that wait, one always goes on, even if it needs more than there is. */
  wait(bytes: number, signal: AbortSignal): Promise<void>;
  /** Gives all of it back. */
  release(): void;
}

/** An owner may hold twice as much as it leaves free: alone two thirds, of two owners each two fifths, and there is always room for one more. */
const ownShare = 2;

export function createByteBudget(size: number, now?: () => number): ByteBudget {
  const times = createHoldTimes(now);
  const owned = new Map<string, number>();
  /** Holds that waited for their bytes, the first one first. */
  const working = new Set<Hold>();
  const line = new Set<Waiting>();
  let used = 0;
  /** Bytes for which there was no room, less those given back since. */
  let turnedAway = 0;

  function mayAdd(owner: string | null, bytes: number): boolean {
    const left = size - used - bytes;
    const own = owner === null ? 0 : (owned.get(owner) ?? 0);
    return left >= 0 && (own === 0 || own + bytes <= ownShare * left);
  }

  /** Nobody overtakes in a lane: of many small holds and a large one, the large one would never get its turn. */
  function serveLine(): void {
    const blocked = new Set<Waiting["lane"]>();
    for (const waiting of line) {
      if (blocked.has(waiting.lane)) continue;
      if (waiting.mayGo()) waiting.go();
      else blocked.add(waiting.lane);
    }
  }

  function inLine({ lane, mayGo, begin, signal }: InLine): Promise<void> {
    signal.throwIfAborted();
    if (line.size === 0 && mayGo()) {
      begin();
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        line.delete(waiting);
        reject(signal.reason);
        serveLine();
      };
      const waiting: Waiting = {
        lane,
        mayGo,
        go() {
          line.delete(waiting);
          signal.removeEventListener("abort", leave);
          begin();
          resolve();
        },
      };
      line.add(waiting);
      signal.addEventListener("abort", leave, { once: true });
      serveLine();
    });
  }

  class Hold implements ByteHold {
    readonly #owner: string | null;
    #held = 0;
    #begunAt = 0;

    constructor(owner: string | null) {
      this.#owner = owner;
    }

    add(bytes: number): boolean {
      const isFirst = working.values().next().value === this;
      if (!isFirst && !mayAdd(this.#owner, bytes)) return false;
      this.addAnyway(bytes);
      return true;
    }

    addAnyway(bytes: number): void {
      const begunAt = times.begin(bytes);
      const held = this.#held + bytes;
      this.#begunAt = held > 0 ? (this.#begunAt * this.#held + begunAt * bytes) / held : begunAt;
      this.#held = held;
      used += bytes;
      if (this.#owner !== null) owned.set(this.#owner, (owned.get(this.#owner) ?? 0) + bytes);
    }

    wait(bytes: number, signal: AbortSignal): Promise<void> {
      return inLine({
        lane: this.#owner,
        mayGo: () => working.size === 0 || mayAdd(this.#owner, bytes),
        begin: () => {
          working.add(this);
          this.addAnyway(bytes);
        },
        signal,
      });
    }

    release(): void {
      const bytes = this.#held;
      const wasWorking = working.delete(this);
      if (bytes === 0 && !wasWorking) return;
      this.#held = 0;
      used -= bytes;
      turnedAway = Math.max(0, turnedAway - bytes);
      times.end(this.#begunAt, bytes);
      this.#giveBackOwned(bytes);
      serveLine();
    }

    #giveBackOwned(bytes: number): void {
      if (this.#owner === null) return;
      const left = (owned.get(this.#owner) ?? 0) - bytes;
      if (left > 0) owned.set(this.#owner, left);
      else owned.delete(this.#owner);
    }
  }

  return {
    size,
    get used() {
      return used;
    },
    fits: (bytes) => used + bytes <= size,
    open: (owner = null) => new Hold(owner),
    turnAway(bytes) {
      turnedAway += bytes;
      return times.waitMs(turnedAway);
    },
    room: (signal) => inLine({ lane: anyRoom, mayGo: () => used < size / 2 || working.size === 0, begin() {}, signal }),
  };
}

const anyRoom = Symbol("any room");

interface Waiting {
  /** Whose turn it is: an owner's, or of those that only want some room. */
  readonly lane: string | null | typeof anyRoom;
  readonly mayGo: () => boolean;
  readonly go: () => void;
}

interface InLine extends Pick<Waiting, "lane" | "mayGo"> {
  readonly begin: () => void;
  readonly signal: AbortSignal;
}

/**
 * Memory that a byte of a body, or of a model's reply, takes at worst while it is worked on. Text that is not all Latin has two bytes a
 * character, as it was parsed and as it is written for the store, the model or the client; and it is sent on as bytes.
 */
export const memoryPerByte = 5;

/** A longer reply may be refused. A shorter one never is: it is paid for, and there is room for it beside the rest. */
const ordinaryReply = 64 * 1024;

/** Holds memory for one reply of a model as it arrives: for `admitBytes` of `ChatOptions`. */
export function admitReply(hold: Pick<ByteHold, "add" | "addAnyway">): (bytes: number) => boolean {
  let received = 0;
  return (bytes) => {
    received += bytes;
    if (received > ordinaryReply) return hold.add(bytes * memoryPerByte);
    hold.addAnyway(bytes * memoryPerByte);
    return true;
  };
}

/** Estimates the memory of a JSON value: two bytes a character, as of any text that is not all Latin, and some for each value. */
export function estimateMemory(value: unknown): number {
  if (typeof value === "string") return valueBytes + 2 * value.length;
  if (typeof value !== "object" || value === null) return valueBytes;
  let bytes = valueBytes;
  for (const item of Object.values(value)) bytes += valueBytes + estimateMemory(item);
  return bytes;
}

const valueBytes = 16;

/** How long places, or bytes, are held: says when those who find none free should come back. */
export interface HoldTimes {
  /** Returns the time of the beginning, for `end`. */
  begin(amount?: number): number;
  end(begunAt: number, amount?: number): void;
  /** Milliseconds until `ahead` places have been given back, as far as can be told: for `Retry-After`, so never more than a minute. */
  waitMs(ahead: number): number;
}

const shortestMs = 1_000;
/** OpenAI's clients take no notice of a longer wait. */
const longestMs = 60_000;
/** Before anything has been given back. */
const unknownMs = 2_000;
/** Weight of what is known already at each end: the last ten or so count. */
const memory = 0.9;

/**
 * Estimates by Little's law: places are given back at a rate of those held by the time each is held. That time is the average of the last
 * ones, or the age of those held now where that is more: after a change for the worse nothing has ended yet.
 */
export function createHoldTimes(now: () => number = () => performance.now()): HoldTimes {
  let held = 0;
  /** Sum of the beginnings, each weighted by its amount. */
  let beginnings = 0;
  let ended = { ms: 0, amount: 0 };

  return {
    begin(amount = 1) {
      const begunAt = now();
      held += amount;
      beginnings += amount * begunAt;
      return begunAt;
    },
    end(begunAt, amount = 1) {
      held -= amount;
      beginnings = held > 0 ? beginnings - amount * begunAt : 0;
      ended = { ms: memory * ended.ms + amount * (now() - begunAt), amount: memory * ended.amount + amount };
    },
    waitMs(ahead) {
      const usual = ended.amount > 0 ? ended.ms / ended.amount : 0;
      const age = held > 0 ? now() - beginnings / held : 0;
      const estimate = held > 0 ? (ahead * Math.max(usual, age)) / held : 0;
      return Math.min(longestMs, Math.max(estimate, ended.amount > 0 ? shortestMs : unknownMs));
    },
  };
}
