import { z } from "zod";
import type { OpaqueMetadata } from "../../../contract/ports/chat-model.ts";
import { opaqueFields } from "../../../contract/schemas/openai-chat.ts";
import { checkJson } from "../../http/body/check-json.ts";
import type { PendingEchoes } from "../turns/pending-echoes.ts";

/** What a provider wants to see again of one reply: in its message, and beside its calls, by their ids. */
const Echoes = z.object({
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
type Echoes = z.infer<typeof Echoes>;

const ours = "rehearsal.";

/**
 * The echoes of calls as one text. Responses have a single place that every client sends back as it came, the encrypted content of
 * reasoning; nothing is secret in ours, since the client that gets it in chat completions may read it there.
 */
export function sealEchoes(echoes: PendingEchoes): string | null {
  const message = [...echoes.values()].find((echo) => echo.message)?.message;
  const own = [...echoes].flatMap(([id, { call }]) => (call ? [[id, call] as const] : []));
  if (!message && own.length === 0) return null;
  const text = JSON.stringify({ ...(message && { message }), calls: Object.fromEntries(own) });
  return ours + Buffer.from(text).toString("base64url");
}

/** The echo of each call that is asked about, in their order: the first one gets the message's. */
export type OpenEchoes = (callId: string) => OpaqueMetadata | null;

/** Null where the text is not one of ours. It is the client's by now: what does not fit is left out. */
export function openEchoes(sealed: string | null | undefined): OpenEchoes | null {
  const echoes = sealed?.startsWith(ours)
    ? parse(Buffer.from(sealed.slice(ours.length), "base64url").toString())
    : null;
  if (!echoes) return null;
  let message = plain(echoes.message ?? {});
  return (callId) => {
    const call = Object.hasOwn(echoes.calls, callId) ? echoes.calls[callId] : undefined;
    const echo = { ...(message && { message }), ...(call && { call }) };
    message = null;
    return echo.message || echo.call ? echo : null;
  };
}

const limits = { depth: 32, keys: 1_000, values: 100_000 };

function parse(text: string): Echoes | null {
  try {
    checkJson(text, limits);
    return Echoes.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function plain(fields: Readonly<Record<string, unknown>>): OpaqueMetadata["message"] | null {
  const told = Object.entries(fields).filter(([, value]) => value != null);
  return told.length > 0 ? Object.fromEntries(told) : null;
}
