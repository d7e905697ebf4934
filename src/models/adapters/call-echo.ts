import type { JsonRecord } from "../../base/json.ts";
import type { CallEcho, ToolCall } from "../../contract/ports/chat-model.ts";

/** Who gave an echo: a model at an endpoint. Without the query, which may hold a key. */
export function echoSource({ origin, pathname }: URL, modelId: string): string {
  return `${origin}${pathname} ${modelId}`;
}

/** The calls of a reply, with what their provider wants to see again. What belongs to the message goes with its first call. */
export function withEchoes(
  calls: readonly ToolCall[],
  { source, message }: { source: string; message: JsonRecord | null },
): readonly ToolCall[] {
  return calls.map(({ echo, ...call }, index) => {
    const own: CallEcho = { ...echo, ...(index === 0 && message && { message }), from: source };
    return own.call || own.message ? { ...call, echo: own } : call;
  });
}

export interface EchoTarget {
  readonly source: string;
  /** It refuses what it did not say itself. */
  readonly ownOnly?: boolean;
}

/** What is sent back beside a call: only to whom it came from, since others refuse what they do not know. */
export function echoFor({ echo }: ToolCall, { source, ownOnly = false }: EchoTarget): CallEcho | null {
  if (!echo || (echo.from === undefined && ownOnly)) return null;
  return (echo.from ?? source) === source ? echo : null;
}

/** What is sent back in the message of these calls. */
export function messageEcho(calls: readonly ToolCall[], target: EchoTarget): JsonRecord {
  return calls[0] ? (echoFor(calls[0], target)?.message ?? {}) : {};
}
