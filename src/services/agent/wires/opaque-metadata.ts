import { compact } from "../../../base/compact.ts";
import { z } from "zod";
import type { SuccessfulOutcome } from "../../../agent/loop/agent-outcome.ts";
import type { LooseToolCall } from "../../../agent/messages/history.ts";
import type { OpaqueMetadata } from "../../../contract/ports/chat-model.ts";
import { opaqueFields } from "../../../contract/schemas/wires/openai-chat.ts";
import { checkJson } from "../../http/body/check-json.ts";

/** Opaque metadata of tool calls, by the id of the call. */
type CallMetadata = ReadonlyMap<string, OpaqueMetadata>;

/** The opaque metadata of the calls that are handed to the client. The metadata of the message is attached to the first of them. */
export function pendingMetadata({ reply, pending_tool_calls }: SuccessfulOutcome): CallMetadata {
  const first = reply.tool_calls[0]?.echo;
  return new Map(
    pending_tool_calls.flatMap(({ id, echo }, index) => {
      const own = index === 0 && first?.message ? { ...first, ...echo, message: first.message } : echo;
      return own ? [[id, own]] : [];
    }),
  );
}

const prefix = "rehearsal.";

/**
 * Encodes metadata as one string, for fields that clients send back unchanged, such as the encrypted content of a reasoning item.
 * It is not secret: a client of chat completions gets the same data in plain text. Null when there is none.
 */
export function encodeMetadata(metadata: CallMetadata): string | null {
  const message = [...metadata.values()].find((echo) => echo.message)?.message;
  const own = [...metadata].flatMap(([id, { call }]) => (call ? [[id, call] as const] : []));
  if (!message && own.length === 0) return null;
  const text = JSON.stringify(compact({ message, calls: Object.fromEntries(own) }));
  return prefix + Buffer.from(text).toString("base64url");
}

/** Returns the metadata of a call. The first call that is asked for also gets the metadata of the message. */
export type MetadataLookup = (callId: string) => OpaqueMetadata | null;

/** Null when the text was not made by `encodeMetadata`. The client may have changed it, so unknown fields are dropped. */
export function decodeMetadata(encoded: string | null | undefined): MetadataLookup | null {
  const metadata = encoded?.startsWith(prefix)
    ? parseSealed(Buffer.from(encoded.slice(prefix.length), "base64url").toString())
    : null;
  if (!metadata) return null;
  let message = withoutNulls(metadata.message ?? {});
  return (callId) => {
    const call = Object.hasOwn(metadata.calls, callId) ? metadata.calls[callId] : undefined;
    const echo = compact({ message: message ?? undefined, call });
    message = null;
    return echo.message || echo.call ? echo : null;
  };
}

/**
 * Orders the calls of one reply as its provider expects them. Gemini signs its first call and rejects a reply in which another call
 * leads. The metadata of the message moves to the first call.
 */
export function signedCallFirst(calls: readonly LooseToolCall[]): readonly LooseToolCall[] {
  const message = calls.find(({ echo }) => echo?.message)?.echo?.message;
  const isSigned = ({ echo }: LooseToolCall): number => (echo?.call ? 1 : 0);
  const [first, ...rest] = calls.toSorted((one, other) => isSigned(other) - isSigned(one));
  if (!first) return calls;
  return [message ? { ...first, echo: { ...first.echo, message } } : first, ...rest];
}

const EncodedMetadata = z.object({
  message: z
    .object({
      ...opaqueFields,
      reasoning: z.string().nullish(),
      think: z.string().nullish(),
      reasoning_items: z.array(z.unknown()).nullish(),
    })
    .optional(),
  calls: z.record(z.string(), z.object({ extra_content: z.record(z.string(), z.unknown()) })),
});

const limits = { depth: 32, keys: 1_000, values: 100_000 };

function parseSealed(text: string): z.infer<typeof EncodedMetadata> | null {
  try {
    checkJson(text, limits);
    return EncodedMetadata.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function withoutNulls(fields: Readonly<Record<string, unknown>>): OpaqueMetadata["message"] | null {
  const present = Object.entries(fields).filter(([, value]) => value != null);
  return present.length > 0 ? Object.fromEntries(present) : null;
}
