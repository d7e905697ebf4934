import type { Hono, NotFoundHandler } from "hono";
import type { Operation } from "../../contract/operations/operation.ts";
import { ServiceError } from "../../contract/errors.ts";
import { createOperationTable } from "./operation-table.ts";
import type { ShellEnvironment } from "./shell-environment.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The other service, whose routes clients sometimes request on this one's port. */
export interface Neighbour {
  readonly name: string;
  readonly operations: readonly Operation[];
}

/** Responds 404 to an unknown path, 405 with `Allow` to a known path with another method, and 204 to OPTIONS. */
export function notFound(app: Hono<ShellEnvironment>, neighbour?: Neighbour): NotFoundHandler<ShellEnvironment> {
  const findBeside = createOperationTable(neighbour?.operations ?? []);

  return (context) => {
    const { method, path } = context.req;
    const allow = allowedMethods(app, path).join(", ");
    if (allow === "") {
      const isBeside = methods.some((any) => findBeside({ method: any, path }));
      throw new ServiceError("not_found", `There is no route at ${JSON.stringify(path.slice(0, 200))}.`, {
        ...(isBeside && { hint: `The ${neighbour?.name} has this route. Send the request to its port.` }),
      });
    }
    if (method === "OPTIONS") return context.body(null, 204, { allow });
    throw new ServiceError("method_not_allowed", `${method} is not supported here; use ${allow}.`, {
      headers: { allow },
    });
  };
}

/** True if the path has a route for any method. */
export function isServed(app: Hono<ShellEnvironment>, path: string): boolean {
  return allowedMethods(app, path).length > 0;
}

/**
 * Reads the router, so that every route counts. A catch-all does not make a path known. A fixed path (`/scenarios/import`) is a
 * resource of its own, although a route with a parameter (`/scenarios/:id`) also fits it.
 */
function allowedMethods(app: Hono<ShellEnvironment>, path: string): readonly string[] {
  const routes = methods.flatMap((method) => {
    const [handlers] = app.router.match(method, path);
    return handlers.map(([[, route]]) => route).filter((route) => route.method === method && !route.path.endsWith("*"));
  });
  const fixed = routes.filter((route) => route.path === path);
  const served = [...new Set((fixed.length > 0 ? fixed : routes).map((route) => route.method))];
  if (served.length === 0) return [];
  return [...served, ...(served.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
}
