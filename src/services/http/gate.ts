import type { Context } from "hono";
import type { z } from "zod";
import { closestName } from "../../base/text.ts";
import type { RouteDeclaration } from "../../contract/operations/operation.ts";
import { checkScope } from "./auth/auth.ts";
import { leaveUnread } from "./limits/drop-body.ts";
import { errorResponse } from "./responses/error-response.ts";
import { checkHeaders } from "./checks/header-check.ts";
import type { HostCheck } from "./checks/host-check.ts";
import type { Admission } from "./limits/admission.ts";
import type { LimitRate } from "./limits/rate-limit.ts";
import { announcedBytes, memoryOf, openRequestMemory } from "./limits/request-memory.ts";
import { incomingOf, responseOf, type Caller, type ShellEnvironment } from "./environment/shell-environment.ts";

interface GateOptions {
  readonly checkHost: HostCheck["check"];
  /** Returns the response to a preflight. */
  readonly checkOrigin: (context: Context<ShellEnvironment>) => Response | null;
  readonly admission: Admission | null;
  readonly authenticate: (context: Context<ShellEnvironment>, isPublic: boolean) => Promise<void>;
  readonly limitRate: LimitRate;
}

/** The declared facts of a request's route that decide whether it is answered. */
type Wanted = Pick<RouteDeclaration, "scope" | "query" | "duringOverload" | "uncounted">;

type RouteAnswer = (context: Context<ShellEnvironment>) => Response | Promise<Response>;

/** Answers a request if it passes all checks. Throws the error of the check that it fails. */
export type RequestGate = (
  context: Context<ShellEnvironment>,
  route: Wanted | null,
  answer: RouteAnswer,
) => Promise<Response>;

/**
 * All checks before a route, in one place. A request is checked against the declaration of its route; without one (null), it needs
 * a key, and `answer` can only refuse it.
 */
export function createGate({ checkHost, checkOrigin, admission, authenticate, limitRate }: GateOptions): RequestGate {
  async function pass(
    context: Context<ShellEnvironment>,
    route: Wanted | null,
    answer: RouteAnswer,
  ): Promise<Response> {
    await authenticate(context, route?.scope === "public");
    const caller = context.get("caller") as Caller | undefined;
    if (admission && !holdBody(admission, context, caller)) return refuseOverload(admission, context);
    if (!route) return answer(context);
    const { scope, query, uncounted } = route;
    if (query) warnOfUnknown(context, query);
    if (scope !== "public") {
      checkScope(caller, scope);
      const countUse = (): void | Promise<void> => (uncounted ? undefined : limitRate(scope, caller));
      const counting = countUse();
      if (counting) await counting;
      context.set("countAgain", countUse);
    }
    return answer(context);
  }

  return async (context, route, answer) => {
    checkHeaders(context);
    checkHost(context);
    const preflight = checkOrigin(context);
    if (preflight) return preflight;
    if (!admission || route?.duringOverload) return pass(context, route, answer);
    if (!admission.hasPlace(announcedBodyBytes(context))) return refuseOverload(admission, context);
    const leave = admission.enter();
    try {
      return await pass(context, route, answer);
    } finally {
      leave();
      // If the client disconnected early, the response closed before its close event was listened for.
      if (responseOf(context)?.closed !== false) memoryOf(context).end();
    }
  };
}

/** Reserves memory for the body before it is read; for a chunked body, the reader does so as it grows. False when there is none. */
function holdBody(admission: Admission, context: Context<ShellEnvironment>, caller: Caller | undefined): boolean {
  if (!admission.memory) return true;
  const memory = openRequestMemory({
    budget: admission.memory,
    key: caller?.key ?? null,
    response: responseOf(context),
  });
  context.set("memory", memory);
  const bytes = announcedBodyBytes(context);
  return bytes === 0 || bytes > memory.mostBytes || memory.add(bytes);
}

/** Returned, not thrown: thrown errors are logged one by one, and refusals are only counted. */
function refuseOverload(admission: Admission, context: Context<ShellEnvironment>): Response {
  const [incoming, outgoing] = [incomingOf(context), responseOf(context)];
  if (incoming && outgoing) leaveUnread(incoming, outgoing, announcedBodyBytes(context));
  const error = admission.refuse(announcedBodyBytes(context));
  return errorResponse(error, { requestId: context.get("requestId"), path: context.req.path });
}

function announcedBodyBytes({ req }: Context): number {
  return announcedBytes({
    length: req.header("content-length"),
    chunked: req.header("transfer-encoding") !== undefined,
  });
}

function warnOfUnknown(context: Context<ShellEnvironment>, query: z.ZodObject): void {
  const warning = unknownParameters(query, Object.keys(context.req.queries()));
  if (warning !== null) context.get("answerHeaders")["warning"] = warning;
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
