import type { ServerResponse } from "node:http";
import type { Context } from "hono";
import {
  admitReply,
  estimateMemory,
  memoryPerByte,
  type ByteBudget,
  type ByteHold,
} from "../../../base/byte-budget.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { RequestMemory, ShellEnvironment } from "../shell-environment.ts";

export interface RequestMemoryOptions {
  readonly budget: ByteBudget;
  /** The key that shares the budget with others; null where no keys are set. */
  readonly key: string | null;
  /** The request is over when it closes. Undefined without a server. */
  readonly response: ServerResponse | undefined;
}

export function openRequestMemory({ budget, key, response }: RequestMemoryOptions): RequestMemory {
  let hold: ByteHold | null = null;
  let isOver = false;
  let works = 0;

  function open(): ByteHold {
    response?.once("close", end);
    return (hold = budget.open(key));
  }

  function end(): void {
    isOver = true;
    if (works === 0) hold?.release();
  }

  function endWork(): void {
    works -= 1;
    if (isOver) end();
  }

  return {
    add: (bytes) => (hold ?? open()).add(bytes * memoryPerByte),
    admitReply: () => admitReply(hold ?? open()),
    mostBytes: Math.floor(budget.size / memoryPerByte),
    refusal: (bytes) => bodyRefusal(budget, bytes),
    keepDuring(work) {
      works += 1;
      void work.then(endWork, endWork);
    },
    release: () => hold?.release(),
    end,
  };
}

/** Memory of the request; without a limit where none is set. */
export function memoryOf(context: Context<ShellEnvironment>): RequestMemory {
  return (context.get("memory") as RequestMemory | undefined) ?? unlimited;
}

const unlimited: RequestMemory = {
  add: () => true,
  admitReply: () => () => true,
  mostBytes: Number.POSITIVE_INFINITY,
  refusal: () => overloaded("There is no memory left.", 1000),
  keepDuring() {},
  release() {},
  end() {},
};

/** Holds memory for an answer that is made in one piece. Throws `overloaded` when there is none. */
export function holdAnswer<Value>(context: Context<ShellEnvironment>, value: Value): Value {
  holdLargest(context)(estimateMemory(value) / 2);
  return value;
}

/**
 * Holds memory for the largest piece of an answer that is made piece by piece, to its end: called with the length of each. Throws
 * `overloaded` when there is none.
 */
export function holdLargest(context: Context<ShellEnvironment>): (length: number) => void {
  const memory = memoryOf(context);
  let largest = 0;
  return (length) => {
    // What is stored must be readable: one that needs more than there is goes when nothing else is held.
    const needed = Math.min(length, memory.mostBytes);
    if (needed <= largest) return;
    if (!memory.add(needed - largest)) throw memory.refusal(needed);
    largest = needed;
  };
}

/** Bytes that a request announces as its body. One that comes in chunks says nothing, and brings at least a chunk. */
export function announcedBytes(headers: { readonly length: string | undefined; readonly chunked: boolean }): number {
  return headers.chunked ? firstChunk : Number(headers.length ?? 0);
}

const firstChunk = 64 * 1024;

/** Whether a body finds room. One that never could is left to its route, which says that it is too large. */
export function fitsBody(budget: ByteBudget, bytes: number): boolean {
  const needed = bytes * memoryPerByte;
  return needed === 0 || needed > budget.size || budget.fits(needed);
}

export function bodyRefusal(budget: ByteBudget, bytes: number): ServiceError {
  const detail = "The requests being answered take the memory that there is for them, or for this key.";
  return overloaded(detail, budget.refuse(bytes * memoryPerByte));
}

const made = new Map<string, ServiceError>();

/** Made once for each wait, in whole seconds: thousands of refusals a second need no thousands of stack traces. */
export function overloaded(detail: string, waitMs: number): ServiceError {
  const retryAfterMs = 1000 * Math.ceil(waitMs / 1000);
  const name = `${retryAfterMs} ${detail}`;
  const known = made.get(name);
  if (known) return known;
  const error = new ServiceError("overloaded", detail, { retryAfterMs });
  made.set(name, error);
  return error;
}
