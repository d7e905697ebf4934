import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { ServiceError } from "../../../contract/errors/errors.ts";
import type { Scope } from "../../../contract/operations/operation.ts";

/** The sender of a request, as its key identifies it. */
export interface Caller {
  /** The owner whose runs the sender sees; null, for shared runs, where no keys are configured. */
  readonly owner: string | null;
  readonly scopes: ReadonlySet<Scope>;
  /** The person whose verdicts the key may store. Missing where no keys are configured. */
  readonly rater?: string;
  /** Identifies the key, also among several of one owner. Missing where no keys are configured. */
  readonly key?: string;
}

/** The Hono environment of every route. The bindings are missing when a test calls `app.request()`. */
export interface ShellEnvironment {
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    caller: Caller;
    /** Counts one more use against the limits of the caller's key: for requests that ask for several things. */
    countAgain: () => void | Promise<void>;
    /** Headers of the response, however it is written. */
    answerHeaders: Record<string, string>;
    /** Missing where memory is not limited: read it with `memoryOf`. */
    memory: RequestMemory;
  };
}

/** The Node request; undefined when the app is called without a server. */
export function incomingOf(context: Context): IncomingMessage | undefined {
  return (context.env as Partial<HttpBindings> | undefined)?.incoming;
}

/**
 * The Node response, for routes that write to it directly: a `Response` with its headers and stream costs more than all checks
 * together. Undefined without a server, and for HEAD, whose response must not have a body.
 */
export function outgoingOf(context: Context): ServerResponse | undefined {
  return context.req.method === "HEAD" ? undefined : responseOf(context);
}

/** The Node response, also for HEAD: for callers that watch it and write nothing. */
export function responseOf(context: Context): ServerResponse | undefined {
  return (context.env as Partial<HttpBindings> | undefined)?.outgoing as ServerResponse | undefined;
}

/** The client's address, for limits. An IPv6 /64 network counts as one address, since one client has all of it. */
export function addressOf(context: Context): string {
  const address = incomingOf(context)?.socket.remoteAddress ?? "unknown";
  if (!address.includes(":") || address.includes(".")) return address;
  return groupsOf(address).slice(0, 4).join(":");
}

/** The eight groups of an IPv6 address, with abbreviated zeros written out. */
function groupsOf(address: string): readonly string[] {
  const [head = "", tail] = address.replace(/%[^]*/, "").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = !tail ? [] : tail.split(":");
  if (tail === undefined) return before;
  return [...before, ...Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0"), ...after];
}

/** The memory that one request holds, from its body to the end of its response and of the work it started. */
export interface RequestMemory {
  /** Reserves memory for more bytes of the body. False when there is none. */
  add(bytes: number): boolean;
  /** Reserves memory for one model reply as it arrives: for `admitBytes` of `ChatOptions`. */
  admitReply(): (bytes: number) => boolean;
  /** The most bytes a body could have if nothing else held memory. */
  readonly mostBytes: number;
  /** The error for a request that finds no memory for this many bytes. */
  refusal(bytes: number): ServiceError;
  /** Keeps the memory until this settles, even after the response or a disconnect. */
  keepDuring(work: Promise<unknown>): void;
  /** Releases the memory early: for a route that no longer needs the body. */
  release(): void;
  /** Ends the request: releases the memory unless work still keeps it. */
  end(): void;
}
