import { z } from "zod";

/** What an MCP call is answered with when it is no call the server can carry out. */
export const JsonRpcError = z
  .object({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.number()]).nullable(),
    error: z.object({ code: z.int(), message: z.string(), data: z.json().optional() }),
  })
  .meta({ id: "JsonRpcError" });
export type JsonRpcError = z.infer<typeof JsonRpcError>;
