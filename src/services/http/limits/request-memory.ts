import type { ServerResponse } from "node:http";
import type { Context } from "hono";
import {
  admitReply,
  estimateMemory,
  memoryPerByte,
  type ByteBudget,
  type ByteHold,
} from "../../../base/byte-budget.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import type { RequestMemory, ShellEnvironment } from "../environment/shell-environment.ts";

interface RequestMemoryOptions {
  readonly budget: ByteBudget;
  /** The key whose fair share applies; null where no keys are configured. */
  readonly key: string | null;
  /** The request ends when this closes. Undefined without a server. */
  readonly response: ServerResponse | undefined;
}

export function openRequestMemory({ budget, key, response }: RequestMemoryOptions): RequestMemory {
  let hold: ByteHold | null = null;
  // Forgotten once it is watched: work that outlives the response must not keep it in memory.
  let unwatched = response;
  let isOver = false;
  let running = 0;

  function open(): ByteHold {
    unwatched?.once("close", end);
    unwatched = undefined;
    return (hold = budget.open(key));
  }

  function end(): void {
    isOver = true;
    if (running === 0) hold?.release();
  }

  function endWork(): void {
    running -= 1;
    if (isOver) end();
  }

  return {
    add: (bytes) => (hold ?? open()).add(bytes * memoryPerByte),
    admitReply: () => admitReply(hold ?? open()),
    mostBytes: Math.floor(budget.size / memoryPerByte),
    refusal: (bytes) => bodyRefusal(budget, bytes),
    keepDuring(work) {
      running += 1;
      void work.then(endWork, endWork);
    },
    release: () => hold?.release(),
    end,
  };
}

/** The memory of a request; unlimited where no limit is configured. */
export function memoryOf(context: Context<ShellEnvironment>): RequestMemory {
  return (context.get("memory") as RequestMemory | undefined) ?? unlimited;
}

const unlimited: RequestMemory = {
  add: () => true,
  admitReply: () => () => true,
  mostBytes: Number.POSITIVE_INFINITY,
  refusal: () => overloaded("The service is short of memory.", 1000),
  keepDuring() {},
  release() {},
  end() {},
};

/** Reserves memory for a response that is built in one piece. Throws `overloaded` when there is none. */
export function holdAnswer<Value>(context: Context<ShellEnvironment>, value: Value): Value {
  holdLargest(context)(estimateMemory(value) / 2);
  return value;
}

/**
 * Reserves memory for the largest piece of a streamed response: call the result with the length of each piece. Throws `overloaded` when
 * there is none.
 */
export function holdLargest(context: Context<ShellEnvironment>): (length: number) => void {
  const memory = memoryOf(context);
  let largest = 0;
  return (length) => {
    // Stored data must stay readable: a piece larger than the whole budget is sent when nothing else is held.
    const needed = Math.min(length, memory.mostBytes);
    if (needed <= largest) return;
    if (!memory.add(needed - largest)) throw memory.refusal(needed);
    largest = needed;
  };
}

/** The announced length of a body. A chunked body announces none, and counts as one chunk at first. */
export function announcedBytes(headers: { readonly length: string | undefined; readonly chunked: boolean }): number {
  return headers.chunked ? firstChunk : Number(headers.length ?? 0);
}

const firstChunk = 64 * 1024;

/** True if there is memory for a body. A body that could never fit is left to its route, which refuses it as too large. */
export function fitsBody(budget: ByteBudget, bytes: number): boolean {
  const needed = bytes * memoryPerByte;
  return needed === 0 || needed > budget.size || budget.fits(needed);
}

export function bodyRefusal(budget: ByteBudget, bytes: number): ServiceError {
  const detail = "Requests in progress hold all memory available for them, or this key's share of it.";
  return overloaded(detail, budget.refuse(bytes * memoryPerByte));
}

const refusals = new Map<string, ServiceError>();

/** Created once per wait in whole seconds: thousands of refusals a second must not build thousands of stack traces. */
export function overloaded(detail: string, waitMs: number): ServiceError {
  const retryAfterMs = 1000 * Math.ceil(waitMs / 1000);
  const name = `${retryAfterMs} ${detail}`;
  const known = refusals.get(name);
  if (known) return known;
  const error = new ServiceError("overloaded", detail, { retryAfterMs });
  refusals.set(name, error);
  return error;
}
