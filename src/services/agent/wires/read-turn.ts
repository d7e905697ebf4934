import { compact } from "../../../base/compact.ts";
import type { Context } from "hono";
import type { Tool } from "../../../agent/tools/tool.ts";
import { selectTools } from "../../../agent/tools/toolbox.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { OnDisconnect, ThreadId } from "../../../contract/schemas/shared/request-headers.ts";
import type { Router } from "../../../models/routing/router.ts";
import { memoryOf } from "../../http/limits/request-memory.ts";
import type { RequestMemory, ShellEnvironment } from "../../http/environment/shell-environment.ts";
import { FallbackError, toFallbackError } from "../turns/route-models.ts";

/** The headers of a turn, which are the same on every wire. */
export interface TurnHeaders {
  readonly fallbacks: readonly string[];
  readonly tools: readonly Tool[];
  /** null: the default of the wire. */
  readonly onDisconnect: OnDisconnect | null;
  readonly owner: string | null;
  readonly requestId: string;
  readonly trace: Readonly<Record<string, string>> | undefined;
  readonly memory: RequestMemory;
}

const mostFallbacks = 5;

/**
 * Reads and checks the headers, before any model or tool is called. A request without `x-agent-tools` gets all tools but those to
 * `omit`.
 */
export function readTurnHeaders(
  context: Context<ShellEnvironment>,
  { tools, router }: { tools: () => readonly Tool[]; router: Router },
  { omit }: { omit?: ReadonlySet<string> | undefined } = {},
): TurnHeaders {
  const fallbacks = listOf(context.req.header("x-model-fallbacks")) ?? [];
  if (fallbacks.length > mostFallbacks) {
    throw new ServiceError("header_invalid", `x-model-fallbacks may name at most ${mostFallbacks} models.`);
  }
  for (const id of fallbacks) checkFallback(router, id);
  return {
    fallbacks,
    tools: toolsOf(context.req.header("x-agent-tools"), { tools: tools(), omit }),
    onDisconnect: readOnDisconnect(context.req.header("x-on-disconnect")),
    owner: context.get("caller").owner,
    requestId: context.get("requestId"),
    trace: readTraceHeader(context),
    memory: memoryOf(context),
  };
}

/** The thread named by the request, or null. */
export function readThreadId(context: Context): string | null {
  const value = context.req.header("x-thread-id");
  if (value === undefined) return null;
  // "." and ".." have a meaning in URLs: such a thread could be neither read nor deleted.
  if (ThreadId.safeParse(value).success && !/^\.\.?$/.test(value)) return value;
  throw new ServiceError(
    "header_invalid",
    'A thread id has 1 to 128 letters, digits, ".", "_", ":" or "-", and is not "." or "..".',
  );
}

/** For wires without threads. A client that names one sends only its new messages; ignoring the header would lose the rest. */
export function refuseThread(context: Context): void {
  if (context.req.header("x-thread-id") === undefined) return;
  throw new ServiceError("header_invalid", "x-thread-id is not supported here: this route stores no threads.", {
    hint: "Send the whole conversation, or use POST /, which stores threads.",
  });
}

/** Aborts when the client disconnects; never aborts when the turn shall continue without it. */
export function clientSignal(
  { req }: Context,
  { onDisconnect }: Pick<TurnHeaders, "onDisconnect">,
  defaultAction: OnDisconnect = "cancel",
): AbortSignal {
  return (onDisconnect ?? defaultAction) === "continue" ? new AbortController().signal : req.raw.signal;
}

/** Refuses a conversation with too many messages. `pointer`: where the request contains them. */
export function checkCount(
  { length }: readonly unknown[],
  { maxMessages, pointer = "/messages" }: { maxMessages: number; pointer?: string },
): void {
  if (length <= maxMessages) return;
  const message = `must hold at most ${maxMessages} messages (limits.max_messages)`;
  throw new ServiceError("validation_failed", `${pointer} ${message}`, {
    errors: [{ pointer, code: "too_big", message, received: `${length} messages` }],
  });
}

/** For wires that name the model in a field of the body: errors name that field instead of the header. */
export async function withModelField<Result>(
  start: () => Promise<Result>,
  { field = "model" }: { field?: string } = {},
): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.code.startsWith("model_")) throw error;
    if (error instanceof FallbackError) throw error;
    const message = error.message
      .replace("The request has no x-model-id header", `The request has no ${field}`)
      .replace(/^x-model-id /, `${field} `);
    throw new ServiceError(
      error.code,
      message,
      compact({
        cause: error,
        errors: [{ pointer: `/${field}`, code: error.code, message }],
        headers: error.headers,
        hint: error.hint,
        suggestions: error.suggestions,
      }),
    );
  }
}

export function fieldError(pointer: string, message: string): ServiceError {
  return new ServiceError("validation_failed", `${pointer} ${message}`, {
    errors: [{ pointer, code: "custom", message }],
  });
}

function checkFallback(router: Router, id: string): void {
  try {
    router.check(id);
  } catch (error) {
    throw toFallbackError(error);
  }
}

function readTraceHeader(context: Context): TurnHeaders["trace"] {
  const traceparent = context.req.header("traceparent");
  if (traceparent === undefined) return undefined;
  const tracestate = context.req.header("tracestate");
  return compact({ traceparent, tracestate });
}

function listOf(header: string | undefined): string[] | null {
  if (header === undefined) return null;
  return header
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** `none` because some clients cannot send an empty header; `all` for those that the wire leaves out otherwise. */
function toolsOf(
  header: string | undefined,
  { tools, omit }: { readonly tools: readonly Tool[]; readonly omit: ReadonlySet<string> | undefined },
): readonly Tool[] {
  if (header === undefined) return omit ? tools.filter(({ definition }) => !omit.has(definition.name)) : tools;
  const word = header.trim().toLowerCase();
  return word === "all" ? tools : selectTools(tools, word === "none" ? [] : listOf(header));
}

function readOnDisconnect(header: string | undefined): TurnHeaders["onDisconnect"] {
  if (header === undefined) return null;
  const { data, success } = OnDisconnect.safeParse(header.trim().toLowerCase());
  if (success) return data;
  throw new ServiceError("header_invalid", "x-on-disconnect must be cancel or continue.");
}
