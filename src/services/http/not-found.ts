import type { Hono, NotFoundHandler } from "hono";
import type { Operation } from "../../contract/operations/operation.ts";
import { ServiceError } from "../../contract/errors.ts";
import { createOperationTable } from "./operation-table.ts";
import type { ShellEnvironment } from "./shell-environment.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The other service, which is easily asked for by the port of this one. */
export interface Neighbour {
  readonly name: string;
  readonly operations: readonly Operation[];
}

/** Tells an unknown address (404) from a known one with the wrong method (405 with `Allow`; OPTIONS is answered). */
export function notFound(app: Hono<ShellEnvironment>, neighbour?: Neighbour): NotFoundHandler<ShellEnvironment> {
  const findBeside = createOperationTable(neighbour?.operations ?? []);

  return (context) => {
    const { method, path } = context.req;
    const allow = allowedMethods(app, path).join(", ");
    if (allow === "") {
      const isBeside = methods.some((any) => findBeside({ method: any, path }));
      throw new ServiceError("not_found", `There is nothing at ${JSON.stringify(path.slice(0, 200))}.`, {
        ...(isBeside && { hint: `The ${neighbour?.name} answers there: it has a port of its own.` }),
      });
    }
    if (method === "OPTIONS") return context.body(null, 204, { allow });
    throw new ServiceError("method_not_allowed", `${method} is not possible here; use ${allow}.`, {
      headers: { allow },
    });
  };
}

/** Whether any route answers at the address, whatever the method. */
export function isServed(app: Hono<ShellEnvironment>, path: string): boolean {
  return allowedMethods(app, path).length > 0;
}

/** Asks the router itself, so that every route counts, whoever added it. A catch-all does not make an address known. */
function allowedMethods(app: Hono<ShellEnvironment>, path: string): readonly string[] {
  const served = methods.filter((method) => {
    const [handlers] = app.router.match(method, path);
    return handlers.some(([[, route]]) => route.method === method && !route.path.endsWith("*"));
  });
  if (served.length === 0) return [];
  return [...served, ...(served.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
}
