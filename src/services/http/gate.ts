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
  /** Returns the response to a preflight. */
  readonly checkOrigin: (context: Context<ShellEnvironment>) => Response | null;
  readonly admission: Admission | null;
  /** True for requests that are admitted even under overload: health must stay readable then. */
  readonly isExempt: (request: { path: string }) => boolean;
  readonly authenticate: (context: Context<ShellEnvironment>) => Promise<void>;
  readonly find: FindOperation;
  readonly limitRate: LimitRate;
}

/**
 * All checks before a route, in one middleware: a middleware per check would cost more than the checks. The scope comes from the
 * contract's entry for the route, so a route cannot forget it.
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

  /** Reserves memory for the body before it is read; for a chunked body, the reader does so as it grows. False when there is none. */
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

  /** Returned, not thrown: thrown errors are logged one by one, and refusals are only counted. */
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
      // If the client disconnected early, the response closed before its close event was listened for.
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

/** Hono passes only `Error` objects to `onError`; a thrown string would end the request without our response. */
function asError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : new Error("A value that is not an Error was thrown", { cause: thrown });
}

const maxNamed = 5;
/** Longer names are cut. */
const maxNameLength = 80;

/**
 * The `warning` header that names unknown query parameters and the nearest known names. Null when all are known. It is a header because
 * not every response body has a place for warnings.
 */
function unknownParameters(query: z.ZodObject, sent: readonly string[]): string | null {
  const known = Object.keys(query.shape);
  const unknown = sent.filter((name) => !known.includes(name)).slice(0, maxNamed);
  if (unknown.length === 0) return null;
  const named = unknown.map((name) => {
    const suggestion = closestName(name, known);
    // Percent-encoded, so that a name of any characters fits into a header.
    const shown = encodeURIComponent(name.toWellFormed()).slice(0, maxNameLength);
    return suggestion === undefined ? shown : `${shown} (${suggestion}?)`;
  });
  return `199 - "Unknown query parameters were ignored: ${named.join(", ")}"`;
}
