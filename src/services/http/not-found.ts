import { Hono, type Context } from "hono";
import { compact } from "../../base/compact.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import { toRouterPattern } from "./route.ts";
import type { ShellEnvironment } from "./environment/shell-environment.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The other service, whose routes clients sometimes request on this one's port. */
export interface Neighbour {
  readonly name: string;
  readonly addresses: Readonly<Record<string, string>>;
}

interface NotFound {
  /** Answers 404 to an unknown path, 405 with `Allow` to a known path with another method, and 204 to OPTIONS. */
  answer(context: Context<ShellEnvironment>): Response;
  /** True if the path has a route for any method. */
  isServed(path: string): boolean;
}

export function createNotFound(app: Hono<ShellEnvironment>, neighbour?: Neighbour): NotFound {
  let beside: Hono | undefined;

  function isBeside(path: string): boolean {
    if (!neighbour) return false;
    beside ??= Object.values(neighbour.addresses).reduce((router, address) => {
      const { method, pattern } = toRouterPattern(address);
      return router.on(method, pattern, (context) => context.body(null));
    }, new Hono());
    return allowedMethods(beside, path).length > 0;
  }

  return {
    isServed: (path) => allowedMethods(app, path).length > 0,
    answer(context) {
      const { method, path } = context.req;
      const allow = allowedMethods(app, path).join(", ");
      if (allow === "") {
        const hint = isBeside(path)
          ? `The ${neighbour?.name} has this route. Send the request to its port.`
          : undefined;
        const detail = `There is no route at ${JSON.stringify(path.slice(0, 200))}.`;
        throw new ServiceError("not_found", detail, compact({ hint }));
      }
      if (method === "OPTIONS") return context.body(null, 204, { allow });
      throw new ServiceError("method_not_allowed", `${method} is not supported here; use ${allow}.`, {
        headers: { allow },
      });
    },
  };
}

/**
 * Reads the router, so that every route counts. A fixed path (`/scenarios/import`) is a resource of its own, although a route with a
 * parameter (`/scenarios/:scenario_id`) also fits it.
 */
function allowedMethods(app: Pick<Hono<ShellEnvironment>, "router">, path: string): readonly string[] {
  const routes = methods.flatMap((method) => {
    const [handlers] = app.router.match(method, path);
    return handlers.map(([[, route]]) => route);
  });
  const fixed = routes.filter((route) => route.path === path);
  const served = [...new Set((fixed.length > 0 ? fixed : routes).map((route) => route.method))];
  if (served.length === 0) return [];
  return [...served, ...(served.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
}
