import { isRecord } from "../../base/json.ts";
import type { Shape } from "./shape-answers.ts";

/** Leaves of a server's greeting what we use: its revision, and whether it has tools. A slip in the rest of it costs nothing. */
export const toInitializeResult: Shape = ({ protocolVersion, capabilities }) => ({
  protocolVersion,
  capabilities: toolsIn(capabilities),
  serverInfo: { name: "server", version: "unknown" },
});

function toolsIn(capabilities: unknown): { tools?: { listChanged: boolean } } {
  const tools = isRecord(capabilities) ? capabilities["tools"] : undefined;
  // In PHP an empty object is written as an empty list.
  if (tools === true || Array.isArray(tools)) return { tools: { listChanged: false } };
  return isRecord(tools) ? { tools: { listChanged: tools["listChanged"] === true } } : {};
}
