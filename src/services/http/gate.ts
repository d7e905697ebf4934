import type { Context, MiddlewareHandler } from "hono";
import type { z } from "zod";
import { closestName } from "../../base/text.ts";
import { checkScope } from "./auth/auth.ts";
import { leaveUnread } from "./limits/drop-body.ts";
import { errorResponse } from "./responses/error-response.ts";
import { checkHeaders } from "./checks/header-check.ts";
import type { HostCheck } from "./checks/host-check.ts";
import type { FindOperation } from "./operation-table.ts";
import type { Admission } from "./limits/admission.ts";
import type { LimitRate } from "./limits/rate-limit.ts";
import { announcedBytes, memoryOf, openRequestMemory } from "./limits/request-memory.ts";
import { incomingOf, responseOf, type Caller, type ShellEnvironment } from "./shell-environment.ts";

interface GateOptions {
  readonly checkHost: HostCheck["check"];
  /** Returns the answer to a preflight. */
  readonly checkOrigin: (context: Context<ShellEnvironment>) => Response | null;
  readonly admission: Admission | null;
  /** What is admitted however much there is to do: health must stay readable just then. */
  readonly isExempt: (request: { path: string }) => boolean;
  readonly authenticate: (context: Context<ShellEnvironment>) => Promise<void>;
  readonly find: FindOperation;
  readonly limitRate: LimitRate;
}

/**
 * Everything a request must pass before a route sees it, in one step: each step of its own would cost every request more
 * than the check it makes. The scope is the one that the contract names for the route: a route cannot forget to ask.
 */
export function gate({
  checkHost,
  checkOrigin,
  admission,
  isExempt,
  authenticate,
  find,
  limitRate,
}: GateOptions): MiddlewareHandler<ShellEnvironment> {
  async function pass(context: Context<ShellEnvironment>, next: () => Promise<void>): Promise<Response | undefined> {
    await authenticate(context);
    const caller = context.get("caller") as Caller | undefined;
    if (!holdBody(context, caller)) return refuse(context);
    const { scope, query } = find(context.req) ?? {};
    if (query) warnOfUnknown(context, query);
    if (scope !== undefined) {
      checkScope(caller, scope);
      const counting = limitRate(scope, caller);
      if (counting) await counting;
      context.set("countAgain", () => limitRate(scope, caller));
    }
    await next().catch(asError);
    return undefined;
  }

  /** Holds memory for the body before any of it is read; for one in chunks, whoever reads it asks as it grows. False: there is none. */
  function holdBody(context: Context<ShellEnvironment>, caller: Caller | undefined): boolean {
    if (!admission?.memory) return true;
    const memory = openRequestMemory({
      budget: admission.memory,
      key: caller?.key ?? null,
      response: responseOf(context),
    });
    context.set("memory", memory);
    const bytes = bodyBytes(context);
    return bytes === 0 || bytes > memory.mostBytes || memory.add(bytes);
  }

  /** Not thrown: what is thrown gets a line in the log, and refusals are counted there. */
  function refuse(context: Context<ShellEnvironment>): Response | undefined {
    const [incoming, outgoing] = [incomingOf(context), responseOf(context)];
    if (incoming && outgoing) leaveUnread(incoming, outgoing, bodyBytes(context));
    const error = admission?.refuse(bodyBytes(context));
    return error && errorResponse(error, { requestId: context.get("requestId"), path: context.req.path });
  }

  return async (context, next) => {
    checkHeaders(context);
    checkHost(context);
    const preflight = checkOrigin(context);
    if (preflight) return preflight;
    if (!admission || isExempt(context.req)) return pass(context, next);
    if (!admission.hasPlace(bodyBytes(context))) return refuse(context);
    const leave = admission.enter();
    try {
      return await pass(context, next);
    } finally {
      leave();
      // A client that left early closed the response before anybody listened.
      if (responseOf(context)?.closed !== false) memoryOf(context).end();
    }
  };
}

function bodyBytes({ req }: Context): number {
  return announcedBytes({
    length: req.header("content-length"),
    chunked: req.header("transfer-encoding") !== undefined,
  });
}

function warnOfUnknown(context: Context<ShellEnvironment>, query: z.ZodObject): void {
  const warning = unknownParameters(query, Object.keys(context.req.queries()));
  if (warning !== null) context.get("answerHeaders")["warning"] = warning;
}

/** Hono passes only errors to `onError`; a thrown string would end the request without an answer of ours. */
function asError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : new Error("Something that is no error was thrown", { cause: thrown });
}

const mostNamed = 5;
/** As much of a name as is told. */
const shownLength = 80;

/**
 * The `warning` header for an address with parameters that the query does not know, with the nearest names it does know. Null where
 * it knows all of them. In a header, since not every answer that an address asks for has a place for it.
 */
function unknownParameters(query: z.ZodObject, sent: readonly string[]): string | null {
  const known = Object.keys(query.shape);
  const unknown = sent.filter((name) => !known.includes(name)).slice(0, mostNamed);
  if (unknown.length === 0) return null;
  const named = unknown.map((name) => {
    const suggestion = closestName(name, known);
    // Percent-encoded, so that a name of any characters fits into a header.
    const shown = encodeURIComponent(name.toWellFormed()).slice(0, shownLength);
    return suggestion === undefined ? shown : `${shown} (${suggestion}?)`;
  });
  return `199 - "Unknown query parameters were ignored: ${named.join(", ")}"`;
}
