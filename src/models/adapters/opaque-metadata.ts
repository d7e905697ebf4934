import type { JsonRecord } from "../../base/json.ts";
import type { OpaqueMetadata, ToolCall } from "../../contract/ports/chat-model.ts";

/** The model and endpoint that sent opaque metadata. Without the query, which may hold a key. */
export function metadataSource({ origin, pathname }: URL, modelId: string): string {
  return `${origin}${pathname} ${modelId}`;
}

/** The calls of a reply with the metadata that the provider wants back unchanged. The message's metadata goes with its first call. */
export function withOpaqueMetadata(
  calls: readonly ToolCall[],
  { source, message }: { source: string; message: JsonRecord | null },
): readonly ToolCall[] {
  return calls.map(({ echo, ...call }, index) => {
    const own: OpaqueMetadata = { ...echo, ...(index === 0 && message && { message }), from: source };
    return own.call || own.message ? { ...call, echo: own } : call;
  });
}

export interface MetadataTarget {
  readonly source: string;
  /** True when the server refuses metadata that it did not send itself. */
  readonly ownOnly?: boolean;
}

/** The metadata to send back with a call: only to its source, because other servers refuse unknown fields. */
export function callMetadata({ echo }: ToolCall, { source, ownOnly = false }: MetadataTarget): OpaqueMetadata | null {
  if (!echo || (echo.from === undefined && ownOnly)) return null;
  return (echo.from ?? source) === source ? echo : null;
}

/** The metadata to send back in the message of these calls. */
export function messageMetadata(calls: readonly ToolCall[], target: MetadataTarget): JsonRecord {
  return calls[0] ? (callMetadata(calls[0], target)?.message ?? {}) : {};
}
