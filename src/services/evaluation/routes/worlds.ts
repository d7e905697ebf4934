import type { RouteDeclaration } from "../../../contract/operations/operation.ts";
import { defineRoute, type Route } from "../../http/route.ts";
import { worldPath, type WorldServer } from "./world-endpoints.ts";

/** The address of a world is its key. It is no part of the public API. */
const worldAt = (method: string) =>
  ({ address: `${method} ${worldPath}{token}/mcp`, scope: "public" }) as const satisfies RouteDeclaration;

/** The private MCP endpoints of worlds, one for each attempt of an agent with its own tool loop. */
export const worldRoutes: readonly Route<WorldServer>[] = [
  defineRoute(
    worldAt("POST"),
    (worlds: WorldServer) => async (request) =>
      worlds.fetch(request.context.req.raw, { parsedBody: await request.sent() }),
  ),
  ...["GET", "DELETE"].map((method) =>
    defineRoute(
      worldAt(method),
      (worlds: WorldServer) =>
        ({ context }) =>
          worlds.fetch(context.req.raw),
    ),
  ),
];
