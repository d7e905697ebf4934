import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { ServiceError } from "../../contract/errors.ts";
import type { Scope } from "../../contract/operations/operation.ts";

/** Who sent a request: whose key it was, and what it may do. */
export interface Caller {
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Tells keys apart, also those of one owner; missing where no key is needed. */
  readonly key?: string;
}

/** What the shell gives every route. The bindings are missing when a test calls `app.request()`. */
export interface ShellEnvironment {
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    caller: Caller;
    /** Counts one more use for the limits of the caller's key: for a request that asks for several things at once. */
    countAgain: () => void | Promise<void>;
    /** What the answer carries, whoever writes it. */
    answerHeaders: Record<string, string>;
    /** Missing where memory is not counted: read it with `memoryOf`. */
    memory: RequestMemory;
  };
}

/** Node's own request, or undefined when the app is called without a server. */
export function incomingOf(context: Context): IncomingMessage | undefined {
  return (context.env as Partial<HttpBindings> | undefined)?.incoming;
}

/**
 * Node's own response, for answers that are written straight to it: a `Response` with its headers and its stream costs
 * more than all our checks together. Undefined without a server, and for HEAD, whose answer must lose its body.
 */
export function outgoingOf(context: Context): ServerResponse | undefined {
  return context.req.method === "HEAD" ? undefined : responseOf(context);
}

/** The same for HEAD too: for whoever looks after the answer and writes nothing to it. */
export function responseOf(context: Context): ServerResponse | undefined {
  return (context.env as Partial<HttpBindings> | undefined)?.outgoing as ServerResponse | undefined;
}

/** Where a request came from, for limits. IPv6 networks count as one: whoever has one address there has all of them. */
export function addressOf(context: Context): string {
  const address = incomingOf(context)?.socket.remoteAddress ?? "unknown";
  if (!address.includes(":") || address.includes(".")) return address;
  return groupsOf(address).slice(0, 4).join(":");
}

/** The eight groups of an IPv6 address, with the shortened zeros written out. */
function groupsOf(address: string): readonly string[] {
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = !tail ? [] : tail.split(":");
  if (tail === undefined) return before;
  return [...before, ...Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0"), ...after];
}

/** Memory that one request holds, from its body to the end of its answer and of the work it began. */
export interface RequestMemory {
  /** Holds memory for so many more bytes of the body. False: there is none. */
  add(bytes: number): boolean;
  /** Holds memory for one reply of a model as it arrives: for `admitBytes` of `ChatOptions`. */
  admitReply(): (bytes: number) => boolean;
  /** Bytes for which there would be enough if nothing else held any. */
  readonly mostBytes: number;
  /** The error of a request that finds no memory for so many bytes. */
  refusal(bytes: number): ServiceError;
  /** Holds it until this has settled, also when the client has its answer or has gone. */
  keepDuring(work: Promise<unknown>): void;
  /** For a route that has no use for the body any more, long before its answer. */
  release(): void;
  /** The request is over: releases what no work keeps. */
  end(): void;
}

/** Whose runs a request sees: the key's, or everybody's shared ones where no keys are set. */
export function ownerOf(context: Context<ShellEnvironment>): string | null {
  const { name, key } = context.get("caller");
  return key === undefined ? null : name;
}
