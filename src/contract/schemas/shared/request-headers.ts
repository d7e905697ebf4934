import { z } from "zod";

/** `Idempotency-Key`: 1 to 255 printable ASCII characters, no space at either end. */
export const IdempotencyKey = z.string().regex(/^[!-~](?:[ -~]{0,253}[!-~])?$/);

/** `Last-Event-ID`: the number of the last event received; empty before the first. */
export const LastEventId = z.string().regex(/^\d{0,15}$/);

/** `x-on-disconnect`: cancels or continues a run whose client disconnects. */
export const OnDisconnect = z.enum(["cancel", "continue"]);
export type OnDisconnect = z.infer<typeof OnDisconnect>;

/** `x-thread-id`: characters that need no escaping in a URL. */
export const ThreadId = z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/);

/** `x-model-id`, for the API's description: parts of printable ASCII between slashes, none of them only dots. */
export const ModelId = z.string().meta({ maxLength: 512, pattern: modelIdPattern() });

function modelIdPattern(): string {
  // Without `#`, `%`, `,`, `.`, `/`, `?` and `\`.
  const letter = String.raw`!"$&-+\-0->@-\[\]-~`;
  const part = String.raw`(?:\.*[${letter}][.${letter}]*|\.{3,})`;
  return `^${part}(?:/${part})*$`;
}

/** The response to an MCP request that is not a valid call. */
export const JsonRpcError = z
  .object({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.number()]).nullable(),
    error: z.object({ code: z.int(), message: z.string(), data: z.json().optional() }),
  })
  .meta({ id: "JsonRpcError" });
export type JsonRpcError = z.infer<typeof JsonRpcError>;
