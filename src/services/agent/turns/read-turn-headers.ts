import type { Context } from "hono";
import type { Tool } from "../../../agent/tools/tool.ts";
import { selectTools } from "../../../agent/tools/toolbox.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { OnDisconnect, ThreadId } from "../../../contract/schemas/request-headers.ts";
import type { Router } from "../../../models/routing/router.ts";
import { memoryOf } from "../../http/limits/request-memory.ts";
import { ownerOf, type RequestMemory, type ShellEnvironment } from "../../http/shell-environment.ts";
import { toFallbackError } from "./fallback-error.ts";

const mostFallbacks = 5;

/** What a client may say about a turn in headers, whatever the wire. */
export interface TurnHeaders {
  readonly fallbacks: readonly string[];
  readonly tools: readonly Tool[];
  /** null: the wire's own habit. */
  readonly onDisconnect: OnDisconnect | null;
  readonly owner: string | null;
  readonly requestId: string;
  readonly trace: Readonly<Record<string, string>> | undefined;
  readonly memory: RequestMemory;
}

/** Reads and checks them; nothing has been called yet. */
export function readTurnHeaders(
  context: Context<ShellEnvironment>,
  { tools, router }: { tools: () => readonly Tool[]; router: Router },
): TurnHeaders {
  const fallbacks = listOf(context.req.header("x-model-fallbacks")) ?? [];
  if (fallbacks.length > mostFallbacks) {
    throw new ServiceError("header_invalid", `x-model-fallbacks may name at most ${mostFallbacks} models.`);
  }
  for (const id of fallbacks) checkFallback(router, id);
  return {
    fallbacks,
    tools: selectTools(tools(), toolNames(context.req.header("x-agent-tools"))),
    onDisconnect: readOnDisconnect(context.req.header("x-on-disconnect")),
    owner: ownerOf(context),
    requestId: context.get("requestId"),
    trace: readTrace(context),
    memory: memoryOf(context),
  };
}

function checkFallback(router: Router, id: string): void {
  try {
    router.check(id);
  } catch (error) {
    throw toFallbackError(error);
  }
}

function readTrace(context: Context): TurnHeaders["trace"] {
  const traceparent = context.req.header("traceparent");
  if (traceparent === undefined) return undefined;
  const tracestate = context.req.header("tracestate");
  return { traceparent, ...(tracestate !== undefined && { tracestate }) };
}

function listOf(header: string | undefined): string[] | null {
  if (header === undefined) return null;
  return header
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** `none` because some clients cannot send an empty header. */
function toolNames(header: string | undefined): readonly string[] | null {
  return header?.trim().toLowerCase() === "none" ? [] : listOf(header);
}

function readOnDisconnect(header: string | undefined): TurnHeaders["onDisconnect"] {
  const { data, success } = OnDisconnect.optional().safeParse(header?.trim().toLowerCase());
  if (success) return data ?? null;
  throw new ServiceError("header_invalid", "x-on-disconnect must be cancel or continue.");
}

/**
 * For the wires that keep no threads: whoever names one sends only what is new, and would lose half of a conversation if it
 * were ignored.
 */
export function refuseThread(context: Context): void {
  if (context.req.header("x-thread-id") === undefined) return;
  throw new ServiceError("header_invalid", "x-thread-id is not possible here: no thread is kept.", {
    hint: "Send the whole conversation, or use POST /, which keeps threads.",
  });
}

/** The thread a turn belongs to, if it names one. */
export function readThreadId(context: Context): string | null {
  const value = context.req.header("x-thread-id");
  if (value === undefined) return null;
  // In an address a dot or two mean a folder: such a thread could be neither read nor deleted.
  if (ThreadId.safeParse(value).success && !/^\.\.?$/.test(value)) return value;
  throw new ServiceError(
    "header_invalid",
    "A thread id is 1 to 128 letters, digits, ., _, : and -, and more than dots.",
  );
}
