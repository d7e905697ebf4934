import fc, { type Arbitrary } from "fast-check";
import type { JsonValue } from "./schema-values.ts";

const anything = fc.jsonValue({ maxDepth: 2 }) as Arbitrary<JsonValue>;
const ids = fc.oneof(fc.integer(), fc.string({ maxLength: 8 }), fc.constant(null)) as Arbitrary<JsonValue>;

const initialize = fc
  .constantFrom("2025-11-25", "2025-06-18", "2024-11-05", "1999-01-01", "")
  .map((protocolVersion): JsonValue => ({
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "fuzz", version: "1" },
  }));

const toolCall = fc.record({
  name: fc.constantFrom("ask_agent", "list_models", "no_such_tool"),
  arguments: fc.oneof(
    fc.record({
      message: fc.string({ maxLength: 20 }),
      model_id: fc.constantFrom("hub/model", "plain", "550e8400-e29b-41d4-a716-446655440000"),
    }),
    anything,
  ) as Arbitrary<JsonValue>,
}) as Arbitrary<JsonValue>;

const call = fc.oneof(
  fc.tuple(fc.constant("initialize"), fc.oneof(initialize, anything)),
  fc.tuple(fc.constant("tools/call"), fc.oneof({ weight: 3, arbitrary: toolCall }, { weight: 1, arbitrary: anything })),
  fc.tuple(
    fc.constantFrom("tools/list", "ping", "resources/list", "notifications/initialized", "nope", ""),
    fc.oneof(fc.constant({}), anything),
  ),
);

const message = fc.tuple(call, fc.option(ids, { nil: undefined })).map(([[method, params], id]): JsonValue => ({
  jsonrpc: "2.0",
  method,
  params: params as JsonValue,
  ...(id !== undefined && { id }),
}));

/** Bodies of POST /mcp: calls, notifications, unexpected answers, and batches of them. */
export const mcpBodies: Arbitrary<JsonValue> = fc.oneof(
  { weight: 6, arbitrary: message },
  { weight: 1, arbitrary: fc.array(message, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.tuple(ids, anything).map(([id, result]): JsonValue => ({ jsonrpc: "2.0", id, result })) },
);
